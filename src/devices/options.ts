import { kinds, type ValueKind } from '../base/index.ts'

export { ValueError as OptionValueError } from '../base/index.ts'

/** What an option declares in addition to its kind. */
interface OptionDetails<T> {
  /** What it does, in one sentence; shown by the documentation. */
  help: string
  /** Refuse to start without it. */
  required?: boolean
  /** The value when absent. */
  default?: T
  /** A value shown when the option is missing. */
  example?: string
  /** What forms call it; its key in words by default. */
  label?: string
  /** Unit of a number; that of `seconds` is s. */
  unit?: string
}

type NumberDetails = OptionDetails<number> & kinds.Bounds

/** One `-o key=value` option: how its text becomes a value. */
export interface OptionSpec<T> {
  readonly kind: ValueKind<T>
  readonly help: string
  readonly required: boolean
  readonly default: T | undefined
  readonly example: string | undefined
  readonly label?: string | undefined
  readonly unit?: string | undefined
  /** Heading in forms; none by default. */
  readonly group?: string
}

/** Options by key. */
export type OptionSpecs = Record<string, OptionSpec<unknown>>

/** The values of declared options: those without default or `required` may be undefined. */
export type OptionsOf<Specs extends OptionSpecs> = {
  [Key in keyof Specs]: Specs[Key] extends OptionSpec<infer T> ? T : never
}

type Given<T, D> = D extends { required: true } | { default: T } ? T : T | undefined

function spec<T, D extends OptionDetails<T>>(kind: ValueKind<T>, details: D): OptionSpec<Given<T, D>> {
  return {
    kind: kind as ValueKind<Given<T, D>>,
    help: details.help,
    required: details.required ?? false,
    default: details.default as Given<T, D> | undefined,
    example: details.example,
    label: details.label,
    unit: details.unit,
  }
}

function pathOrNone(): ValueKind<string | undefined> {
  const path = kinds.path()
  return {
    ...path,
    parse: (text) => (text === 'none' ? undefined : path.parse(text)),
    format: (value) => value ?? 'none',
  }
}

/** Builders of option declarations. */
export const opt = {
  /** `1,true,yes,on` or `0,false,no,off`, in any case. */
  bool: <D extends OptionDetails<boolean>>(details: D) => spec<boolean, D>(kinds.bool(), details),
  /** A whole number up to 2^53 - 1 in size. */
  int: <D extends NumberDetails>(details: D) => spec<number, D>(kinds.integer(boundsOf(details)), details),
  /** A finite number. */
  number: <D extends NumberDetails>(details: D) => spec<number, D>(kinds.number(boundsOf(details)), details),
  /** A number of seconds, without unit; not negative unless `min` says so. */
  seconds: <D extends NumberDetails>(details: D) =>
    spec<number, D>(kinds.seconds(boundsOf(details)), details),
  /** Any text that is not empty. */
  string: <D extends OptionDetails<string>>(details: D) => spec<string, D>(kinds.nonEmptyText(), details),
  /** Text that no message repeats; `@file` reads it from a file. */
  secret: <D extends OptionDetails<string>>(details: D) =>
    spec<string, D>(kinds.secret(kinds.nonEmptyText()), details),
  /** One of the given words. */
  enum: <const T extends string, D extends OptionDetails<NoInfer<T>>>(values: readonly T[], details: D) =>
    spec<T, D>(kinds.choice(values), details),
  /** An http or https address. */
  url: <D extends OptionDetails<string>>(details: D) => spec<string, D>(kinds.httpUrl(), details),
  /** A file or folder in a safe location; the value is its absolute path. */
  path: <D extends OptionDetails<string>>(details: D) => spec<string, D>(kinds.path(), details),
  /** The same, or `none`, which stands for no file. */
  pathOrNone: <D extends OptionDetails<string>>(details: D) =>
    spec<string | undefined, D>(pathOrNone(), details),
  /** Whatever `parse` reads; it throws an `OptionValueError` for anything else. Values must survive JSON. */
  custom: <T, D extends OptionDetails<NoInfer<T>>>(parse: (text: string) => T, details: D) =>
    spec<T, D>({ hint: 'text', parse, format: String }, details),
  /** Comma-separated texts. */
  list: <D extends OptionDetails<string[]>>(details: D) =>
    spec<string[], D>(kinds.nonEmptyList(kinds.text()), details),
  /** Puts options under a heading of their own in forms. */
  group: <Specs extends OptionSpecs>(title: string, specs: Specs): Specs =>
    Object.fromEntries(Object.entries(specs).map(([key, each]) => [key, { ...each, group: title }])) as Specs,
}

function boundsOf({ min, max }: kinds.Bounds): kinds.Bounds {
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
}
