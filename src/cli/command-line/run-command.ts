import { runCommand as runCittyCommand } from 'citty'
import { nearest } from '../../base/index.ts'
import type { Command } from './command.ts'
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
  try {
    if (!command.run) throw unknownCommand(command, rest[0])
    // Without the commands below it: citty would take an argument such as the file of a backup for one of
    // them.
    await runCittyCommand({ ...command, subCommands: {} }, { rawArgs: rest })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const [end, see] = error.message.endsWith('?') ? [' ', 'See'] : ['; ', 'see']
    throw new UsageError(`${path}: ${error.message}${end}${see} ${path} --help`)
  }
}

/** Follows the words that name commands, as far as there are such commands. */
async function findCommand(root: Command, name: string, words: readonly string[]) {
  let path = name
  let command = root
  let count = 0
  for (const word of words) {
    const load = Object.hasOwn(command.subCommands, word) ? command.subCommands[word] : undefined
    if (!load) break
    command = await load()
    path = `${path} ${word}`
    count += 1
  }
  return { path, command, rest: words.slice(count) }
}

function isHelpWanted(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  const own = end < 0 ? words : words.slice(0, end)
  return own.includes('--help') || own.includes('-h')
}

function unknownCommand({ subCommands }: Command, word: string | undefined): UsageError {
  if (word === undefined) return new UsageError('no command specified')
  const what = word.startsWith('-') ? 'option' : 'command'
  const suggestion = nearest(word, Object.keys(subCommands))
  return new UsageError(
    `unknown ${what} ${word}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`,
  )
}
