import { type BadValue, readValue } from './read-value.ts'
import { flagOf, type Setting, type SettingsTable, type ValuesOf, variableOf } from './setting.ts'

/** Where a value comes from; precedence in this order. */
export type SettingSource = 'flag' | 'environment' | 'file' | 'default'

/** Flags as they were given, by setting name: text, texts of a repeatable flag, `true` for a bare switch. */
export type GivenFlags = Readonly<Record<string, string | readonly string[] | boolean | undefined>>

export interface SettingsInput {
  flags: GivenFlags
  env: Readonly<Record<string, string | undefined>>
  /** Values of a config file by setting name, each with the place that errors name. */
  file?: ReadonlyMap<string, { value: unknown; place: string }> | undefined
}

/** A setting that is missing or has a bad value. */
export interface SettingProblem extends BadValue {
  name: string
  /** Flag, variable, or line and key of the config file. */
  place: string
  isMissing: boolean
}

export interface SettingsReading<Table extends SettingsTable> {
  /** Complete only when there are no problems. */
  values: ValuesOf<Table>
  sources: Record<keyof Table, SettingSource>
  /** Where each value was given; the flag for defaults. */
  places: Record<keyof Table, string>
  /** In the order of the table. */
  problems: SettingProblem[]
}

/**
 * Reads every setting of a table: from its flag, else its variable, else the config file, else its default.
 * An empty variable counts as unset, because service files and containers declare variables without a value.
 */
export function readSettings<Table extends SettingsTable>(
  table: Table,
  input: SettingsInput,
): SettingsReading<Table> {
  const values: Record<string, unknown> = {}
  const sources: Record<string, SettingSource> = {}
  const places: Record<string, string> = {}
  const problems: SettingProblem[] = []
  for (const [name, declared] of Object.entries(table)) {
    const { source, place, value } = find(name, declared, input)
    sources[name] = source
    places[name] = place
    // An empty text does not satisfy a required setting.
    if (value === undefined || (declared.isRequired && value === '')) {
      values[name] = declared.default
      if (declared.isRequired) {
        problems.push({ name, place, isMissing: true, shownValue: '', reason: declared.help })
      }
      continue
    }
    const read = readValue(declared.kind, value, () => declared.parse(textsOf(value, declared)))
    if (read.bad) problems.push({ name, place, isMissing: false, ...read.bad })
    else values[name] = read.value
  }
  return {
    values: Object.freeze(values) as ValuesOf<Table>,
    sources: sources as Record<keyof Table, SettingSource>,
    places: places as Record<keyof Table, string>,
    problems,
  }
}

function find(name: string, declared: Setting<unknown>, { flags, env, file }: SettingsInput) {
  const variable = variableOf(name, declared)
  const places = [
    { source: 'flag', place: flagOf(name), value: flags[name] },
    {
      source: 'environment',
      place: variable,
      value: variable === '' ? undefined : env[variable] || undefined,
    },
    { source: 'file', place: file?.get(name)?.place ?? '', value: file?.get(name)?.value },
  ] as const
  return (
    places.find(({ value }) => value !== undefined) ??
    ({ source: 'default', place: flagOf(name), value: undefined } as const)
  )
}

function textsOf(value: unknown, { isRepeatable }: Setting<unknown>): string[] {
  const texts = isRepeatable && Array.isArray(value) ? value : [value]
  return texts.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
}

/** The problem in one line: `--server-port: bad value "eighty"; expected a whole number from 0 to 65535`. */
export function describeProblem({ place, isMissing, shownValue, reason }: SettingProblem): string {
  if (isMissing) return `missing ${place}`
  return `${place}: bad value${shownValue === '' ? '' : ` ${shownValue}`}; ${reason}`
}
