import { flagOf, type Setting, variableOf } from '../../base/index.ts'
import type { Command } from './command.ts'
import { findCommand, isGroup } from './find-command.ts'

/** The word with which the scripts of the shells ask for completions; see `svc completion`. */
export const COMPLETE = '__complete'

/** A word that may follow, and what it means. */
interface Candidate {
  word: string
  help: string
}

/**
 * The words that may take the place of the last of `words`, from the declarations of the commands. Empty
 * where a file or free text is expected; the shell then completes file names.
 */
export async function complete(root: Command, words: readonly string[]): Promise<Candidate[]> {
  const typed = words.filter((word) => word !== '=')
  // bash separates a flag from its value at the equals sign.
  if (words.at(-1) === '=') typed.push('')
  const last = typed.at(-1) ?? ''
  const { command, rest } = await findCommand(root, '', helpless(typed.slice(0, -1)))
  const [flag, value] = splitAssignment(last)
  const declared = flagNamed(command, value === undefined ? rest.at(-1) : flag)
  const candidates =
    declared !== undefined && declared.kind.hint !== '' && (value !== undefined || !rest.includes('--'))
      ? valuesOf(declared).map((each) => ({ word: value === undefined ? each : `${flag}=${each}`, help: '' }))
      : await wordsOf(command, rest, last)
  return candidates.filter(({ word }) => word.startsWith(last))
}

/** `help serve` completes like `serve`. */
function helpless(words: string[]): string[] {
  return words.filter((word) => word !== 'help')
}

function splitAssignment(word: string): [flag: string, value?: string] {
  const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? []
  return flag === undefined || value === undefined ? [word] : [flag, value]
}

function flagNamed({ flags }: Command, word: string | undefined): Setting<unknown> | undefined {
  return Object.entries(flags).find(([name, { short }]) => flagOf(name) === word || `-${short}` === word)?.[1]
}

/** The words of a choice, such as those of `debug|info|warn|error`. */
function valuesOf({ kind }: Setting<unknown>): string[] {
  return kind.hint.includes('|') ? kind.hint.split('|') : []
}

async function wordsOf(command: Command, rest: readonly string[], last: string): Promise<Candidate[]> {
  if (last.startsWith('-')) return flagsOf(command)
  // Below an argument there are no commands.
  if (rest.length > 0) return []
  const commands = await Promise.all(
    Object.entries(command.subCommands).map(async ([word, load]) => ({ word, command: await load() })),
  )
  const listed = commands
    .filter((each) => !each.command.meta.hidden)
    .map((each) => ({ word: each.word, help: each.command.meta.description }))
  if (isGroup(command)) return [...listed, { word: 'help', help: 'Show the help of a command' }]
  return listed.length > 0 || command.positionals.length > 0 ? listed : flagsOf(command)
}

function flagsOf({ flags }: Command): Candidate[] {
  const named = Object.entries(flags).flatMap(([name, declared]) => {
    const own = { word: flagOf(name), help: declared.help }
    const canBeOn = declared.kind.hint === '' && variableOf(name, declared) !== ''
    return canBeOn ? [own, { word: own.word.replace('--', '--no-'), help: '' }] : [own]
  })
  return [...named, { word: '--help', help: 'Show the help' }]
}
