import { parseArgs } from 'node:util'
import type { ArgsDef } from 'citty'
import { AppError, messageOf } from '../../base/index.ts'

/** A wrong call of the program: one line on standard error, exit status 2. */
export class UsageError extends Error {}

/** Flag values by name: text, `true` for a switch, a list for `-o`. */
export type Flags = { [name: string]: string | boolean | string[] | undefined }

/** Flags that may be given more than once. */
const REPEATABLE = new Set(['option'])

type ParseOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>

function parseOptions(declared: ArgsDef): ParseOptions {
  const options: ParseOptions = {}
  for (const [name, argument] of Object.entries(declared)) {
    if (argument.type === 'positional') continue
    const short = 'alias' in argument ? [argument.alias ?? []].flat()[0] : undefined
    const type = argument.type === 'boolean' ? 'boolean' : 'string'
    options[name] = { type, multiple: REPEATABLE.has(name), ...(short ? { short } : {}) }
  }
  return options
}

/**
 * Reads `rawArgs` strictly by the command's declared arguments: citty itself ignores unknown flags, and a
 * mistyped flag that is silently ignored costs its user hours.
 * @throws UsageError naming the flag.
 */
export function readFlags(command: string, rawArgs: string[], declared: ArgsDef): Flags & { _: string[] } {
  const options = parseOptions(declared)
  const positionals = Object.keys(declared).length - Object.keys(options).length
  try {
    const parsed = parseArgs({ args: rawArgs, options, allowPositionals: positionals > 0, strict: true })
    const extra = parsed.positionals[positionals]
    if (extra !== undefined) throw new UsageError(`unexpected argument ${extra}`)
    return { ...(parsed.values as Flags), _: parsed.positionals }
  } catch (error) {
    const reason = messageOf(error).split('. ')[0] ?? ''
    throw new UsageError(`${command}: ${reason}; see ${command} --help`)
  }
}

/** The positional argument at `index`, or a usage error naming it. */
export function positional(command: string, flags: { _: string[] }, index: number, name: string): string {
  const value = flags._[index]
  if (value === undefined) throw new UsageError(`${command}: missing ${name}; see ${command} --help`)
  return value
}

const STATUS_BY_REASON: Record<string, number> = {
  bad_config: 2,
  database_damaged: 3,
  database_newer: 3,
  storage_io: 70,
  storage_unflushed: 70,
}

/**
 * Exit status of an error: 2 for wrong calls and settings, 3 for a database that cannot be used, 70 for a disk
 * that fails, otherwise 1.
 */
export function exitStatus(error: unknown): number {
  if (error instanceof UsageError) return 2
  if (!(error instanceof AppError)) return 1
  return STATUS_BY_REASON[error.reason ?? ''] ?? 1
}
