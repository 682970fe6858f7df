import type { Operation } from '../protocol/index.ts'
import { BUILT_IN_DEVICES } from './built-in.ts'
import type { DeviceDef } from './define-device.ts'
import { DRIVER_OPTIONS, OPERATION_OPTIONS } from './operation-options.ts'
import type { OptionSpec, OptionSpecs } from './options.ts'

/** An option as a form or a listing shows it; all values are the text that `-o key=value` accepts. */
export interface OptionSchema {
  /** The key of `-o`, or the name of an environment variable. */
  key: string
  source: 'option' | 'environment'
  /** `boolean`, `choice`, or the placeholder of its kind: `n`, `seconds`, `path`, `url`, `text`, `text,…`. */
  form: string
  /** The accepted words of a `choice`, else empty. */
  choices: readonly string[]
  required: boolean
  /** Null = none. Secrets have none. */
  default: string | null
  /** Null = none. */
  example: string | null
  help: string
  /** Appears in no log and no listing. */
  secret: boolean
}

/** A device and the options that it and its driver read. */
export interface DeviceSchema {
  operation: Operation
  name: string
  options: OptionSchema[]
}

/** The built-in devices of this version with their options, by operation and name; then `installed`. */
export async function describeDevices(
  installed: readonly Omit<DeviceDef, 'create'>[] = [],
): Promise<DeviceSchema[]> {
  const builtIn = await Promise.all(
    Object.values(BUILT_IN_DEVICES).flatMap((devices): Promise<DeviceDef>[] =>
      Object.values(devices).map((load) => load()),
    ),
  )
  return [...builtIn, ...installed].map(({ operation, name, options = {}, environment = {} }) => ({
    operation,
    name,
    options: [
      ...describeAll(options, 'option'),
      ...describeAll(DRIVER_OPTIONS[operation], 'option'),
      ...describeAll(without(OPERATION_OPTIONS[operation], options), 'option'),
      ...describeAll(environment, 'environment'),
    ],
  }))
}

/** A device may declare an option of its operation itself, with another help text. */
function without(specs: OptionSpecs, declared: OptionSpecs): OptionSpecs {
  return Object.fromEntries(Object.entries(specs).filter(([key]) => !(key in declared)))
}

function describeAll(specs: OptionSpecs, source: OptionSchema['source']): OptionSchema[] {
  return Object.entries(specs).map(([key, spec]) => ({ key, source, ...describe(spec) }))
}

function describe({ kind, help, required, default: initial, example }: OptionSpec<unknown>) {
  const { hint, choices = [], isSecret = false } = kind
  return {
    form: choices.length > 0 ? 'choice' : hint === '' ? 'boolean' : hint,
    choices,
    required,
    default: initial === undefined || isSecret ? null : kind.format(initial),
    example: example ?? null,
    help,
    secret: isSecret,
  }
}
