import type { Operation } from '../protocol/index.ts'
import { BUILT_IN_DEVICES } from './built-in.ts'
import type { DeviceDef } from './define-device.ts'
import { DRIVER_OPTIONS } from './operation-options.ts'
import type { OptionSpec, OptionSpecs } from './options.ts'

/** An option as a form or a listing shows it; all values are the text that `-o key=value` accepts. */
export interface OptionSchema {
  /** The key of `-o`, or the name of an environment variable. */
  key: string
  source: 'option' | 'environment'
  /** What a form calls it. */
  label: string
  /** The heading under which a form shows it; empty = none. */
  group: string
  /** Null = none. */
  unit: string | null
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

/**
 * The built-in devices of this version with their options, by operation and name; then `installed`. Options
 * that a device accepts without effect are left out.
 */
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
      ...describeAll(environment, 'environment'),
    ],
  }))
}

function describeAll(specs: OptionSpecs, source: OptionSchema['source']): OptionSchema[] {
  return Object.entries(specs).map(([key, spec]) => ({
    key,
    source,
    label: spec.label ?? inWords(key),
    ...describe(spec),
  }))
}

/** A key as a label: `poll_interval` becomes `Poll interval`. */
function inWords(key: string): string {
  const words = key.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function describe({
  kind,
  help,
  required,
  default: initial,
  example,
  unit,
  group = '',
}: OptionSpec<unknown>) {
  const { hint, choices = [], isSecret = false } = kind
  return {
    form: choices.length > 0 ? 'choice' : hint === '' ? 'boolean' : hint,
    choices,
    group,
    unit: unit ?? (hint === 'seconds' ? 's' : null),
    required,
    default: initial === undefined || isSecret ? null : kind.format(initial),
    example: example ?? null,
    help,
    secret: isSecret,
  }
}
