import { JobError } from '../../../../errors.ts'
import { PURPOSE } from '../../../../numeric/random.ts'
import { defineMethod, type MethodRun, type Task } from '../../define-method.ts'
import { CliffordReader } from './clifford.ts'
import { Frames } from './frames.ts'
import { Tableau } from './tableau.ts'
import { type CliffordCircuit, type Step, translate } from './translate.ts'

/** Where a tableau takes 50 MB. */
const MOST_QUBITS = 5_000

/** Up to here the statevector is as fast, and samples gates of every kind. */
const FEW_QUBITS = 10

/** Words of 32 bits combined per second: measured 0.8e9. */
const WORDS_PER_SECOND = 5e8

/** Shots that share a block of random numbers: a constant, or results would depend on how work is divided. */
const BLOCK = 4_096

/**
 * Exact simulation of Clifford circuits of thousands of qubits. One run on a tableau serves as the reference; shots
 * differ from it by Pauli operators, which are carried through the circuit 32 at a time.
 */
export const stabilizer = defineMethod({
  name: 'stabilizer',
  prefers: (task) => (task.reduced?.qubits.length ?? 0) > FEW_QUBITS,
  refuse(task) {
    const qubits = task.reduced?.qubits.length ?? task.qubits
    if (qubits > MOST_QUBITS) {
      return { code: 'too_many_qubits', reason: `needs ${qubits} qubits, at most ${MOST_QUBITS} fit` }
    }
    if (!task.reduced) return undefined
    const circuit = translate(task.reduced)
    if (!('foreign' in circuit)) return undefined
    return { code: 'not_clifford', reason: notClifford(circuit.foreign) }
  },
  cost(task) {
    const circuit = task.reduced && translate(task.reduced)
    if (!circuit || 'foreign' in circuit) return 0
    return workOf(circuit, task.shots) / WORDS_PER_SECOND
  },
  async run(task, run) {
    if (!task.reduced) await runWalks(task, run)
    else {
      const circuit = translate(task.reduced)
      run.phases.end('plan')
      if ('foreign' in circuit) throw foreign(circuit.foreign)
      await runFrames(circuit, task, run)
    }
    return {}
  },
})

function notClifford(op: { kind: string; name?: string }): string {
  return `the gate ${op.name ?? op.kind} is not Clifford`
}

function foreign(op: { kind: string; name?: string }): JobError {
  const text = `${notClifford(op)}; the method stabilizer runs Clifford gates only, choose another`
  return new JobError(text, { errorCode: 'not_clifford' })
}

/** Words that are combined: rows of the tableau by gates and random outcomes, frames by all steps. */
function workOf({ qubits, steps, terminal }: CliffordCircuit, shots: number): number {
  const row = 2 * Math.ceil(qubits / 32)
  const isBranching = (step: Step) =>
    step.kind === 'gate' && step.gate.after.some(({ x }) => x !== 0 && step.gate.qubits.length > 0)
  const measurements = steps.filter(({ kind }) => kind !== 'gate').length + terminal.length
  const random = Math.min(measurements, steps.filter(isBranching).length)
  const perStep = 8 * row + 8 * Math.ceil(shots / 32)
  return (steps.length + terminal.length) * perStep + random * 2 * qubits * row
}

/** The outcomes of one run, in the order of the measurements; a coin that could fall either way falls on 0. */
async function referenceOf(
  { qubits, steps, terminal }: CliffordCircuit,
  { pacer }: MethodRun,
): Promise<Uint8Array> {
  const tableau = new Tableau(qubits)
  const row = 2 * Math.ceil(qubits / 32)
  const outcomes: number[] = []
  const measure = (qubit: number) => {
    pacer.spend(tableau.isRandom(qubit) ? 2 * qubits * row : row)
    return tableau.measure(qubit, () => 0)
  }
  for (const step of steps) {
    if (step.kind === 'gate') {
      tableau.apply(step.gate)
      pacer.spend(8 * row)
    } else if (step.kind === 'measure') outcomes.push(measure(step.qubit))
    else if (measure(step.qubit) === 1) tableau.flip(step.qubit)
    if (pacer.isRestDue) await pacer.rest()
  }
  for (const { qubit } of terminal) {
    outcomes.push(measure(qubit))
    if (pacer.isRestDue) await pacer.rest()
  }
  return Uint8Array.from(outcomes)
}

async function runFrames(circuit: CliffordCircuit, task: Task, run: MethodRun): Promise<void> {
  const reference = await referenceOf(circuit, run)
  run.phases.end('evolve')
  for (let first = 0; first < task.shots; first += BLOCK) {
    const shots = Math.min(BLOCK, task.shots - first)
    run.rng.seek(run.stream, first, PURPOSE.measurement)
    const outcomes = await sampleBlock(circuit, reference, shots, run)
    tallyBlock(outcomes, { first, shots }, task.clbits, run)
    await run.pacer.rest()
  }
  run.phases.end('sample')
}

/** The outcomes of a block of shots by classical bit, a bit per shot. */
async function sampleBlock(
  { qubits, steps, terminal }: CliffordCircuit,
  reference: Uint8Array,
  shots: number,
  { rng, readoutError, pacer }: MethodRun,
): Promise<Map<number, Uint32Array>> {
  // Whole blocks always, so that fewer shots draw the same numbers.
  const frames = new Frames(qubits, BLOCK, rng)
  const outcomes = new Map<number, Uint32Array>()
  let measured = 0
  const record = (qubit: number, clbit: number) => {
    const outcome = reference[measured++] === 1 ? 0xffffffff : 0
    const bits = frames.differing(qubit).map((word) => word ^ outcome)
    if (clbit >= 0) outcomes.set(clbit, bits)
    return bits
  }
  for (const step of steps) {
    if (step.kind === 'gate') frames.apply(step.gate)
    else if (step.kind === 'reset') frames.reset(step.qubit)
    else {
      misread(record(step.qubit, step.clbit), readoutError, rng)
      frames.dephase(step.qubit)
    }
    pacer.spend(shots)
    if (pacer.isRestDue) await pacer.rest()
  }
  for (const { qubit, clbit } of terminal) record(qubit, clbit)
  return outcomes
}

/** Flips each bit with a probability. */
function misread(bits: Uint32Array, probability: number, rng: MethodRun['rng']): void {
  if (probability === 0) return
  for (let shot = 0; shot < 32 * bits.length; shot++) {
    if (rng.next() < probability) (bits[shot >> 5] as number) ^= 1 << (shot & 31)
  }
}

function tallyBlock(
  outcomes: ReadonlyMap<number, Uint32Array>,
  { first, shots }: { first: number; shots: number },
  clbits: number,
  { tally }: MethodRun,
): void {
  const bits = new Uint8Array(clbits)
  for (let shot = 0; shot < shots; shot++) {
    for (const [clbit, words] of outcomes) bits[clbit] = ((words[shot >> 5] ?? 0) >>> (shot & 31)) & 1
    tally.add(bits, [first + shot])
  }
}

/** A program that outcomes steer, shot by shot. */
async function runWalks(task: Task, run: MethodRun): Promise<void> {
  const reader = new CliffordReader()
  const words = 2 * Math.ceil(task.qubits / 32)
  for (let shot = 0; shot < task.shots; shot++) {
    const { rng, pacer } = run
    rng.seek(run.stream, shot, PURPOSE.measurement)
    const tableau = new Tableau(task.qubits)
    const coin = () => (rng.next() < 0.5 ? 0 : 1)
    const measure = (qubit: number) => {
      pacer.spend(tableau.isRandom(qubit) ? 2 * task.qubits * words : words)
      return tableau.measure(qubit, coin)
    }
    const bits = task.walk({
      apply(op) {
        if (op.kind === 'reset' && measure(op.qubit) === 1) tableau.flip(op.qubit)
        if (op.kind !== 'unitary' && op.kind !== 'phase') return
        const gate = reader.read(op)
        if (!gate) throw foreign(op)
        tableau.apply(gate)
        pacer.spend(8 * words)
      },
      measure(qubit) {
        const outcome = measure(qubit)
        return run.readoutError > 0 && rng.next() < run.readoutError ? invert(outcome) : outcome
      },
    })
    run.tally.add(bits, [shot])
    await pacer.rest()
  }
  run.phases.end('evolve')
}

function invert(outcome: 0 | 1): 0 | 1 {
  return outcome === 0 ? 1 : 0
}
