/** What can be said about an option beside its type. */
interface OptionDetails<T> {
  /** What it does, in one sentence; shown by the documentation. */
  help: string
  /** Refuse to start without it. */
  required?: boolean
  /** The value when absent. */
  default?: T
  /** A value shown when the option is missing. */
  example?: string
}

interface NumberDetails extends OptionDetails<number> {
  min?: number
  max?: number
}

type Kind =
  | 'custom'
  | 'bool'
  | 'int'
  | 'number'
  | 'seconds'
  | 'string'
  | 'secret'
  | 'enum'
  | 'url'
  | 'path'
  | 'list'

/** One `-o key=value` option: how its text becomes a value. */
export interface OptionSpec<T> {
  readonly kind: Kind
  readonly help: string
  readonly required: boolean
  readonly default: T | undefined
  readonly example: string | undefined
  /** Converts trimmed text; throws an `OptionValueError` whose message says what is wrong with it. */
  parse(text: string): T
}

/** Options by key. */
export type OptionSpecs = Record<string, OptionSpec<unknown>>

/** The values of declared options: those without default or `required` may be undefined. */
export type OptionsOf<Specs extends OptionSpecs> = {
  [Key in keyof Specs]: Specs[Key] extends OptionSpec<infer T> ? T : never
}

/** Why a text is not a value of an option. */
export class OptionValueError extends Error {}

type Given<T, D> = D extends { required: true } | { default: T } ? T : T | undefined

function spec<T, D extends OptionDetails<T>>(
  kind: Kind,
  details: D,
  parse: (text: string) => T,
): OptionSpec<Given<T, D>> {
  return {
    kind,
    help: details.help,
    required: details.required ?? false,
    default: details.default as Given<T, D> | undefined,
    example: details.example,
    parse: parse as (text: string) => Given<T, D>,
  }
}

const TRUE = ['1', 'true', 'yes', 'on']
const FALSE = ['0', 'false', 'no', 'off']

function readBool(text: string): boolean {
  const lower = text.toLowerCase()
  if (TRUE.includes(lower)) return true
  if (FALSE.includes(lower)) return false
  throw new OptionValueError(`"${text}" is not a boolean; use true or false`)
}

function range({ min, max }: NumberDetails, unit: string): string {
  if (min !== undefined && max !== undefined) return `from ${min} to ${max}${unit}`
  if (min !== undefined) return `of at least ${min}${unit}`
  return max === undefined ? '' : `of at most ${max}${unit}`
}

function readNumber(text: string, details: NumberDetails, what: string, unit = ''): number {
  // Number() alone would take '', '0x10' and '1e999'.
  const value = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  const whole = what === 'an integer'
  if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value))) {
    throw new OptionValueError(`"${text}" is not ${what}`)
  }
  if (value < (details.min ?? -Infinity) || value > (details.max ?? Infinity)) {
    throw new OptionValueError(`${text} is out of range; use ${what} ${range(details, unit)}`)
  }
  return value
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text
  throw new OptionValueError('not an http or https address')
}

function readText(text: string): string {
  if (text === '') throw new OptionValueError('the value is empty')
  return text
}

function readList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.includes('')) throw new OptionValueError('an item is empty; separate items by single commas')
  return items
}

/** Builders of option declarations. */
export const opt = {
  /** `1,true,yes,on` or `0,false,no,off`, in any case. */
  bool: <D extends OptionDetails<boolean>>(details: D) => spec<boolean, D>('bool', details, readBool),
  /** A whole number up to 2^53 - 1 in size. */
  int: <D extends NumberDetails>(details: D) =>
    spec<number, D>('int', details, (text) => readNumber(text, details, 'an integer')),
  /** A finite number. */
  number: <D extends NumberDetails>(details: D) =>
    spec<number, D>('number', details, (text) => readNumber(text, details, 'a number')),
  /** A number of seconds, without unit; not negative unless `min` says so. */
  seconds: <D extends NumberDetails>(details: D) =>
    spec<number, D>('seconds', details, (text) =>
      readNumber(text, { ...details, min: details.min ?? 0 }, 'a number of seconds', ' s'),
    ),
  /** Any text that is not empty. */
  string: <D extends OptionDetails<string>>(details: D) => spec<string, D>('string', details, readText),
  /** Text that no message repeats. */
  secret: <D extends OptionDetails<string>>(details: D) => spec<string, D>('secret', details, readText),
  /** One of the given words. */
  enum: <const T extends string, D extends OptionDetails<NoInfer<T>>>(values: readonly T[], details: D) =>
    spec<T, D>('enum', details, (text) => {
      const value = values.find((each) => each === text)
      if (value === undefined) throw new OptionValueError(`"${text}" is not one of ${values.join(', ')}`)
      return value
    }),
  /** An http or https address. */
  url: <D extends OptionDetails<string>>(details: D) => spec<string, D>('url', details, readUrl),
  /** A file or folder in a safe location; the value is its absolute path. */
  path: <D extends OptionDetails<string>>(details: D) => spec<string, D>('path', details, readText),
  /** The same, or `none`, which stands for no file. */
  pathOrNone: <D extends OptionDetails<string>>(details: D) =>
    spec<string | undefined, D>('path', details, (text) => (text === 'none' ? undefined : readText(text))),
  /** Whatever `parse` reads; it throws an `OptionValueError` for anything else. Values must survive JSON. */
  custom: <T, D extends OptionDetails<NoInfer<T>>>(parse: (text: string) => T, details: D) =>
    spec<T, D>('custom', details, parse),
  /** Comma-separated texts. */
  list: <D extends OptionDetails<string[]>>(details: D) => spec<string[], D>('list', details, readList),
}
