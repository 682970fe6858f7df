import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Log, nearest, readValue, reasonOf, silentLog } from '../base/index.ts'
import { StartupError } from './errors.ts'
import { DRIVER_OPTIONS, isForDevices, OPERATION_OPTIONS, PATH_KEYS } from './operation-options.ts'
import type { OptionSpec, OptionSpecs } from './options.ts'
import type { ResolvedDevice } from './resolve-device.ts'
import { checkSafePath, notSafe, type PathContext } from './safe-path.ts'

interface OptionInput extends PathContext {
  device: ResolvedDevice
  /** The `-o` arguments, `key=value` each; the last of equal keys wins. */
  pairs: readonly string[]
  /** The value of `--data-dir`; `-o data_dir=` overrides it. */
  dataDir: string
  /** The driver's environment, without its own secrets; only declared variables are read. */
  env?: Record<string, string | undefined>
  /** Receives a line for each given option that has no effect. */
  log?: Log
}

/** Options of one start, converted and checked. Plain data: it can be sent to the child process as JSON. */
export interface DeviceOptions {
  /** Declared options with their defaults. */
  options: Record<string, unknown>
  /** Every given key that the driver does not read itself, as text. */
  raw: Record<string, string>
  /** Declared environment variables, converted. */
  environment: Record<string, unknown>
  /** Absolute. */
  dataDir: string
  /** Maximum execution time of one job. */
  jobTimeoutMs: number
}

/** The order in which errors are reported: errors of keys before errors of values, and of files last. */
const ORDER = ['syntax', 'unknown', 'missing', 'value', 'place', 'file'] as const

/** Collects errors, so that one start reports all of them. */
class OptionErrors {
  readonly #found: { kind: (typeof ORDER)[number]; lines: string[] }[] = []

  add(kind: (typeof ORDER)[number], ...lines: string[]): void {
    this.#found.push({ kind, lines })
  }

  /** @throws StartupError when there are any. */
  throwIfAny(): void {
    if (this.#found.length === 0) return
    const sorted = this.#found.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
    throw new StartupError(sorted.flatMap((each) => each.lines))
  }
}

/**
 * Reads the `-o` options of a device. Nothing is connected or created.
 * @throws StartupError with every error of the start, one per line.
 */
export function readOptions(input: OptionInput): DeviceOptions {
  const { def, imported } = input.device
  const { operation, options: declared = {}, environment: variables = {} } = def
  const errors = new OptionErrors()
  const given = readPairs(input.pairs, errors)
  const accepted: OptionSpecs = {
    ...(imported ? {} : OPERATION_OPTIONS[operation]),
    ...declared,
  }
  const driver = DRIVER_OPTIONS[operation]
  if (!(def.takesAnyOption ?? imported)) reportUnknownKeys(given, input.device, errors)
  reportWithheldVariables(variables, errors)
  reportUnsafePaths(given, { ...accepted, ...driver }, input, errors)
  const { data_dir, job_timeout } = readAll(driver, given, input, errors)
  const options = readAll(accepted, given, input, errors)
  const dataDir = data_dir ?? safePath('data_dir', input.dataDir, input, errors)
  const environment = readAll(variables, variablesOf(variables, input.env), input, errors, 'variable')
  if (operation === 'calibrate') reportMissingConfig(given, input, errors)
  errors.throwIfAny()
  logOptionsWithoutEffect(given, input)
  return {
    options,
    raw: Object.fromEntries([...given].filter(([key]) => !Object.hasOwn(driver, key))),
    environment,
    dataDir: String(dataDir),
    jobTimeoutMs: Math.round(
      1_000 * (typeof job_timeout === 'number' ? job_timeout : ownTimeout(def, options)),
    ),
  }
}

/** The limit in s that a device declares, or that of all devices. */
function ownTimeout({ jobTimeout = 10 }: ResolvedDevice['def'], options: Record<string, unknown>): number {
  return typeof jobTimeout === 'number' ? jobTimeout : jobTimeout(options)
}

function readPairs(pairs: readonly string[], errors: OptionErrors): Map<string, string> {
  const given = new Map<string, string>()
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    const key = pair.slice(0, Math.max(equals, 0)).trim()
    if (key === '') errors.add('syntax', `invalid option ${pair}; expected key=value`)
    else given.set(key, pair.slice(equals + 1).trim())
  }
  return given
}

/** Every key that a device accepts, sorted. */
function knownKeys({ def, imported }: ResolvedDevice): string[] {
  const shared = imported ? {} : OPERATION_OPTIONS[def.operation]
  const all = { ...DRIVER_OPTIONS[def.operation], ...shared, ...def.options }
  return Object.keys(all).sort()
}

function reportUnknownKeys(
  given: ReadonlyMap<string, string>,
  device: ResolvedDevice,
  errors: OptionErrors,
): void {
  const keys = knownKeys(device)
  for (const key of given.keys()) {
    if (keys.includes(key)) continue
    const suggestion = nearest(key, keys)
    errors.add(
      'unknown',
      `unknown option ${key} for ${device.def.operation} device ${device.def.name}`,
      `  ${suggestion === undefined ? '' : `did you mean ${suggestion}? `}known options: ${keys.join(', ')}`,
    )
  }
}

/** A variable that never arrives would look like one that is not set. */
function reportWithheldVariables(declared: OptionSpecs, errors: OptionErrors): void {
  for (const name of Object.keys(declared)) {
    if (isForDevices(name)) continue
    errors.add(
      'unknown',
      `the device declares the variable ${name}, which devices do not receive; choose another name, without the prefix SVC_`,
    )
  }
}

/** Files must lie in a safe location, also when no declared option reads them. */
function reportUnsafePaths(
  given: ReadonlyMap<string, string>,
  read: OptionSpecs,
  place: PathContext,
  errors: OptionErrors,
): void {
  for (const key of PATH_KEYS) {
    const text = given.get(key)
    if (text !== undefined && !Object.hasOwn(read, key)) safePath(key, text, place, errors)
  }
}

/** The declared variables that are set. */
function variablesOf(
  declared: OptionSpecs,
  env: Record<string, string | undefined> = {},
): Map<string, string> {
  return new Map(
    Object.keys(declared).flatMap((name) => {
      const value = env[name]?.trim()
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )
}

/** Where a value comes from, which decides how messages name it. */
type Source = 'option' | 'variable'

function nameOf(key: string, source: Source): string {
  return source === 'option' ? `-o ${key}` : `the variable ${key}`
}

function safePath(
  key: string,
  path: string,
  place: PathContext,
  errors: OptionErrors,
  source: Source = 'option',
): string | undefined {
  const safe = checkSafePath(path, place)
  if (safe === undefined) {
    errors.add('place', `bad value for ${nameOf(key, source)}: ${notSafe(path)}`)
  }
  return safe
}

function readAll(
  specs: OptionSpecs,
  given: ReadonlyMap<string, string>,
  place: PathContext,
  errors: OptionErrors,
  source: Source = 'option',
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(specs).map(([key, spec]) => {
      const text = given.get(key)
      const isInFile = spec.kind.isSecret && source === 'option' && text?.startsWith('@')
      const read = isInFile ? readSecret(key, text ?? '', place, errors) : { text }
      return [key, read && readOne({ key, spec, source }, read.text, place, errors)]
    }),
  )
}

interface DeclaredOption {
  key: string
  spec: OptionSpec<unknown>
  source: Source
}

function readOne(
  { key, spec, source }: DeclaredOption,
  text: string | undefined,
  place: PathContext,
  errors: OptionErrors,
): unknown {
  if (text === undefined && spec.required) {
    const assigned = source === 'option' ? `-o ${key}` : key
    const example = spec.example === undefined ? '' : ` (for example ${assigned}=${spec.example})`
    errors.add('missing', `missing required ${source} ${key}${example}`)
  }
  const { kind } = spec
  const read = text === undefined ? { value: spec.default } : readValue(kind, text, () => kind.parse(text))
  if (read.bad) {
    const { shownValue, reason } = read.bad
    const shown = shownValue === '' ? '' : `${shownValue}; `
    errors.add('value', `bad value for ${nameOf(key, source)}: ${shown}${reason}`)
    return undefined
  }
  return kind.isPath && typeof read.value === 'string'
    ? safePath(key, read.value, place, errors, source)
    : read.value
}

/**
 * The secret of `@file`: every user of the machine can see command lines. As for the access token, the file
 * may be anywhere. `@@` begins a secret that itself begins with `@`.
 */
function readSecret(
  key: string,
  given: string,
  { cwd }: PathContext,
  errors: OptionErrors,
): { text: string } | undefined {
  if (given.startsWith('@@')) return { text: given.slice(1) }
  const path = given.slice(1)
  try {
    return { text: readFileSync(resolve(cwd, path), 'utf8').trim() }
  } catch (error) {
    errors.add('file', `bad value for -o ${key}: cannot read ${path}; ${reasonOf(error)}`)
    return undefined
  }
}

function reportMissingConfig(
  given: ReadonlyMap<string, string>,
  place: PathContext,
  errors: OptionErrors,
): void {
  const path = given.get('calibration_config')
  // For an unsafe path the report must not reveal whether the file exists.
  if (path === undefined || checkSafePath(path, place) === undefined) return
  const file = statSync(resolve(place.cwd, path), { throwIfNoEntry: false })
  if (!file?.isFile()) errors.add('file', `startup error: calibration config not found: ${path}`)
}

function logOptionsWithoutEffect(given: ReadonlyMap<string, string>, input: OptionInput): void {
  if (input.device.imported) return
  const { def } = input.device
  for (const option of Object.keys(OPERATION_OPTIONS[def.operation])) {
    if (!given.has(option) || Object.hasOwn(def.options ?? {}, option)) continue
    ;(input.log ?? silentLog).info('option has no effect on this device', { option, device: def.name })
  }
}
