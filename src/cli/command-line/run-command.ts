import { runCommand as runCittyCommand } from 'citty'
import { nearest } from '../../base/index.ts'
import type { Command } from './command.ts'
import { findCommand, isGroup } from './find-command.ts'
import { renderHelp } from './help.ts'
import { UsageError } from './usage-error.ts'

/**
 * Runs the command that `words` name, or prints its help. @throws UsageError that starts with the command's
 * name.
 */
export async function runCommand(root: Command, name: string, words: readonly string[]): Promise<void> {
  const { path, command, rest } = await findCommand(root, name, words)
  if (isHelpWanted(rest) || words.length === 0) {
    console.log(await renderHelp(path, command, process.stdout.columns))
    return
  }
  if (isGroup(command) && rest[0] === 'help') return printHelp(command, path, rest.slice(1))
  try {
    if (!command.run) throw await unknownCommand(command, path, rest[0])
    // Without the commands below it: citty would take an argument such as the file of a backup for one of
    // them.
    await runCittyCommand({ ...command, subCommands: {} }, { rawArgs: rest })
  } catch (error) {
    throw error instanceof UsageError ? withSource(path, misspelled(command, rest) ?? error) : error
  }
}

/** `backup verfy FILE`: the first of too many arguments was meant as a command. */
function misspelled({ subCommands, positionals }: Command, words: readonly string[]): UsageError | undefined {
  const [first = '', ...others] = words.filter((word) => !word.startsWith('-'))
  const suggestion =
    others.length >= positionals.length ? nearest(first, Object.keys(subCommands)) : undefined
  return suggestion === undefined
    ? undefined
    : new UsageError(`unknown command ${first}; did you mean ${suggestion}?`)
}

function withSource(path: string, { message }: UsageError): UsageError {
  const [end, see] = message.endsWith('?') ? [' ', 'See'] : ['; ', 'see']
  return new UsageError(`${path}: ${message}${end}${see} ${path} --help`)
}

/** `svc help driver start`: as `svc driver start --help`, but the words must name a command. */
async function printHelp(group: Command, name: string, words: readonly string[]): Promise<void> {
  const { path, command, rest } = await findCommand(group, name, words)
  if (rest[0] !== undefined) throw withSource(path, await unknownCommand(command, path, rest[0]))
  console.log(await renderHelp(path, command, process.stdout.columns))
}

function isHelpWanted(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  const own = end < 0 ? words : words.slice(0, end)
  return own.includes('--help') || own.includes('-h')
}

async function unknownCommand(
  { subCommands }: Command,
  path: string,
  word: string | undefined,
): Promise<UsageError> {
  if (word === undefined) return new UsageError('no command specified')
  const what = word.startsWith('-') ? 'option' : 'command'
  const suggestion = nearest(word, Object.keys(subCommands)) ?? (await findBelow(subCommands, path, word))
  return new UsageError(
    `unknown ${what} ${word}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`,
  )
}

/** A command of this name one level below: `svc start` for `svc driver start`. */
async function findBelow(
  commands: Command['subCommands'],
  path: string,
  word: string,
): Promise<string | undefined> {
  for (const [name, load] of Object.entries(commands)) {
    const { subCommands } = await load()
    if (Object.hasOwn(subCommands, word)) return `${path} ${name} ${word}`
  }
  return undefined
}
