import type { Circuit, Op } from '../../../src/qasm/index.ts'
import { applyPhase, applyUnitary, type Branch, flip, probabilitiesOf, project } from './branch.ts'

/** Qubits whose state a page calculates. */
export const MAX_IDEAL_QUBITS = 12
/** States that outcomes amid a program may lead to. */
const MAX_BRANCHES = 64
/** Numbers that are read and written for one program: some seconds. */
const MAX_WORK = 2 ** 28
/** Probabilities below are rounding errors. */
const NEGLIGIBLE = 1e-12

/** The probability of each outcome without errors and noise, or why a page cannot calculate it. */
export type Ideal = { probabilities: Record<string, number> } | { unknown: string }

/** Why a page cannot calculate a distribution. */
class Unknown extends Error {}

/**
 * The distribution of the outcomes of a circuit on a perfect device, exact but for rounding. Qubits that are
 * measured or reset and used afterwards divide the state into branches.
 */
export function idealDistribution({ ops, clbits, dynamic }: Circuit): Ideal {
  if (dynamic || !ops) return { unknown: 'outcomes decide what runs' }
  if (clbits === 0) return { unknown: 'the program has no classical bits' }
  const steps = ops.filter((op): op is Step => op.kind !== 'barrier' && op.kind !== 'delay')
  try {
    const run = new IdealRun(steps)
    for (const [index, step] of steps.entries()) run.apply(step, index)
    return { probabilities: run.distribution(clbits) }
  } catch (error) {
    if (error instanceof Unknown) return { unknown: error.message }
    throw error
  }
}

type Step = Exclude<Op, { kind: 'barrier' | 'delay' }>

class IdealRun {
  readonly #places = new Map<number, number>()
  /** The last step that changes a qubit. */
  readonly #last = new Map<number, number>()
  /** The place that each bit reads at the end. */
  readonly #read = new Map<number, number>()
  readonly #placeOf = (qubit: number) => this.#places.get(qubit) ?? 0
  #branches: Branch[]
  #work = 0

  constructor(steps: readonly Step[]) {
    for (const [index, step] of steps.entries()) {
      for (const qubit of qubitsOf(step)) {
        if (!this.#places.has(qubit)) this.#places.set(qubit, this.#places.size)
        if (step.kind !== 'measure') this.#last.set(qubit, index)
      }
    }
    if (this.#places.size > MAX_IDEAL_QUBITS) throw new Unknown(`it uses ${this.#places.size} qubits`)
    const amplitudes = new Float64Array(2 * 2 ** this.#places.size)
    amplitudes[0] = 1
    this.#branches = [{ amplitudes, outcomes: new Map() }]
  }

  apply(step: Step, index: number): void {
    const rows = step.kind === 'unitary' ? 2 ** step.targets.length : 1
    this.#work += this.#branches.length * 2 ** this.#places.size * rows
    if (this.#work > MAX_WORK) throw new Unknown('it has too many gates')
    if (step.kind === 'unitary')
      for (const branch of this.#branches) applyUnitary(branch, step, this.#placeOf)
    else if (step.kind === 'phase')
      for (const branch of this.#branches) applyPhase(branch, step, this.#placeOf)
    else this.#observe(step, index)
  }

  #observe(step: Extract<Step, { kind: 'measure' | 'reset' }>, index: number): void {
    const place = this.#placeOf(step.qubit)
    if (step.kind === 'measure' && (this.#last.get(step.qubit) ?? -1) < index) {
      if (step.clbit >= 0) this.#read.set(step.clbit, place)
      return
    }
    this.#branches = this.#branches.flatMap((branch) => divide(branch, step, place))
    if (this.#branches.length > MAX_BRANCHES)
      throw new Unknown('too many outcomes are measured amid the program')
  }

  /** The probability of each outcome. */
  distribution(clbits: number): Record<string, number> {
    return distributionOf(this.#branches, this.#read, clbits)
  }
}

function qubitsOf(op: Step): readonly number[] {
  if (op.kind === 'unitary') return [...op.targets, ...op.controls]
  return op.kind === 'phase' ? op.controls : [op.qubit]
}

/** The branches of a measurement or a reset that have a probability. */
function divide(branch: Branch, op: Extract<Step, { kind: 'measure' | 'reset' }>, place: number): Branch[] {
  const clbit = op.kind === 'measure' ? op.clbit : -1
  return ([0, 1] as const).flatMap((outcome) => {
    const found = project(branch, { place, outcome, clbit })
    if (probabilitiesOf(found).reduce((sum, each) => sum + each, 0) < NEGLIGIBLE) return []
    if (op.kind === 'reset' && outcome === 1) flip(found, place)
    return [found]
  })
}

function distributionOf(
  branches: readonly Branch[],
  read: ReadonlyMap<number, number>,
  clbits: number,
): Record<string, number> {
  const found: Record<string, number> = {}
  for (const branch of branches) {
    for (const [state, probability] of probabilitiesOf(branch).entries()) {
      if (probability < NEGLIGIBLE) continue
      const bits = Array.from({ length: clbits }, () => 0)
      for (const [clbit, outcome] of branch.outcomes) bits[clbits - 1 - clbit] = outcome
      for (const [clbit, place] of read) bits[clbits - 1 - clbit] = (state >> place) & 1
      const outcome = bits.join('')
      found[outcome] = (found[outcome] ?? 0) + probability
    }
  }
  return found
}
