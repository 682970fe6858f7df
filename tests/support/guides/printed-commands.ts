import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { flagOf } from '../../../src/base/index.ts'
import type { Command } from '../../../src/cli/command-line/command.ts'
import { findCommand } from '../../../src/cli/command-line/find-command.ts'
import { renderHelp } from '../../../src/cli/command-line/help.ts'
import { svc } from '../../../src/cli/commands.ts'

const ROOT = join(import.meta.dir, '../../..')

/** A command that a text prints: the words behind `svc`, with what a sentence puts behind it left out. */
export interface PrintedCommand {
  place: string
  words: string[]
}

/** A text of the product, and where it stands. */
interface Text {
  place: string
  text: string
}

/** All commands by their full name, with those that hold others. */
export async function allCommands(): Promise<Map<string, Command>> {
  const found = new Map<string, Command>()
  const visit = async (path: string, command: Command) => {
    found.set(path, command)
    for (const [name, load] of Object.entries(command.subCommands))
      await visit(`${path} ${name}`, await load())
  }
  await visit('svc', svc)
  return found
}

/** Pages, their blocks and spans of code only. */
export function pages(): Text[] {
  const paths = [
    'README.md',
    'SECURITY.md',
    ...new Glob('{docs,packaging,examples}/**/*.{md,sh,service,yml}').scanSync({ cwd: ROOT }),
  ]
  return (
    paths
      // The page of all commands is what their `--help` prints.
      .filter((path) => !/^docs\/(decisions|benchmarks)\/|^docs\/reference\/commands.md/.test(path))
      .flatMap((path) => {
        const text = readFileSync(join(ROOT, path), 'utf8')
        if (!path.endsWith('.md')) return [{ place: path, text }]
        const blocks = [...text.matchAll(/^ *```[^\n]*\n([\s\S]*?)^ *```/gm)]
        const prose = text.replace(/^ *```[^\n]*\n[\s\S]*?^ *```/gm, '')
        return [...blocks, ...prose.matchAll(/(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`/g)].map(([, code = '']) => ({
          place: path,
          text: code,
        }))
      })
  )
}

/** The `--help` of each command. */
export async function helpTexts(): Promise<Text[]> {
  const commands = [...(await allCommands())]
  return Promise.all(
    commands.map(async ([path, command]) => ({
      place: `${path} --help`,
      text: await renderHelp(path, command, 10_000),
    })),
  )
}

/** Texts in the sources, each with `X` for what it inserts. */
export function messages(): Text[] {
  return [...new Glob('{src,ui}/**/*.{ts,tsx}').scanSync({ cwd: ROOT })].flatMap((path) => {
    const source = readFileSync(join(ROOT, path), 'utf8').replace(/^ *(\/\/|\*|\/\*\*).*$/gm, '')
    // Parts that are joined with + are one text.
    const joined = source.replace(/(['`]) \+\s*(['`])/g, '')
    return [...joined.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(
      ([, one, two, three]) => ({
        place: path,
        text: (one ?? two ?? three ?? '').replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, 'X'),
      }),
    )
  })
}

/** Words of a shell, without the marks of quotes; up to what ends a command. */
function shellWords(line: string): string[] {
  const words: string[] = []
  for (const [word] of line.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+|\S/g)) {
    if (/^(\||>|>>|<|&|&&|\|\||#.*|\d?>.*|<<.*)$/.test(word)) break
    const ends = /[;)]$/.test(word)
    words.push(word.replace(/[;)]+$/, '').replace(/^'(.*)'$|^"(.*)"$/s, '$1$2'))
    if (ends) break
  }
  return words.filter((word) => word !== '')
}

/** Whether a sentence goes on with this word, so that it is none of the command before it. */
function isSentence(word: string): boolean {
  return /^[a-z(,]|^[A-Z][a-z]+|^\d$/.test(word) && !/[./=]/.test(word.slice(0, -1))
}

/**
 * The commands of a text. In a sentence, one ends where the sentence goes on: with a word that is neither a
 * flag, nor the value of one, nor a placeholder in capitals, nor a file.
 */
export async function commandsIn({ place, text }: Text, isInSentence: boolean): Promise<PrintedCommand[]> {
  const lines = text.replace(/\\+\r?\n\s*/g, ' ')
  const found: PrintedCommand[] = []
  for (const [, rest = ''] of lines.matchAll(/(?<![\w./"@-])svc (?=[a-z])([^\n`\\]*)/g)) {
    const words = shellWords(rest)
    const { path, command, rest: given } = await findCommand(svc, 'svc', words)
    if (path === 'svc') continue
    const end = given.findIndex((word, at) => {
      if (!isInSentence || !isSentence(word)) return /^[(]/.test(word)
      const before = given[at - 1] ?? ''
      const [, declared] = Object.entries(command.flags).find(([name]) => flagOf(name) === before) ?? []
      return declared === undefined || (declared.kind.hint === '' && !/^(true|false)[.,]?$/.test(word))
    })
    const kept = (end < 0 ? given : given.slice(0, end)).map((word) =>
      isInSentence ? word.replace(/[.,:]+$/, '') : word,
    )
    found.push({ place, words: [...path.split(' ').slice(1), ...kept] })
  }
  return found
}

/** Flags of a text, each with the `true` or `false` behind it. */
export function flagsIn({ place, text }: Text): PrintedCommand[] {
  return [...text.matchAll(/(?<![\w-])(--[a-z][a-z0-9-]+)(?: (true|false)\b)?/g)].map(
    ([, flag = '', value]) => ({
      place,
      words: value === undefined ? [flag] : [flag, value],
    }),
  )
}
