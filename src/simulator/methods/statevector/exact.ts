import type { Op, Sink } from '../../../qasm/index.ts'
import { type ExactRun, measuredOf, type Workload } from '../../define-method.ts'
import { UnsuitableMethodError } from '../../errors.ts'
import { ExactSums } from '../../exact/exact-sums.ts'
import { observedQubits } from '../../exact/observables.ts'
import { elementsOfState } from '../../exact/state-elements.ts'
import { canMisread } from '../../readout/readout.ts'
import { QubitPlaces } from '../../reduction/qubit-places.ts'
import type { ReducedCircuit } from '../../reduction/reduce-circuit.ts'
import { compile } from './gates/compile.ts'
import { planCircuit } from './state/plan.ts'
import { Statevector } from './state/statevector.ts'

/** Branches of outcomes that are followed, each from the start. */
const MAX_BRANCHES = 4_096
/** Probability of all branches that are left out together, at most. */
const MAX_DROPPED = 1e-12
/** A branch of less probability is left out, so that loops which wait for an outcome end. */
const MIN_WEIGHT = MAX_DROPPED / MAX_BRANCHES

/** Ends the walk of a branch that is left out. */
class LeftOut extends Error {}

/** The exact values of a circuit whose gates have no noise, over all branches of outcomes. */
export async function computeOnState(
  workload: Workload,
  run: ExactRun,
  assertFits: (qubits: number) => void,
): Promise<ExactSums> {
  const sums = new ExactSums(measuredOf(workload), run)
  const { reduced } = workload
  if (reduced && !reduced.canBranch) await addPlain(workload, reduced, run, sums)
  else await addBranches(workload, run, assertFits, sums)
  run.engine.release()
  return sums
}

async function addPlain(
  workload: Workload,
  reduced: ReducedCircuit,
  { engine, timeBudget }: ExactRun,
  sums: ExactSums,
): Promise<void> {
  // Read like bits that no measurement writes, so that the plan says where they are.
  const observed = observedQubits(workload.exact?.observables ?? []).map(({ qubit }) => ({
    qubit,
    clbit: -1,
  }))
  const read = [...reduced.terminal, ...observed]
  const plan = planCircuit({ ...reduced, terminal: read }, timeBudget)
  const state = new Statevector(engine, plan.qubits, timeBudget)
  timeBudget.enter('evolve')
  for (const step of plan.steps) if (step.kind === 'gates') await state.evolve(step.calls, timeBudget)
  timeBudget.enter('sample')
  const bits = new Map(read.map(({ qubit }, index) => [qubit, plan.terminal[index]?.bit ?? 0]))
  sums.add({
    weight: 1,
    state: elementsOfState(state.amplitudes, plan.qubits),
    bitOf: (qubit) => bits.get(qubit) ?? 0,
    bits: new Uint8Array(workload.clbits),
  })
}

async function addBranches(
  workload: Workload,
  run: ExactRun,
  assertFits: (qubits: number) => void,
  sums: ExactSums,
): Promise<void> {
  const { reduced } = workload
  const { timeBudget } = run
  const all: (0 | 1)[][] = [[]]
  timeBudget.enter('evolve')
  // The first that were left come first: others leave them early, so that too many are found out soon.
  for (const history of all) {
    const places = reduced ? new QubitPlaces(reduced.qubits) : workload.createPlaces()
    const room = MAX_BRANCHES - all.length
    const walker = new BranchOfOutcomes(history, { places, run, assertFits, room })
    try {
      const bits = reduced ? walkReduced(reduced, walker, workload.clbits) : workload.walk(walker)
      const state = elementsOfState(walker.state.amplitudes, walker.state.qubits)
      const bitOf = (qubit: number) => bitAt(places, qubit)
      sums.add({ weight: walker.weight, state, bitOf, bits })
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error
      sums.dropped += walker.weight
    }
    all.push(...walker.others)
    sums.dropped += walker.dropped
    if (sums.dropped >= MAX_DROPPED) throw tooManyBranches()
    await timeBudget.yieldIfDue()
  }
}

function tooManyBranches(): UnsuitableMethodError {
  const reason = `has more than ${MAX_BRANCHES} branches of outcomes`
  return new UnsuitableMethodError({ code: 'too_many_branches', reason })
}

function walkReduced({ ops }: ReducedCircuit, walker: BranchOfOutcomes, clbits: number): Uint8Array {
  const bits = new Uint8Array(clbits)
  for (const op of ops) {
    if (op.kind === 'measure') {
      const outcome = walker.measure(op.qubit)
      if (op.clbit >= 0) bits[op.clbit] = outcome
    } else if (op.kind !== 'channel') walker.apply(op)
  }
  return bits
}

function bitAt(places: QubitPlaces, qubit: number): number {
  const place = places.find(qubit)
  return place === undefined ? 0 : 1 << place
}

/** One walk through a program: outcomes are prescribed up to a point, and the likelier ones after it. */
class BranchOfOutcomes implements Sink {
  readonly state: Statevector
  /** Probability of the outcomes. */
  weight = 1
  /** Outcomes of the branches that leave this one. */
  readonly others: (0 | 1)[][] = []
  /** Probability of the branches that leave this one and are left out. */
  dropped = 0
  readonly #prescribed: readonly (0 | 1)[]
  readonly #taken: (0 | 1)[] = []
  readonly #places: QubitPlaces
  readonly #run: ExactRun
  readonly #assertFits: (qubits: number) => void
  /** Branches that may leave this one. */
  readonly #room: number

  constructor(
    prescribed: readonly (0 | 1)[],
    parts: { places: QubitPlaces; run: ExactRun; assertFits: (qubits: number) => void; room: number },
  ) {
    this.#room = parts.room
    this.#prescribed = prescribed
    this.#places = parts.places
    this.#run = parts.run
    this.#assertFits = parts.assertFits
    this.state = new Statevector(parts.run.engine, parts.places.size, parts.run.timeBudget)
  }

  apply(op: Op): void {
    if (op.kind === 'reset') this.#reset(op.qubit)
    else if (op.kind === 'unitary' || op.kind === 'phase') {
      const calls = compile(op, (qubit) => 1 << this.#places.take(qubit))
      if (this.#places.size > this.state.qubits) {
        this.#assertFits(this.#places.size)
        this.state.grow(this.#places.size)
      }
      this.state.applyAll(calls)
    }
  }

  measure(qubit: number): 0 | 1 {
    const outcome = this.#project(qubit)
    const error = this.#run.readoutErrorOf(qubit)
    if (!canMisread(error)) return outcome
    const one = outcome === 1 ? 1 - error[1] : error[0]
    return this.#decide(one, 1 - one)
  }

  #reset(qubit: number): void {
    if (this.#project(qubit) === 0) return
    this.state.apply({ kind: 'flip', target: bitAt(this.#places, qubit), controls: 0, value: 0 })
  }

  #project(qubit: number): 0 | 1 {
    const bit = bitAt(this.#places, qubit)
    if (bit === 0) return 0
    const one = this.state.weight(bit, bit)
    // Next to 1, the difference from it would be a rounding error.
    const outcome = this.#decide(one, one > 0.5 ? this.state.weight(bit, 0) : 1 - one)
    this.state.project(bit, outcome === 1 ? bit : 0)
    return outcome
  }

  /** Takes one of two outcomes of these probabilities. @throws LeftOut when they are too improbable. */
  #decide(one: number, zero: number): 0 | 1 {
    const prescribed = this.#prescribed[this.#taken.length]
    const outcome = prescribed ?? (one > zero ? 1 : 0)
    const [probability, other] = outcome === 1 ? [one, zero] : [zero, one]
    const rest = this.weight * other
    if (prescribed === undefined) {
      if (rest < MIN_WEIGHT) this.dropped += rest
      else if (this.others.push([...this.#taken, outcome === 1 ? 0 : 1]) > this.#room) throw tooManyBranches()
    }
    this.#taken.push(outcome)
    this.weight *= probability
    if (this.weight < MIN_WEIGHT) throw new LeftOut()
    return outcome
  }
}
