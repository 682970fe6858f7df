import {
  describeProblem,
  type GivenFlags,
  kinds,
  readSettings,
  type SettingsTable,
  switchFlag,
  type ValuesOf,
} from '../../base/index.ts'
import { UsageError } from './usage-error.ts'

/** An argument without flag. */
export interface Positional {
  /** In capitals, such as `FILE`. */
  name: string
  help: string
  isOptional?: boolean
}

/** A command of the program, or a group of commands. */
export interface Command {
  /** One line without full stop. */
  summary: string
  positionals: readonly Positional[]
  /** All flags: those of the command, the settings it passes on, and `--json` where it prints data. */
  flags: SettingsTable
  /** Commands below this one, loaded when they are needed. */
  commands: Readonly<Record<string, () => Command | Promise<Command>>>
  /** Not listed in `--help`. */
  isHidden: boolean
  /** Undefined for a group that does nothing by itself. */
  execute: ((given: GivenFlags, positionals: readonly string[]) => Promise<void>) | undefined
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
  /** Settings that the command reads by itself from `given`. */
  settings?: SettingsTable
  commands?: Command['commands']
  isHidden?: boolean
  run(call: Call<Flags>): Data | Promise<Data>
  /** The document that `--json` prints; by default what `run` returned. */
  document?(data: Data): unknown
  /** Prints what `run` returned, for people; with it the command also has `--json`. */
  print?(data: Data, call: Call<Flags>): void
}

const JSON_FLAG = { json: switchFlag(kinds.bool(), 'Print one JSON document') }

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

  async function execute(given: GivenFlags, words: readonly string[]): Promise<void> {
    const { values, problems } = readSettings(own, { flags: given, env: process.env })
    const [problem] = problems
    if (problem) throw new UsageError(describeProblem(problem))
    const call = { flags: values as ValuesOf<Flags>, given, positionals: words }
    const data = await declaration.run(call)
    if (!print) return
    if (given['json'] === true) {
      console.log(JSON.stringify(document ? document(data) : data, undefined, 2))
    } else print(data, call)
  }

  return { summary, positionals, flags: { ...own, ...settings }, commands, isHidden, execute }
}

/** Declares a group of commands. */
export function defineGroup(summary: string, commands: Command['commands']): Command {
  return { summary, positionals: [], flags: {}, commands, isHidden: false, execute: undefined }
}
