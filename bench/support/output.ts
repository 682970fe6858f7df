import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { formatFigure, type Spread } from './figures.ts'

/** Flags of one benchmark besides `--rounds`, with their defaults. */
type Flags = Record<string, string>

/**
 * Reads `--rounds N` (default 5) and `flags`, and prints the heading with the load average.
 */
export function startBench<const F extends Flags>(
  title: string,
  flags: F = {} as F,
): { rounds: number } & Record<keyof F, string> {
  const defaults: Flags = { rounds: '5', ...flags }
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { type: 'string' as const, default: value }]),
  )
  const { values } = parseArgs({ options })
  const rounds = Number(values['rounds'])
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error(`--rounds is "${values['rounds']}"; give a whole number of at least 1`)
    process.exit(1)
  }
  const [load = 0] = loadavg()
  console.log(
    `\n### ${title}\n\n${rounds === 1 ? '1 round' : `${rounds} rounds`}; load average before the first: ${load.toFixed(1)}\n`,
  )
  return { ...(values as Record<keyof F, string>), rounds }
}

type Cell = string | number

const lineOf = (cells: readonly Cell[]) =>
  `| ${cells.map((cell) => (typeof cell === 'number' ? formatFigure(cell) : cell)).join(' | ')} |`

/** Prints a Markdown table in the form of the pages in `docs/benchmarks`. */
export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  console.log(tableOf(head, rows))
}

/** A Markdown table in the form of the pages in `docs/benchmarks`. */
export function tableOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [headOf(head), ...rows.map(lineOf)].join('\n')
}

/** Prints the heading of a table whose rows are printed later, one by one. */
export function printHead(head: readonly string[]): void {
  console.log(headOf(head))
}

function headOf(head: readonly string[]): string {
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'))
  return [lineOf(head), lineOf(rule)].join('\n')
}

/** Prints the next row of a table. */
export function printRow(row: readonly Cell[]): void {
  console.log(lineOf(row))
}

/** Headings of the cells of `spreadCells`. */
export const SPREAD_HEAD = ['min', 'median', 'max'] as const

/** The cells of one measurement, in the order of `SPREAD_HEAD`. */
export function spreadCells({ min, median, max }: Spread): Cell[] {
  return [min, median, max]
}
