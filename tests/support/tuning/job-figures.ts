import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../../src/base/index.ts'
import { TRUTH_FILE } from '../../../src/devices/bench/simulated/truth/store.ts'
import type { CalibrationFindings } from '../../../src/protocol/index.ts'
import { ioOf, openProcess, payloadOf } from '../../devices/support/jobs.ts'
import type { TunerBench } from './acceptance/cold-run.ts'

interface JobsOptions {
  /** Qubits of the chip, all in a row. */
  qubits: number
  shots: number
  /** What the calibration found. */
  findings: CalibrationFindings
  /** The hardware file of the cluster with the chip; without one the chip itself plays. */
  hardwarePath?: string
}

/** The chip of a tuner that has calibrated it. */
type CalibratedBench = Pick<TunerBench, 'chip' | 'devicePath'> & { readonly clock: Clock }

/** Shares of the shots of jobs on a calibrated chip. */
export interface JobFigures {
  /** Of 00 and 11 of a Bell pair, as read, and beside what readout leaves of 00 and 11. */
  pair: number
  bell: number
  /** Of equal bits of a chain of all qubits, and what readout of all at once, gates and decay leave of it. */
  chain: number
  budget: number
  /** Of the worst qubit in 1 after gates that end in 0, less that at rest and three standard deviations. */
  frame: number
  /** By which an idle qubit is found in 1 more often when all are read together. */
  moved: number
  /** Whether all of this is as it has to be. */
  isMet: boolean
}

const [BELL_AT_LEAST, CHAIN_WITHIN] = [0.95, 0.02]
/** A CX gate: a pulse before the CZ gate and one after it, s. */
const STEP_S = 250e-9
/** Standard deviations by which counts may miss a figure. */
const MARGIN = 3
const TIMEOUT_MS = 600_000

type Counts = Record<string, number>

/** Runs jobs through `scheduler_a` on the chip of a bench, which has its files in `folder`. */
export async function jobFigures(
  bench: CalibratedBench,
  folder: string,
  { qubits, shots, findings, hardwarePath = simulatedIn(folder) }: JobsOptions,
): Promise<JobFigures> {
  const circuits = [
    bellOf(),
    chainOf(qubits),
    ...referencesOf(2),
    ...referencesOf(qubits),
    ...restOf(qubits),
    ...framesOf(qubits),
  ]
  const all = await countsOf(bench, hardwarePath, circuits, shots)
  const [bell = {}, chained = {}, zeros = {}, ones = {}, idle = {}, full = {}, ...single] = all
  const share = (counts: Counts, ...outcomes: string[]) =>
    outcomes.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0) / shots
  const agree = (counts: Counts, bits: number) => share(counts, '0'.repeat(bits), '1'.repeat(bits))
  const onesOf = (counts: Counts, qubit: number) =>
    share(counts, ...Object.keys(counts).filter((bits) => bits.at(-1 - qubit) === '1'))
  const inOne = single.map((counts) => share(counts, '1'))
  const frames = inOne.slice(0, qubits).map((rest, qubit) => [rest, inOne[qubits + qubit] ?? 1] as const)
  const deviation = (probability: number) => Math.sqrt((probability * (1 - probability)) / shots)
  const pair = agree(bell, 2)
  const figures = {
    pair,
    bell: (2 * pair) / (agree(zeros, 2) + agree(ones, 2)),
    chain: agree(chained, qubits),
    budget: ((agree(idle, qubits) + agree(full, qubits)) / 2) * chainShare(bench, findings, qubits),
    frame: Math.max(
      ...frames.map(
        ([rest, turned]) => turned - rest - MARGIN * Math.hypot(deviation(rest), deviation(turned)),
      ),
    ),
    moved: Math.max(...frames.map(([rest], qubit) => onesOf(idle, qubit) - rest)),
  }
  const isMet =
    figures.bell >= BELL_AT_LEAST &&
    Math.abs(figures.chain - figures.budget) <= CHAIN_WITHIN + MARGIN * deviation(figures.budget) &&
    figures.frame <= 0
  return { ...figures, isMet }
}

function program(qubits: number, statements: string): string {
  return `OPENQASM 3.0; include "stdgates.inc"; qubit[${qubits}] q; bit[${qubits}] c; ${statements} c = measure q;`
}

const bellOf = () => program(2, 'h q[0]; cx q[0], q[1];')

/** All qubits of a row in one state. */
function chainOf(qubits: number): string {
  const gates = Array.from({ length: qubits - 1 }, (_, at) => `cx q[${at}], q[${at + 1}];`)
  return program(qubits, `h q[0]; ${gates.join(' ')}`)
}

/** What readout leaves of both outcomes of a state, with as many qubits read at once as there. */
const referencesOf = (qubits: number) => [program(qubits, 'barrier q;'), program(qubits, 'x q;')]

/** For each qubit, which alone is read, after nothing. */
function restOf(qubits: number): string[] {
  return Array.from({ length: qubits }, (_, at) => `OPENQASM 3.0; bit c; barrier $${at}; c = measure $${at};`)
}

/**
 * For each qubit, which alone is read: back to 0 only if turns of the frame have the right sign. Without the
 * barriers the compiler would make one turn of all three.
 */
function framesOf(qubits: number): string[] {
  return Array.from(
    { length: qubits },
    (_, at) =>
      `OPENQASM 3.0; include "stdgates.inc"; bit c; ry(pi/2) $${at}; barrier $${at}; rz(pi/2) $${at}; ` +
      `barrier $${at}; rx(pi/2) $${at}; c = measure $${at};`,
  )
}

/** A hardware file that names the simulated chip of a folder. */
function simulatedIn(folder: string): string {
  const path = join(folder, 'jobs.hardware.json')
  const cluster0 = { instrument_type: 'Cluster', ref: 'internal', ip: `sim:${TRUTH_FILE}`, modules: {} }
  const config = {
    config_type: 'QbloxHardwareCompilationConfig',
    ...{ hardware_description: { cluster0 }, hardware_options: {}, connectivity: { graph: [] } },
  }
  writeFileSync(path, JSON.stringify(config))
  return path
}

async function countsOf(
  { clock, devicePath }: CalibratedBench,
  hardwarePath: string,
  circuits: string[],
  shots: number,
): Promise<Counts[]> {
  const options = [`scheduler_device_config=${devicePath}`, `scheduler_hardware_config=${hardwarePath}`]
  const device = await openProcess('scheduler_a', options, clock)
  const job = { id: 'job000000000001', attempt: 1, payload: payloadOf(circuits, { shots }) }
  const io = { ...ioOf(TIMEOUT_MS), deadline: clock.monotonic() + TIMEOUT_MS }
  const { circuit_results } = await device.run(job, io)
  await device.stop?.({ extend: () => undefined })
  return circuit_results.map(({ counts = {} }) => counts)
}

/** The share of equal bits that gates and decay leave of a chain: every qubit waits for all gates. */
function chainShare(
  bench: CalibratedBench,
  { benchmarks = [] }: CalibrationFindings,
  qubits: number,
): number {
  const gates = benchmarks.filter(({ protocol }) => protocol.includes('cz')).map(({ error }) => error ?? 0)
  const mean = gates.reduce((sum, error) => sum + error, 0) / Math.max(1, gates.length)
  const transmons = [...bench.chip.conditions().transmons.values()]
  const decay = transmons.reduce((sum, { rates }) => sum + rates.down, 0)
  return (1 - mean) ** (qubits - 1) * Math.exp((-decay * (qubits - 1) * STEP_S) / 2)
}
