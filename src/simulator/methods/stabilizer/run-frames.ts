import type { MethodRun, Workload } from '../../define-method.ts'
import { transpose } from '../../numeric/bits.ts'
import { createFastRandom, type FastRandom, gapFactor, gapOf } from '../../numeric/fast-random.ts'
import { PURPOSE } from '../../numeric/random.ts'
import { canMisread, type ReadoutError } from '../../readout/readout.ts'
import type { ReducedCircuit } from '../../reduction/reduce-circuit.ts'
import { OP_WORK } from '../../timing/time-budget.ts'
import type { CliffordCircuit } from './clifford-circuit.ts'
import { PauliFrames } from './pauli-frames.ts'
import { Tableau } from './tableau.ts'

/**
 * Shots that share a block of random numbers: constant, so that results do not depend on the division of
 * work.
 */
const SHOTS_PER_BLOCK = 4_096

/** Work of copying a bit, in amplitude updates. */
const BIT_WORK = 16
/** Work of combining two words, in amplitude updates. */
const WORD_WORK = 4

/** The outcomes of one run, in the order of the measurements; random outcomes are 0. */
async function sampleReference(
  { qubits, steps, terminal }: CliffordCircuit,
  { timeBudget }: MethodRun,
): Promise<Uint8Array> {
  const tableau = new Tableau(qubits.length)
  const row = 2 * Math.ceil(qubits.length / 32)
  const outcomes: number[] = []
  const measure = (qubit: number) => {
    timeBudget.spend(OP_WORK + WORD_WORK * (tableau.isRandom(qubit) ? 2 * qubits.length * row : row))
    return tableau.measure(qubit, () => 0)
  }
  for (const step of steps) {
    if (step.kind === 'gate') {
      tableau.apply(step.gate)
      timeBudget.spend(OP_WORK + WORD_WORK * 8 * row)
    } else if (step.kind === 'measure') outcomes.push(measure(step.qubit))
    else if (step.kind === 'reset' && measure(step.qubit) === 1) tableau.flip(step.qubit)
    if (timeBudget.isYieldDue) await timeBudget.yieldIfDue()
  }
  for (const { qubit } of terminal) {
    outcomes.push(measure(qubit))
    if (timeBudget.isYieldDue) await timeBudget.yieldIfDue()
  }
  return Uint8Array.from(outcomes)
}

/** The outcomes of reference runs, for circuits that are run again: the same for every seed. */
const references = new WeakMap<CliffordCircuit, Uint8Array>()

/** Runs the circuit once on a tableau and propagates all shots as differences from that run. */
export async function runFrames(circuit: CliffordCircuit, workload: Workload, run: MethodRun): Promise<void> {
  run.timeBudget.enter('evolve')
  const reference = references.get(circuit) ?? (await sampleReference(circuit, run))
  references.set(circuit, reference)
  run.timeBudget.enter('sample')
  const terminal = workload.reduced?.terminal ?? []
  for (let first = 0; first < workload.shots; first += SHOTS_PER_BLOCK) {
    const shots = Math.min(SHOTS_PER_BLOCK, workload.shots - first)
    run.rng.seek(run.stream, first, PURPOSE.measurement)
    const outcomes = await sampleBlock(circuit, reference, { shots, terminal }, run)
    tallyBlock(outcomes, { first, shots }, workload.clbits, run)
    await run.timeBudget.yieldIfDue()
  }
}

/** The outcomes of a block of shots by classical bit, one bit per shot, with the errors of all readouts. */
async function sampleBlock(
  circuit: CliffordCircuit,
  reference: Uint8Array,
  { shots, terminal }: { shots: number; terminal: ReducedCircuit['terminal'] },
  { rng, readoutErrorOf, timeBudget }: MethodRun,
): Promise<Map<number, Uint32Array>> {
  const random = createFastRandom(rng)
  // Always a whole block, so that fewer shots draw the same numbers.
  const frames = new PauliFrames(circuit.qubits.length, SHOTS_PER_BLOCK, random)
  const outcomes = new Map<number, Uint32Array>()
  let measured = 0
  const record = (qubit: number, clbit: number) => {
    const outcome = reference[measured++] === 1 ? 0xffffffff : 0
    const bits = frames.flippedShots(qubit).slice()
    if (outcome !== 0) for (let word = 0; word < bits.length; word++) bits[word] = ~(bits[word] as number)
    if (clbit >= 0) outcomes.set(clbit, bits)
    return bits
  }
  for (const step of circuit.steps) {
    if (step.kind === 'gate') frames.apply(step.gate)
    else if (step.kind === 'noise') frames.applyNoise(step.qubits, step.noise)
    else if (step.kind === 'reset') frames.reset(step.qubit)
    else {
      applyReadoutError(
        record(step.qubit, step.clbit),
        readoutErrorOf(circuit.qubits[step.qubit] ?? 0),
        random,
      )
      frames.dephase(step.qubit)
    }
    timeBudget.spend(OP_WORK + shots)
    if (timeBudget.isYieldDue) await timeBudget.yieldIfDue()
  }
  for (const { qubit, clbit } of circuit.terminal) record(qubit, clbit)
  for (const { qubit, clbit } of terminal) {
    const error = readoutErrorOf(qubit)
    if (!canMisread(error)) continue
    // A qubit that stays |0> has no row.
    const bits = outcomes.get(clbit) ?? new Uint32Array(SHOTS_PER_BLOCK / 32)
    applyReadoutError(bits, error, random)
    outcomes.set(clbit, bits)
  }
  return outcomes
}

/**
 * Flips outcomes by the readout error. Errors are rare, so the gaps between shots with an error of the larger
 * probability are drawn; those of the other outcome are thinned out.
 */
function applyReadoutError(bits: Uint32Array, error: ReadoutError, random: FastRandom): void {
  if (!canMisread(error)) return
  const most = Math.max(...error)
  const factor = gapFactor(most)
  for (let shot = gapOf(random, factor); shot < 32 * bits.length; shot += 1 + gapOf(random, factor)) {
    const outcome = ((bits[shot >> 5] as number) >>> (shot & 31)) & 1
    const isMisread = error[outcome] === most || random.next() * most < (error[outcome] as number)
    if (isMisread) (bits[shot >> 5] as number) ^= 1 << (shot & 31)
  }
}

function tallyBlock(
  outcomes: ReadonlyMap<number, Uint32Array>,
  { first, shots }: { first: number; shots: number },
  clbits: number,
  { tally, timeBudget }: MethodRun,
): void {
  const words = Math.ceil(clbits / 32)
  const bits = new Uint32Array(words * SHOTS_PER_BLOCK)
  const square = new Uint32Array(32)
  for (let word = 0; word < words; word++) {
    timeBudget.spend((BIT_WORK / 8) * 32 * shots)
    const rows = Array.from({ length: 32 }, (_, bit) => outcomes.get(32 * word + bit))
    for (let group = 0; 32 * group < shots; group++) {
      for (let bit = 0; bit < 32; bit++) square[bit] = rows[bit]?.[group] ?? 0
      transpose(square)
      for (let shot = 0; shot < 32; shot++) bits[(32 * group + shot) * words + word] = square[shot] as number
    }
  }
  tally.addWords(bits, words, { first, shots })
}
