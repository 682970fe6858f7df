import { parseArgs } from 'node:util'
import {
  flagOf,
  type GivenFlags,
  messageOf,
  nearest,
  readValue,
  type SettingsTable,
} from '../../base/index.ts'
import { UsageError } from './usage-error.ts'

type ParseOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>

/** An argument without flag. */
export interface Positional {
  /** In capitals, such as `FILE`. */
  name: string
  help: string
  isOptional?: boolean
  /** The last argument may be given more than once. */
  isRepeatable?: boolean
}

/** What a command accepts. */
interface Accepted {
  positionals: readonly Positional[]
  flags: SettingsTable
}

/**
 * Splits the words of a command line into flags, by setting name, and positional arguments.
 * @throws UsageError that names what is unknown, missing or superfluous.
 */
export function parseFlags(
  words: readonly string[],
  { positionals, flags }: Accepted,
): { given: GivenFlags; positionals: string[] } {
  const parsed = parseWords(words, flags, positionals.length > 0)
  const extra = parsed.positionals[positionals.length]
  if (extra !== undefined && !positionals.at(-1)?.isRepeatable)
    throw new UsageError(`unexpected argument ${extra}`)
  const missing = positionals[parsed.positionals.length]
  if (missing && !missing.isOptional) throw new UsageError(`missing ${missing.name}`)
  const given = Object.keys(flags).map((name) => [name, parsed.values[flagOf(name).slice(2)]])
  return { given: Object.fromEntries(given), positionals: parsed.positionals }
}

function parseWords(words: readonly string[], flags: SettingsTable, allowPositionals: boolean) {
  try {
    const args = assignSwitches(words, flags)
    const options = parseOptions(flags)
    return parseArgs({ args, options, allowPositionals, allowNegative: true, strict: true })
  } catch (error) {
    throw error instanceof UsageError ? error : refusalOf(messageOf(error), flags)
  }
}

/** The error of `parseArgs`, whose messages are for people who program with it. */
function refusalOf(message: string, flags: SettingsTable): UsageError {
  const [, unvalued] = /^Option '(?:-\w, )?(--[^ ']+).*(?:argument missing|is ambiguous)/.exec(message) ?? []
  if (unvalued !== undefined) return new UsageError(`${unvalued} needs a value${hintOf(unvalued, flags)}`)
  const [, extra] = /^Unexpected argument '(.*)'\. This/s.exec(message) ?? []
  if (extra !== undefined) return new UsageError(`unexpected argument ${extra}`)
  const [, unknown] = /^Unknown option '(--?[^']+)'/.exec(message) ?? []
  if (unknown === undefined) return new UsageError(message.split('. ')[0])
  const negations = negationsOf(flags)
  if (negations.includes(unknown)) return new UsageError(`${unknown} takes no value`)
  const suggestion = nearest(unknown, [...Object.keys(flags).map(flagOf), ...negations])
  const meant = suggestion === undefined ? endingLike(unknown, flags) : [suggestion]
  return new UsageError(
    `unknown option ${unknown}${meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`}`,
  )
}

/** The form of the value of a flag, such as ` <path>`. */
function hintOf(flag: string, flags: SettingsTable): string {
  const [, declared] = Object.entries(flags).find(([name]) => flagOf(name) === flag) ?? []
  return declared ? ` <${declared.kind.hint}>` : ''
}

/** Flags whose last words were typed: `--server-port` for `--port`. */
function endingLike(unknown: string, flags: SettingsTable): string[] {
  const ending = unknown.replace(/^-*/, '-')
  return Object.keys(flags)
    .map(flagOf)
    .filter((flag) => ending.length > 2 && flag.endsWith(ending))
    .slice(0, 3)
}

/** Writes `--force=false` and `--force false`, which `parseArgs` refuses, as `--no-force`. */
function assignSwitches(words: readonly string[], flags: SettingsTable): string[] {
  const switches = new Map(switchesOf(flags).map(([name, declared]) => [flagOf(name), declared]))
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const isValue = (at: number) =>
    at < end && switches.has(words[at - 1] ?? '') && /^(true|false)$/.test(words[at] ?? '')
  return words.flatMap((word, at) => {
    if (isValue(at)) return []
    const assigned = isValue(at + 1) ? `${word}=${words[at + 1]}` : word
    const [, flag = '', value = ''] = /^([^=]+)=(.*)$/s.exec(assigned) ?? []
    const declared = switches.get(flag)
    if (!declared || at >= end) return word
    const read = readValue(declared.kind, value, () => declared.parse([value]))
    if (read.bad) throw new UsageError(`${flag}: bad value ${read.bad.shownValue}; ${read.bad.reason}`)
    return read.value === true ? flag : negationOf(flag)
  })
}

function switchesOf(flags: SettingsTable) {
  return Object.entries(flags).filter(([, { kind }]) => kind.hint === '')
}

function negationsOf(flags: SettingsTable): string[] {
  return switchesOf(flags).map(([name]) => negationOf(flagOf(name)))
}

function negationOf(flag: string): string {
  return `--no-${flag.slice(2)}`
}

function parseOptions(flags: SettingsTable): ParseOptions {
  const options: ParseOptions = {}
  for (const [name, { kind, isRepeatable, short }] of Object.entries(flags)) {
    options[flagOf(name).slice(2)] = {
      type: kind.hint === '' ? 'boolean' : 'string',
      multiple: isRepeatable,
      ...(short !== undefined && { short }),
    }
  }
  return options
}
