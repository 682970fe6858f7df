import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Spread, shown } from './figures.ts'

/** Reads `--rounds N` (5 when not given) and prints the heading, with what else the machine does. */
export function startBench(title: string): { rounds: number } {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error(`--rounds is "${values.rounds}"; give a whole number from 1 on`)
    process.exit(1)
  }
  const [load = 0] = loadavg()
  console.log(`\n### ${title}\n\n${rounds} rounds; load average before the first: ${load.toFixed(1)}\n`)
  return { rounds }
}

type Cell = string | number

/** Prints a Markdown table, ready for `docs/benchmarks.md`. */
export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const line = (cells: readonly Cell[]) =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? shown(cell) : cell)).join(' | ')} |`
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'))
  console.log([line(head), line(rule), ...rows.map(line)].join('\n'))
}

/** Heading of the cells of `spread`. */
export const SPREAD_HEAD = ['least', 'median', 'most'] as const

/** The cells of one measurement. */
export function spreadCells({ least, median, most }: Spread): Cell[] {
  return [least, median, most]
}
