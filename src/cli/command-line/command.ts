import { type CommandDef, defineCommand as defineCittyCommand } from 'citty'
import {
  describeProblem,
  type GivenFlags,
  kinds,
  readSettings,
  type SettingsTable,
  switchFlag,
  type ValuesOf,
} from '../../base/index.ts'
import { type Positional, parseFlags } from './parse-flags.ts'
import { UsageError } from './usage-error.ts'

/**
 * A command of the program, or a group of commands: the definition that citty runs, with the declarations
 * from which `--help` and the errors follow. citty ignores unknown flags and keeps the last of several, so
 * `run` parses the words of its call by these declarations.
 */
export interface Command extends CommandDef {
  meta: {
    /** One line without full stop. */
    description: string
    /** Not listed in `--help`. */
    hidden: boolean
  }
  /** Commands below this one, loaded when they are needed. */
  subCommands: Record<string, (() => Command) | (() => Promise<Command>)>
  positionals: readonly Positional[]
  /** All flags: those of the command, the settings it passes on, and `--json` where it prints data. */
  flags: SettingsTable
}

/** Arguments of a call. */
interface Call<Flags extends SettingsTable> {
  flags: ValuesOf<Flags>
  /** All flags as they were given, for settings that the command passes on. */
  given: GivenFlags
  positionals: readonly string[]
}

interface CommandDeclaration<Flags extends SettingsTable, Data> {
  summary: string
  positionals?: readonly Positional[]
  /** Flags of the command, read before it runs. */
  flags?: Flags
  /** Settings that the command itself reads from `given`. */
  settings?: SettingsTable
  commands?: Command['subCommands']
  isHidden?: boolean
  run(call: Call<Flags>): Data | Promise<Data>
  /** The document that `--json` prints; by default what `run` returned. */
  document?(data: Data): unknown
  /** Prints what `run` returned, for people; with it the command also has `--json`. */
  print?(data: Data, call: Call<Flags>): void
}

/** The flag of every command that prints data. */
export const JSON_FLAG = { json: switchFlag(kinds.bool(), 'Print one JSON document') }

/** Declares a command; flags, `--json`, `--help` and errors follow from the declaration. */
export function defineCommand<Flags extends SettingsTable = Record<never, never>, Data = void>(
  declaration: CommandDeclaration<Flags, Data>,
): Command {
  const {
    summary,
    positionals = [],
    settings = {},
    commands = {},
    isHidden = false,
    document,
    print,
  } = declaration
  const own = { ...declaration.flags, ...(print && JSON_FLAG) }
  const flags: SettingsTable = { ...own, ...settings }

  async function run(words: readonly string[]): Promise<void> {
    const { given, positionals: values } = parseFlags(words, { positionals, flags })
    const { values: read, problems } = readSettings(own, { flags: given, env: process.env })
    const [problem] = problems
    if (problem) throw new UsageError(describeProblem(problem))
    const call = { flags: read as ValuesOf<Flags>, given, positionals: values }
    const data = await declaration.run(call)
    if (!print) return
    if (read['json'] === true) {
      console.log(JSON.stringify(document ? document(data) : data, undefined, 2))
    } else print(data, call)
  }

  const meta = { description: summary, hidden: isHidden }
  const definition = defineCittyCommand({ meta, run: ({ rawArgs }) => run(rawArgs) })
  return { ...definition, meta, subCommands: commands, positionals, flags }
}

/** Declares a group of commands. */
export function defineGroup(description: string, commands: Command['subCommands']): Command {
  return { meta: { description, hidden: false }, subCommands: commands, positionals: [], flags: {} }
}
