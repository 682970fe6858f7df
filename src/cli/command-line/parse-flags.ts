import { parseArgs } from 'node:util'
import { flagOf, type GivenFlags, messageOf, nearest, type SettingsTable } from '../../base/index.ts'
import { UsageError } from './usage-error.ts'

type ParseOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>

/** An argument without flag. */
export interface Positional {
  /** In capitals, such as `FILE`. */
  name: string
  help: string
  isOptional?: boolean
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
  if (extra !== undefined) throw new UsageError(`unexpected argument ${extra}`)
  const missing = positionals[parsed.positionals.length]
  if (missing && !missing.isOptional) throw new UsageError(`missing ${missing.name}`)
  const given = Object.keys(flags).map((name) => [name, parsed.values[flagOf(name).slice(2)]])
  return { given: Object.fromEntries(given), positionals: parsed.positionals }
}

function parseWords(words: readonly string[], flags: SettingsTable, allowPositionals: boolean) {
  try {
    return parseArgs({ args: [...words], options: parseOptions(flags), allowPositionals, strict: true })
  } catch (error) {
    const [, unknown] = /^Unknown option '(--?[^']+)'/.exec(messageOf(error)) ?? []
    if (unknown === undefined) throw new UsageError(messageOf(error).split('. ')[0])
    const suggestion = nearest(unknown, Object.keys(flags).map(flagOf))
    throw new UsageError(
      `unknown option ${unknown}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`,
    )
  }
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
