import { expect, test } from 'bun:test'
import { flagOf, messageOf, readSettings } from '../../src/base/index.ts'
import type { Command } from '../../src/cli/command-line/command.ts'
import { findCommand } from '../../src/cli/command-line/find-command.ts'
import { parseFlags } from '../../src/cli/command-line/parse-flags.ts'
import { svc } from '../../src/cli/commands.ts'
import {
  allCommands,
  commandsIn,
  flagsIn,
  helpTexts,
  messages,
  type PrintedCommand,
  pages,
} from '../support/guides/printed-commands.ts'

/** What stands for any arguments, unless it is the value of a flag. */
const ANY = ['…', '[options]', 'COMMAND', 'X']

/** Why the program does not accept a printed command; undefined if it does. Placeholders have no value. */
async function refusal({ words }: PrintedCommand): Promise<string | undefined> {
  const { command, rest } = await findCommand(svc, 'svc', words)
  if (rest.includes('--help')) return undefined
  return (
    refusalOf(
      command,
      rest.filter((word) => !ANY.includes(word)),
    ) && refusalOf(command, rest)
  )
}

function refusalOf(command: Command, rest: string[]): string | undefined {
  try {
    const { given } = parseFlags(rest, command)
    const values = Object.entries(given).filter(([, value]) => !/^[^a-z]*$|[$…]|X/.test(String(value)))
    const read = readSettings(command.flags, { flags: Object.fromEntries(values), env: {} })
    const [bad] = read.problems.filter(({ isMissing }) => !isMissing)
    return bad && `${bad.place} ${bad.shownValue}: ${bad.reason}`
  } catch (error) {
    // A text may name a command, or a flag of it, without what it takes.
    const isName = rest.length === 0 || (rest.length === 1 && rest[0]?.startsWith('--'))
    return isName && /^missing [A-Z]|needs a value/.test(messageOf(error)) ? undefined : messageOf(error)
  }
}

test('the program accepts each command that pages, --help and messages print', async () => {
  const texts = [
    ...pages().map((text) => commandsIn(text, false)),
    ...[...(await helpTexts()), ...messages()].map((text) => commandsIn(text, true)),
  ]
  const printed = (await Promise.all(texts)).flat()
  expect(printed.length).toBeGreaterThan(200)
  const refused = await Promise.all(printed.map(async (each) => ({ each, why: await refusal(each) })))
  expect(
    refused.flatMap(({ each, why }) =>
      why === undefined ? [] : [`${each.place}: svc ${each.words.join(' ')}: ${why}`],
    ),
  ).toEqual([])
})

/** Flags of other programs and of each command. */
const OTHERS = [
  '--program',
  '--begin',
  '--comment',
  '--no-checks',
  '--quick',
  '--dist',
  '--purge',
  '--help',
  '--version',
  '--no-',
]

test('some command has each flag that pages, --help and messages name, and accepts the value behind it', async () => {
  const commands = [...(await allCommands()).values()]
  const spans = pages().filter(({ text }) => text.startsWith('--'))
  const said = messages().filter(({ place }) => place.startsWith('src/'))
  const flags = [...spans, ...(await helpTexts()), ...said].flatMap(flagsIn)
  expect(flags.length).toBeGreaterThan(700)
  const isAccepted = ({ words }: PrintedCommand) =>
    commands.some((command) => {
      const [, declared] =
        Object.entries(command.flags).find(([name]) =>
          [flagOf(name), `--no-${flagOf(name).slice(2)}`].includes(words[0] ?? ''),
        ) ?? []
      if (!declared) return false
      if (words.length === 1) return true
      try {
        parseFlags(words, { ...command, positionals: [] })
        return true
      } catch {
        return false
      }
    })
  const unknown = flags.filter((each) => !OTHERS.includes(each.words[0] ?? '') && !isAccepted(each))
  expect([...new Set(unknown.map(({ place, words }) => `${place}: ${words.join(' ')}`))]).toEqual([])
})
