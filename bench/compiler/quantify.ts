/**
 * Compiles 32 circuits with quantify-scheduler 0.28.1 from the same device file and hardware file, plays both
 * programs in the emulator and compares all samples, with the times and bins of the acquisitions; three of
 * them with 256 shots. `--write` stores its numbers for the ordinary tests. The environment of 1.3 GB is
 * installed at the first call. Exits with 1 at a difference.
 */
import { join } from 'node:path'
import { openSchedules } from '../../tests/support/python/python.ts'
import { startPython } from '../../tests/support/python/python-process.ts'
import {
  compareNumbers,
  compareSamples,
  lineKey,
  numbersByLine,
  ourSignals,
  type SignalsByLine,
} from '../../tests/support/scheduler/compare-schedules.ts'
import {
  type ComparedGate,
  comparedCircuits,
  ELEMENTS,
  HARDWARE,
} from '../../tests/support/scheduler/compared-circuits.ts'
import { playedSignal } from '../../tests/support/scheduler/played-numbers.ts'

interface Compiled {
  slot: number
  hz: number
  program: string
  waveforms: Record<string, { index: number; data: number[] }>
}

/** A part of full scale: gains and offsets have 16 bits, and both quadratures are turned. */
const MAX_DIFFERENCE = 1e-4
const SHOTS = 256
/** Circuits that are played with many shots: gates on one qubit, CX, and a random one. */
const REPEATED = [3, 17, 24]
const GOLDEN = join(import.meta.dir, '../../tests/golden/quantify-scheduler-0.28.1.json')

const interpreter = await openSchedules()
if (interpreter === undefined) process.exit(1)
await using python = startPython(interpreter, join(import.meta.dir, 'quantify_schedules.py'))

async function theirSignals(circuits: readonly ComparedGate[][], shots: number): Promise<SignalsByLine[]> {
  const asked = { elements: ELEMENTS, hardware: HARDWARE, measured: ['q0', 'q1'], shots }
  const compiled = await python.ask<Compiled[][]>({
    ask: 'compile',
    ...asked,
    circuits,
  })
  return compiled.map((sequences) =>
    Object.fromEntries(sequences.map((each) => [lineKey(each.slot, each.hz), playedSignal(each)])),
  )
}

/** The bins of all acquisitions, by line. */
function binsOf(signals: SignalsByLine): [string, readonly number[]][] {
  const all = Object.entries(signals).map(([line, { bins }]): [string, readonly number[]] => [line, bins])
  return all.filter(([, bins]) => bins.length > 0).sort(([one], [other]) => one.localeCompare(other))
}

const circuits = comparedCircuits()
const theirs = await theirSignals(circuits, 1)
const problems: string[] = []
let largest = 0
for (const [index, gates] of circuits.entries()) {
  const [ours, other] = [ourSignals(gates), theirs[index] ?? {}]
  const { isEqualInTime, times } = compareNumbers(numbersByLine(ours), numbersByLine(other))
  const difference = compareSamples(ours, other)
  largest = Math.max(largest, difference)
  if (difference > MAX_DIFFERENCE) problems.push(`circuit ${index}: samples differ by ${difference}`)
  if (!isEqualInTime) problems.push(`circuit ${index}: ${JSON.stringify(times)}`)
}
console.log(`${circuits.length} circuits: samples agree within ${largest.toExponential(1)} of full scale`)
for (const index of REPEATED) {
  const gates = circuits[index] ?? []
  const [ours, [other = {}]] = [ourSignals(gates, SHOTS), await theirSignals([gates], SHOTS)]
  const difference = compareSamples(ours, other)
  const bins = binsOf(ours)
  const isEveryShot = bins.length > 0 && bins.every(([, each]) => each.length === SHOTS)
  console.log(`circuit ${index}, ${SHOTS} shots: samples agree within ${difference.toExponential(1)}`)
  if (difference > MAX_DIFFERENCE) problems.push(`circuit ${index}: shots differ by ${difference}`)
  if (!isEveryShot || !Bun.deepEquals(bins, binsOf(other))) problems.push(`circuit ${index}: bins differ`)
}
for (const problem of problems) console.log(problem)
if (process.argv.includes('--write')) {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(5)) : value
  await Bun.write(GOLDEN, `${JSON.stringify(theirs.map(numbersByLine), rounded)}\n`)
}
process.exit(problems.length === 0 ? 0 : 1)
