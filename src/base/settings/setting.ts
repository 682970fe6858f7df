import type { ValueKind } from './value-kind.ts'

/** One configurable value: its flag, environment variable, default, help text and line in the reference. */
export interface Setting<T> {
  readonly kind: ValueKind<unknown>
  /** The value when nothing is given; undefined when there is none. */
  readonly default: T | undefined
  /** What it does, in one line without full stop. */
  readonly help: string
  /** Heading in `--help` and in the reference. */
  readonly group: string
  /** Letter of the short flag. */
  readonly short: string | undefined
  /** Environment variable; empty when there is none, undefined when it follows from the name. */
  readonly variable: string | undefined
  readonly isRequired: boolean
  /** The flag may be given more than once; otherwise the last one counts. */
  readonly isRepeatable: boolean
  /** Reads the texts that were given, at least one. @throws ValueError */
  parse(texts: readonly string[]): T
  /** The text of the default; empty when there is none. */
  readonly defaultText: string
}

/** Settings by name. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>

/** The values of a table of settings. */
export type ValuesOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never
}

interface SettingDetails {
  short?: string
  variable?: string
}

/** Declares a setting; its flag, variable and config key follow from its name. */
export function setting<T>(
  kind: ValueKind<T>,
  defaultText: string,
  help: string,
  details: SettingDetails = {},
): Setting<T> {
  return declareSetting(kind, { help, ...details, defaultText })
}

/** A setting without default that must be given. */
export function requiredSetting<T>(
  kind: ValueKind<T>,
  help: string,
  details: SettingDetails = {},
): Setting<T> {
  return declareSetting(kind, { help, ...details, isRequired: true })
}

/** A flag of one command, without environment variable; undefined when absent unless it has a default. */
export function flag<T>(
  kind: ValueKind<T>,
  help: string,
  details: { short?: string; default: string },
): Setting<T>
export function flag<T>(
  kind: ValueKind<T>,
  help: string,
  details?: { short?: string },
): Setting<T | undefined>
export function flag<T>(
  kind: ValueKind<T>,
  help: string,
  details: { short?: string; default?: string } = {},
): Setting<T | undefined> {
  const { short, default: defaultText } = details
  return declareSetting(kind, {
    help,
    variable: '',
    ...(short !== undefined && { short }),
    ...(defaultText !== undefined && { defaultText }),
  })
}

/** A flag of one command that must be given. */
export function requiredFlag<T>(kind: ValueKind<T>, help: string): Setting<T> {
  return declareSetting(kind, { help, variable: '', isRequired: true })
}

/** A switch of one command. */
export function switchFlag(kind: ValueKind<boolean>, help: string): Setting<boolean> {
  return flag(kind, help, { default: 'false' })
}

/** A flag of one command that may be given more than once. */
export function repeatableFlag<T>(
  kind: ValueKind<T>,
  help: string,
  details: { short?: string } = {},
): Setting<readonly T[]> {
  const single = declareSetting(kind, { help, variable: '', ...details })
  return {
    ...single,
    default: [],
    isRepeatable: true,
    parse: (texts) => texts.map((text) => kind.parse(text)),
  }
}

/** Places settings under a heading of `--help` and of the reference. */
export function group<const Table extends SettingsTable>(title: string, table: Table): Table {
  const entries = Object.entries(table).map(([name, declared]) => [name, { ...declared, group: title }])
  return Object.fromEntries(entries) as Table
}

interface Declaration extends SettingDetails {
  help: string
  defaultText?: string
  isRequired?: boolean
}

function declareSetting<T>(kind: ValueKind<T>, declaration: Declaration): Setting<T> {
  const { help, short, variable, defaultText, isRequired = false } = declaration
  const standard = defaultText === undefined ? undefined : kind.parse(defaultText)
  return {
    kind,
    default: standard,
    help,
    group: 'Options',
    short,
    variable,
    isRequired,
    isRepeatable: false,
    parse: (texts) => kind.parse(texts.at(-1) ?? ''),
    defaultText: standard === undefined ? '' : kind.format(standard),
  }
}

/** Command-line flag of a setting: `idleThreshold` → `--idle-threshold`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`
}

/** Environment variable of a setting: `idleThreshold` → `SVC_IDLE_THRESHOLD`; empty when it has none. */
export function variableOf(name: string, declared?: Setting<unknown>): string {
  return declared?.variable ?? `SVC_${flagOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`
}
