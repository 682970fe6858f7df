/**
 * Compares two executables, for example of the revisions before and after a change: `bun bench/compare.ts OLD
 * NEW [--rounds 5] [--jobs 300] [--stored 100000] [--within 5]`. Both run in each round, each in a new
 * installation and first in every second round, so that other load on the machine affects both.
 *
 * Prints the medians of start-up, latency, throughput and record store. Exits with 1 if a median of NEW is
 * worse than that of OLD by more than `--within` percent, or if NEW is larger than OLD by more than that.
 * `--jobs` sets the amount of work in each round.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Comparison, compareFigures, type Figures, type Unit } from './compare/comparison.ts'
import { measureQueue, measureRecords, type Sizes } from './compare/measure.ts'
import { printTable } from './support/output.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    jobs: { type: 'string', default: '300' },
    stored: { type: 'string', default: '100000' },
    within: { type: 'string', default: '5' },
  },
})
const [rounds, jobs, stored, within] = [values.rounds, values.jobs, values.stored, values.within].map(Number)
const [before, after] = positionals.map((path) => resolve(path))
if (!before || !after || !rounds || !jobs || !stored || within === undefined || Number.isNaN(within)) {
  console.error(
    'usage: bun bench/compare.ts OLD NEW [--rounds 5] [--jobs 300] [--stored 100000] [--within 5]',
  )
  process.exit(2)
}

const sizes: Sizes = {
  jobs,
  queued: 5 * jobs,
  requests: 10 * jobs,
  stored,
  streams: Math.min(200, jobs),
  changes: 20,
}
const figures = new Map<string, Figures>()
const note = (side: 'old' | 'new') => (name: string, unit: Unit, value: number) => {
  const each = figures.get(name) ?? { unit, old: [], new: [] }
  each[side].push(value)
  figures.set(name, each)
}

note('old')('executable', 'MB', statSync(before).size / 1e6)
note('new')('executable', 'MB', statSync(after).size / 1e6)
for (let round = 0; round < rounds; round += 1) {
  const sides = [
    ['old', before],
    ['new', after],
  ] as const
  const order = round % 2 === 0 ? sides : sides.toReversed()
  for (const [side, executable] of order) await measureQueue(executable, sizes, note(side))
  for (const [side, executable] of order) await measureRecords(executable, sizes, note(side))
  console.error(`round ${round + 1} of ${rounds} done`)
}

const compared = [...figures].map(([name, each]) => compareFigures(name, each))
const isWorse = ({ worsePercent }: Comparison) => worsePercent > within
const percent = (value: number) => `${value > 0 ? '+' : ''}${value.toFixed(1)} %`
printTable(
  [`medians of ${rounds} rounds`, 'old', 'new', 'worse by', ''],
  compared.map((each) => [
    `${each.name}, ${each.unit}`,
    each.old,
    each.new,
    percent(each.worsePercent),
    isWorse(each) ? 'worse' : '',
  ]),
)
process.exit(compared.some(isWorse) ? 1 : 0)
