import type { Op, Position, Sink } from '../../../qasm/index.ts'
import { type ExactRun, measuredOf, type Workload } from '../../define-method.ts'
import { UnsuitableMethodError } from '../../errors.ts'
import { ExactSums } from '../../exact/exact-sums.ts'
import { observedQubits } from '../../exact/observables.ts'
import { elementsOfState } from '../../exact/state-elements.ts'
import type { AmplitudeArray } from '../../kernel/layout.ts'
import { canMisread } from '../../readout/readout.ts'
import { QubitPlaces } from '../../reduction/qubit-places.ts'
import type { ReducedCircuit } from '../../reduction/reduce-circuit.ts'
import { compile } from './gates/compile.ts'
import { planCircuit } from './state/plan.ts'
import { Statevector } from './state/statevector.ts'

/** Branches of outcomes that are followed. */
const MAX_BRANCHES = 4_096
/** Probability of all branches that are left out together, at most. */
const MAX_DROPPED = 1e-12
/** A branch of less probability is left out, so that loops which wait for an outcome end. */
const MIN_WEIGHT = MAX_DROPPED / MAX_BRANCHES

/** Bytes of the states that are kept for branches which wait; others are walked from an earlier state. */
const MAX_KEPT_BYTES = 2 ** 26

/** The end of a step, from where the branches that fork afterwards go on. */
interface Kept<Position> {
  position: Position
  weight: number
  amplitudes: AmplitudeArray
  places: QubitPlaces
}

/** Where a branch begins, and its outcomes from there to its fork. */
interface Branch<Position> {
  from: Kept<Position> | undefined
  outcomes: readonly (0 | 1)[]
}

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
  else {
    const parts = { workload, run, assertFits, sums }
    if (reduced) await addBranches(parts, walkSteps(reduced, workload.clbits))
    else await addBranches<Position>(parts, (walker, from) => workload.walk(walker, from))
  }
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

interface Parts {
  workload: Workload
  run: ExactRun
  assertFits: (qubits: number) => void
  sums: ExactSums
}

/** Executes the program of a walk, once or on from a position, and returns the classical bits. */
type Walk<Position> = (walker: BranchWalk<Position>, from: Position | undefined) => Uint8Array

async function addBranches<Position>(
  { workload, run, assertFits, sums }: Parts,
  walk: Walk<Position>,
): Promise<void> {
  const { timeBudget } = run
  timeBudget.enter('evolve')
  // The likelier of two branches waits: each that waits has half of the weight of the one before, at most, so
  // that few of them do.
  const waiting: Branch<Position>[] = [{ from: undefined, outcomes: [] }]
  let count = 0
  for (let branch = waiting.pop(); branch; branch = waiting.pop()) {
    const places = branch.from?.places.clone() ?? placesOf(workload)
    const walker = new BranchWalk(branch, { places, run, assertFits, waiting: waiting.length })
    try {
      const bits = walk(walker, branch.from?.position)
      const state = elementsOfState(walker.state.amplitudes, walker.state.qubits)
      const bitOf = (qubit: number) => bitAt(places, qubit)
      sums.add({ weight: walker.weight, state, bitOf, bits })
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error
      sums.dropped += walker.weight
    }
    waiting.push(...walker.others)
    sums.dropped += walker.dropped
    if (++count + waiting.length > MAX_BRANCHES || sums.dropped >= MAX_DROPPED) throw tooManyBranches()
    await timeBudget.yieldIfDue()
  }
}

function placesOf({ reduced, createPlaces }: Workload): QubitPlaces {
  return reduced ? new QubitPlaces(reduced.qubits) : createPlaces()
}

function tooManyBranches(): UnsuitableMethodError {
  const reason = `has more than ${MAX_BRANCHES} branches of outcomes`
  return new UnsuitableMethodError({ code: 'too_many_branches', reason })
}

/** How far the steps of a circuit are executed, with the bits at that point. */
interface StepPosition {
  next: number
  bits: Uint8Array
}

function walkSteps({ ops }: ReducedCircuit, clbits: number): Walk<StepPosition> {
  return (walker, from) => {
    const bits = from?.bits.slice() ?? new Uint8Array(clbits)
    const start = from?.next ?? 0
    for (const [index, op] of ops.slice(start).entries()) {
      walker.pause(() => ({ next: start + index, bits: bits.slice() }))
      if (op.kind === 'measure') {
        const outcome = walker.measure(op.qubit)
        if (op.clbit >= 0) bits[op.clbit] = outcome
      } else if (op.kind !== 'channel') walker.apply(op)
    }
    return bits
  }
}

function bitAt(places: QubitPlaces, qubit: number): number {
  const place = places.find(qubit)
  return place === undefined ? 0 : 1 << place
}

/** One walk through a program: outcomes are prescribed up to a fork, and the less likely ones after it. */
class BranchWalk<Position> implements Sink {
  readonly state: Statevector
  /** Probability of the outcomes. */
  weight: number
  /** The branches that leave this one. */
  readonly others: Branch<Position>[] = []
  /** Probability of the branches that leave this one and are left out. */
  dropped = 0
  #prescribed: readonly (0 | 1)[]
  #from: Kept<Position> | undefined
  /** Outcomes since then. */
  #taken: (0 | 1)[] = []
  /** Whether one of them was a choice. */
  #hasForked = false
  readonly #places: QubitPlaces
  /** Branches that wait besides those that leave this one. */
  readonly #waiting: number
  readonly #run: ExactRun
  readonly #assertFits: (qubits: number) => void

  constructor(
    { from, outcomes }: Branch<Position>,
    parts: Pick<Parts, 'run' | 'assertFits'> & { places: QubitPlaces; waiting: number },
  ) {
    this.#from = from
    this.weight = from?.weight ?? 1
    this.#waiting = parts.waiting
    this.#prescribed = outcomes
    this.#hasForked = outcomes.length > 0
    this.#places = parts.places
    this.#run = parts.run
    this.#assertFits = parts.assertFits
    this.state = new Statevector(parts.run.engine, parts.places.size, parts.run.timeBudget)
    if (from) this.state.load(from.amplitudes)
  }

  pause(take: () => Position): void {
    const isAtFork = this.#taken.length < this.#prescribed.length
    if (isAtFork || !this.#hasForked) return
    if ((this.#waiting + this.others.length + 1) * this.state.bytes > MAX_KEPT_BYTES) return
    const [weight, amplitudes, places] = [this.weight, this.state.copy(), this.#places.clone()]
    this.#from = { position: take(), weight, amplitudes, places }
    this.#prescribed = []
    this.#taken = []
    this.#hasForked = false
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
    const [least, most] = one > zero ? ([0, 1] as const) : ([1, 0] as const)
    const rest = this.weight * (least === 1 ? one : zero)
    const isFork = rest >= MIN_WEIGHT
    const outcome = prescribed ?? (isFork ? least : most)
    if (prescribed === undefined) {
      if (isFork) this.others.push({ from: this.#from, outcomes: [...this.#taken, most] })
      else this.dropped += rest
      this.#hasForked ||= isFork
    }
    this.#taken.push(outcome)
    this.weight *= outcome === 1 ? one : zero
    if (this.weight < MIN_WEIGHT) throw new LeftOut()
    return outcome
  }
}
