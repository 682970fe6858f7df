import type { DeviceOption } from '../../../api/model/equipment/drivers.ts'

/** How an option is entered. */
export type Control = 'check' | 'select' | 'number' | 'long' | 'secret' | 'text'

/** Options that every driver has; the commands of the next step set them. */
const SET_BY_COMMANDS = new Set(['data_dir'])
/** Longer examples need more than one line. */
const LONG_EXAMPLE = 30

/** The values of a form by option key; empty text means the default. */
export type OptionValues = Readonly<Record<string, string>>

/** The options that a form shows: required ones first, then in the order of the schema. */
export function formOptions(options: readonly DeviceOption[]): DeviceOption[] {
  const shown = options.filter(({ key }) => !SET_BY_COMMANDS.has(key))
  return [...shown.filter(({ required }) => required), ...shown.filter(({ required }) => !required)]
}

/** The options under their headings; an empty one for those without. */
export function groupOptions(options: readonly DeviceOption[]): [title: string, DeviceOption[]][] {
  return [...Map.groupBy(options, ({ group }) => group)]
}

/** The control of an option. */
export function controlOf({ form, secret, example }: DeviceOption): Control {
  if (secret) return 'secret'
  if (form === 'boolean') return 'check'
  if (form === 'choice') return 'select'
  if (form === 'n' || form === 'seconds') return 'number'
  const isLong = form === 'text' && (example?.length ?? 0) > LONG_EXAMPLE
  return isLong || form.includes(',') ? 'long' : 'text'
}

/** Why a value is not accepted; undefined for one that is. The driver checks more when it starts. */
export function problemOf(option: DeviceOption, value: string): string | undefined {
  const text = value.trim()
  if (text === '') return option.required && !option.secret ? 'This option is required.' : undefined
  if (/[\r\n]/.test(text)) return 'Write it on one line.'
  switch (option.form) {
    case 'n':
    case 'seconds':
      return Number.isFinite(Number(text)) ? undefined : 'Enter a number.'
    case 'url':
      return /^https?:\/\/\S+$/.test(text) ? undefined : 'Enter an http or https address.'
    case 'boolean':
      return /^(true|false)$/.test(text) ? undefined : 'Choose yes or no.'
    case 'choice':
      return option.choices.includes(text) ? undefined : `Choose one of ${option.choices.join(', ')}.`
    default:
      return undefined
  }
}

/** What a start command passes on. */
export interface DriverArguments {
  /** Values of `-o`, in the order of the form. */
  options: { key: string; value: string }[]
  /** Keys of secret options, whose values are read from files. */
  secrets: string[]
  /** Environment variables. */
  variables: { key: string; value: string }[]
}

/** The given values that differ from the defaults. A secret is `yes` when it is to be read from a file. */
export function argumentsOf(options: readonly DeviceOption[], values: OptionValues): DriverArguments {
  const given = formOptions(options).flatMap((option) => {
    const value = (values[option.key] ?? '').trim()
    return value === '' || value === option.default ? [] : [{ ...option, value }]
  })
  const pairs = (source: DeviceOption['source']) =>
    given.filter((one) => one.source === source && !one.secret).map(({ key, value }) => ({ key, value }))
  return {
    options: pairs('option'),
    secrets: given.filter(({ secret }) => secret).map(({ key }) => key),
    variables: pairs('environment'),
  }
}

/** The options of a device that this server does not know: lines of `key=value`. */
export function parseLines(text: string): { options: DriverArguments['options']; problem?: string } {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const wrong = lines.find((line) => !/^\s*[A-Za-z_]\w*\s*=/.test(line))
  const options = lines.map((line) => {
    const equals = line.indexOf('=')
    return { key: line.slice(0, equals).trim(), value: line.slice(equals + 1).trim() }
  })
  return wrong === undefined ? { options } : { options: [], problem: `Not key=value: ${wrong.trim()}` }
}
