/**
 * Compares two executables, for example of the revisions before and after a change: `bun bench/compare.ts OLD
 * NEW [--rounds 40] [--minutes 60] [--jobs 30] [--stored 20000] [--within 5]`. The servers of both stay up
 * and take turns, measurement by measurement and first in every second round, so that other work on the
 * machine affects both; start-up is measured in new installations. The first round only warms up.
 *
 * Prints the medians of start-up, latency, throughput and record store, with the processor time of server and
 * driver, which other work affects less than durations, and by how many percent NEW is worse: the median of
 * the rounds with an interval of 95 % confidence. NEW is `no worse` if all of the interval is at or below
 * `--within` percent, and `worse` if all of it is above, which exits with 1. `--minutes` bounds the rounds by
 * time; `--jobs` sets the amount of work in each. Fewer than 6 rounds decide nothing.
 */
import { statSync } from 'node:fs'
import { loadavg } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { compareFigures, type Figures, type Unit } from './compare/comparison.ts'
import { openBench, type Sizes } from './compare/measure.ts'
import { formatFigure } from './support/figures.ts'
import { printTable } from './support/output.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '40' },
    minutes: { type: 'string', default: '60' },
    jobs: { type: 'string', default: '30' },
    stored: { type: 'string', default: '20000' },
    within: { type: 'string', default: '5' },
  },
})
const [most, minutes, jobs, stored] = [values.rounds, values.minutes, values.jobs, values.stored].map(Number)
const within = Number(values.within)
const [before, after] = positionals.map((path) => resolve(path))
if (!before || !after || !most || !minutes || !jobs || !stored || Number.isNaN(within)) {
  console.error('usage: bun bench/compare.ts OLD NEW [--rounds 40] [--jobs 30] [--stored 20000] [--within 5]')
  process.exit(2)
}

const sizes: Sizes = {
  jobs,
  queued: 5 * jobs,
  requests: 10 * jobs,
  stored,
  streams: Math.min(200, 5 * jobs),
  changes: 10,
}
const figures = new Map<string, Figures>()
const note = (side: 'old' | 'new') => (name: string, unit: Unit, value: number) => {
  const each = figures.get(name) ?? { unit, old: [], new: [] }
  each[side].push(value)
  figures.set(name, each)
}

const end = performance.now() + minutes * 60_000
const loads: number[] = []
{
  await using old = await openBench(before, sizes)
  await using fresh = await openBench(after, sizes)
  const sides = [
    { name: 'old', bench: old },
    { name: 'new', bench: fresh },
  ] as const
  for (let round = 0; round <= most && performance.now() < end; round += 1) {
    const order = round % 2 === 0 ? sides : sides.toReversed()
    for (const index of old.measurements.keys()) {
      for (const { name, bench } of order) {
        await bench.measurements[index]?.(round === 0 ? () => undefined : note(name))
      }
    }
    loads.push(loadavg()[0] ?? Number.NaN)
    if (round === 0) continue
    note('old')('executable', 'MB', statSync(before).size / 1e6)
    note('new')('executable', 'MB', statSync(after).size / 1e6)
    console.error(`round ${round} of ${most} done`)
  }
}
const compared = [...figures].map(([name, each]) => compareFigures(name, each, within))
const percent = (value: number) => `${value > 0 ? '+' : ''}${value.toFixed(1)}`
console.log(
  `Load average ${formatFigure(Math.min(...loads))} to ${formatFigure(Math.max(...loads))}, ${loads.length - 1} rounds.\n`,
)
printTable(
  ['medians of the rounds', 'old', 'new', 'worse by, %', '95 %', ''],
  compared.map(({ name, unit, old, new: fresh, worse, verdict }) => [
    `${name}, ${unit}`,
    old,
    fresh,
    percent(worse.median),
    `${percent(worse.low)} to ${percent(worse.high)}`,
    verdict,
  ]),
)
process.exit(compared.some(({ verdict }) => verdict === 'worse') ? 1 : 0)
