/**
 * What a calibration finds on cold simulated chips, beside the hidden truth: `bun bench/tuning/acceptance.ts
 * [--seeds 40] [--qubits 5] [--rows 1,2,4,5] [--processes 1] [--seed 7 --seed 8]`. Row `wide` has chips with
 * T1 between 5 µs and 5 ms, of which no step may fail. The seeds are drawn at random at each run unless they
 * are given, and printed with what went wrong. Exits 1 when a figure is missed.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { printHead, printRow } from '../support/output.ts'
import type { ChipRun } from './acceptance/calibrate-chip.ts'
import { runChips } from './acceptance/chip-runs.ts'
import {
  faultsOf,
  linesOf,
  type Verdict,
  verdictsOnCold,
  verdictsOnGates,
  verdictsOnHard,
  verdictsOnPairs,
  verdictsOnWide,
} from './acceptance/rows.ts'

const HEAD = ['routine', 'runs', 'succeeded', 'values within', 'median', '95 %', 'largest']
const MAX_SEED = 2 ** 31

const { values: flags } = parseArgs({
  options: {
    seeds: { type: 'string', default: '40' },
    seed: { type: 'string', multiple: true },
    qubits: { type: 'string', default: '5' },
    rows: { type: 'string', default: '1,2,4,5' },
    processes: { type: 'string', default: '1' },
  },
})
const rows = new Set(flags.rows.split(','))
const [qubits, processes] = [Number(flags.qubits), Number(flags.processes)]
const seeds =
  flags.seed?.map(Number) ?? Array.from({ length: Number(flags.seeds) }, () => randomInt(MAX_SEED))
console.log(`seeds: ${seeds.join(' ')}`)

async function calibrated(bringUp: ChipRun['bringUp']): Promise<ChipRun[]> {
  console.log(`\n### ${seeds.length} chips of ${qubits} qubits, ${bringUp}\n`)
  const runs = await runChips(seeds, { qubits, bringUp, processes }, (run) => {
    console.log(`seed ${run.seed}, hand ${run.hand}: ${run.status} in ${run.seconds.toFixed(0)} s`)
    for (const fault of faultsOf(run)) console.log(`  ${fault}`)
  })
  console.log('\nDistances are in units of the tolerance.\n')
  printHead(HEAD)
  for (const line of linesOf(runs)) printRow(line)
  return runs
}

const verdicts: (Verdict & { row: string })[] = []
const note = (row: string, all: readonly Verdict[]) => verdicts.push(...all.map((each) => ({ row, ...each })))
if (['1', '4', '5'].some((row) => rows.has(row))) {
  const runs = await calibrated('normal')
  if (rows.has('1')) note('1', verdictsOnCold(runs))
  if (rows.has('4')) note('4', verdictsOnGates(runs))
  if (rows.has('5')) note('5', verdictsOnPairs(runs))
}
if (rows.has('2')) note('2', verdictsOnHard(await calibrated('hard')))
if (rows.has('wide')) note('wide', verdictsOnWide(await calibrated('wide')))

console.log()
printHead(['row', 'figure', 'seen', ''])
for (const { row, figure, seen, isMet } of verdicts) printRow([row, figure, seen, isMet ? 'met' : 'missed'])
if (verdicts.some(({ isMet }) => !isMet)) process.exit(1)
