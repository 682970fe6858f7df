import { flagOf, type Setting, variableOf } from '../../base/index.ts'
import type { Command } from './command.ts'

/** Left column and text of a line. */
type Entry = readonly [left: string, text: string]

interface Section {
  title: string
  entries: Entry[]
}

const DEFAULT_COLUMNS = 100
const MIN_LEFT_COLUMNS = 12
const MAX_LEFT_COLUMNS = 36

/**
 * The text of `--help`: usage, arguments, commands, and flags by group. `path` is the full name of the
 * command.
 */
export async function renderHelp(path: string, command: Command, columns = DEFAULT_COLUMNS): Promise<string> {
  const sections: Section[] = [
    { title: 'Arguments', entries: command.positionals.map(({ name, help }) => [name, help] as const) },
    { title: 'Commands', entries: await commandEntries(command) },
    ...flagSections(command),
  ].filter(({ entries }) => entries.length > 0)
  const lines = [command.meta.description, '', ...usageLines(path, command)]
  const lefts = sections.flatMap(({ entries }) => entries.map(([left]) => left.length))
  const indent = 2 + Math.max(MIN_LEFT_COLUMNS, ...lefts.filter((length) => length <= MAX_LEFT_COLUMNS)) + 2
  for (const { title, entries } of sections) {
    lines.push('', `${title}:`, ...entries.flatMap((entry) => renderEntry(entry, indent, columns)))
  }
  if (Object.keys(command.subCommands).length > 0) {
    lines.push('', `Run ${path} COMMAND --help for the options of a command.`)
  }
  return lines.join('\n')
}

function usageLines(path: string, { positionals, flags, subCommands, run }: Command): string[] {
  const usages: string[] = []
  if (run) {
    const words = positionals.map(({ name, isOptional, isRepeatable }) => {
      const word = isRepeatable ? `${name}…` : name
      return isOptional ? `[${word}]` : word
    })
    const options = Object.keys(flags).length > 0 ? ['[options]'] : []
    usages.push([path, ...words, ...options].join(' '))
  }
  if (Object.keys(subCommands).length > 0) usages.push(`${path} COMMAND`)
  return usages.map((usage, at) => `${at === 0 ? 'Usage:' : '      '} ${usage}`)
}

async function commandEntries({ subCommands }: Command): Promise<Entry[]> {
  const loaded = await Promise.all(
    Object.entries(subCommands).map(async ([name, load]) => ({ name, command: await load() })),
  )
  return loaded
    .filter(({ command }) => !command.meta.hidden)
    .map(({ name, command }) => [name, command.meta.description] as const)
}

function flagSections({ flags }: Command): Section[] {
  const sections = new Map<string, Entry[]>()
  for (const [name, declared] of Object.entries(flags)) {
    const entries = sections.get(declared.group) ?? []
    entries.push([leftOf(name, declared), `${declared.help}${detailsOf(name, declared)}`])
    sections.set(declared.group, entries)
  }
  return [...sections].map(([title, entries]) => ({ title, entries }))
}

function leftOf(name: string, declared: Setting<unknown>): string {
  const { kind, short } = declared
  const shortFlag = short === undefined ? '' : `-${short}, `
  if (kind.hint !== '') return `${shortFlag}${flagOf(name)} <${kind.hint}>`
  // A switch that a variable or a config file may have turned on.
  const canBeOn = variableOf(name, declared) !== ''
  return shortFlag + (canBeOn ? flagOf(name).replace(/^--/, '--[no-]') : flagOf(name))
}

/** ` (SVC_SERVER_PORT, default 8090)`; its spaces do not break. */
function detailsOf(name: string, declared: Setting<unknown>): string {
  const variable = variableOf(name, declared)
  const { defaultText, isRequired } = declared
  const details = [
    ...(isRequired ? ['required'] : []),
    ...(variable === '' ? [] : [variable]),
    ...(defaultText === '' || defaultText === 'false' ? [] : [`default ${defaultText}`]),
  ]
  return details.length === 0 ? '' : ` (${details.join(', ')})`.replaceAll(/(?<=\S) /g, '\u00a0')
}

function renderEntry([left, text]: Entry, indent: number, columns: number): string[] {
  const [first = '', ...others] = wrap(text, columns - indent)
  const head = `  ${left}`
  const rest = others.map((line) => ' '.repeat(indent) + line)
  return head.length <= indent - 2
    ? [head.padEnd(indent) + first, ...rest]
    : [head, ' '.repeat(indent) + first, ...rest]
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.map((line) => line.replaceAll('\u00a0', ' '))
}
