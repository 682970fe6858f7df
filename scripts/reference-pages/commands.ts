import { flagOf, type Setting, type SettingsTable } from '../../src/base/index.ts'
import { CONNECTION_FLAGS } from '../../src/cli/client/connection.ts'
import { type Command, JSON_FLAG } from '../../src/cli/command-line/command.ts'
import { DATABASE_SETTINGS } from '../../src/cli/command-line/database.ts'
import { renderHelp } from '../../src/cli/command-line/help.ts'
import { svc } from '../../src/cli/commands.ts'
import { settingRow } from './settings.ts'

const HELP_COLUMNS = 100

/** Commands whose flags are settings, which have their own page. */
const SETTINGS_OF: ReadonlySet<string> = new Set(['svc serve', 'svc driver start'])

/** The page of all commands with their help. */
export async function commandsPage(): Promise<string> {
  const sections = await commandSections('svc', svc)
  return `# Commands

Every command has \`--help\`. \`svc-driver\`, a symbolic link to \`svc\`, stands for \`svc driver\`. Exit status: 0 = success, 1 = failure,
2 = wrong call, 3 = a database that cannot be used, 70 = a failing disk or an error in the program, 130 = Ctrl+C. Commands for users also have 4 = the job failed,
5 = the job was cancelled, 69 = no server responds (of a driver: the device or the server cannot be used now), 77 = another server than the fingerprint names, 124 = \`--timeout\` is over.

## Shared options

A command that has them too names them below its help.

| Flag | Variable | Default | Meaning |
|---|---|---|---|
${Object.entries(SHARED_OPTIONS)
  .map(([name, declared]) => settingRow(name, declared))
  .join('\n')}

${sections.join('\n')}`
}

/** Options that several commands have, which the page describes once. */
const SHARED_OPTIONS: SettingsTable = { ...JSON_FLAG, ...CONNECTION_FLAGS, ...DATABASE_SETTINGS }

const isShared = (name: string, { help }: Setting<unknown>) => SHARED_OPTIONS[name]?.help === help

/** The help of a command without the options of `SHARED_OPTIONS`, which a line below it names. */
async function helpOf(path: string, command: Command): Promise<string> {
  const [shared, own] = [true, false].map((wanted) =>
    Object.entries(command.flags).filter(([name, declared]) => isShared(name, declared) === wanted),
  ) as [[string, Setting<unknown>][], [string, Setting<unknown>][]]
  const text = await renderHelp(path, { ...command, flags: Object.fromEntries(own) }, HELP_COLUMNS)
  const help = own.length === 0 && shared.length > 0 ? text.replace(/^Usage: .*$/m, '$& [options]') : text
  const names = shared.map(([name]) => `\`${flagOf(name)}\``).join(', ')
  return `\`\`\`\n${help}\n\`\`\`\n${names && `\nShared: ${names}.\n`}`
}

/** The help of a command and of those below it. */
async function commandSections(path: string, command: Command): Promise<string[]> {
  if (command.meta.hidden) return []
  const help = SETTINGS_OF.has(path)
    ? `${command.meta.description}. Its flags are [settings](settings.md).\n`
    : await helpOf(path, command)
  const below = Object.entries(command.subCommands).map(async ([name, load]) =>
    commandSections(`${path} ${name}`, await load()),
  )
  return [`## ${path}\n\n${help}`, ...(await Promise.all(below)).flat()]
}
