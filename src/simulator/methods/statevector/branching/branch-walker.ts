import type { Op, Sink } from '../../../../qasm/index.ts'
import type { KernelCall } from '../../../kernel/kernel-call.ts'
import type { NoiseModel } from '../../../noise/noise-model.ts'
import { PURPOSE, type Rng } from '../../../numeric/random.ts'
import { shotNumbers } from '../../../numeric/shot-numbers.ts'
import { canMisread, type ReadoutError } from '../../../readout/readout.ts'
import { QubitPlaces } from '../../../reduction/qubit-places.ts'
import type { TimeBudget } from '../../../timing/time-budget.ts'
import { compile } from '../gates/compile.ts'
import { type KrausOperator, KrausTable, krausCall, probabilityIn } from '../state/kraus.ts'
import type { Step } from '../state/plan.ts'
import type { Statevector } from '../state/statevector.ts'
import {
  type Branch,
  type KnownBits,
  NO_OUTCOMES,
  type Outcome,
  PendingBranches,
  SharedState,
} from './pending-branches.ts'

interface BranchContext {
  /** The state on which the branches are walked, one after the other. */
  state: Statevector
  rng: Rng
  /** Sub-stream of this circuit. */
  stream: number
  timeBudget: TimeBudget
  /** Readout error of a mid-circuit measurement. */
  readoutErrorOf(qubit: number): ReadoutError
  /** What a program with feedback needs in addition: a plan contains its noise and its bits as steps. */
  feedback?: Feedback
}

/** How the steps of a program with feedback act on the state. */
interface Feedback {
  noise: NoiseModel | undefined
  /** Where the qubits are at the start. */
  places: QubitPlaces
  /** Throws when a state of this number of qubits is too large. */
  assertFits(qubits: number): void
}

/** Work of a decision of one shot, in amplitude updates. */
const SHOT_WORK = 128

/** Feedback of a plan, which has no qubits to place. */
const NO_FEEDBACK: Feedback = { noise: undefined, places: new QubitPlaces(), assertFits: () => undefined }

/** Maximum amplitude updates to queue: executing them without yielding takes some hundredths of a second. */
const MAX_QUEUED_WORK = 2 ** 24

/**
 * Walks one branch. The first measurement after a gate draws a whole basis state for each shot; this and the
 * following measurements read its bits, and the state is projected only before the next gate. Where shots
 * differ, the larger group continues here and the smaller group becomes a pending branch, which walks the
 * program again with the outcomes so far prescribed.
 */
export class BranchWalker implements Sink {
  readonly #context: BranchContext
  readonly #feedback: Feedback
  /** Places of this branch alone: what a shot draws depends on them, and they on nothing but its outcomes. */
  readonly #places: QubitPlaces
  readonly #pending: PendingBranches
  readonly #branch: Branch
  readonly #history: Outcome[] = []
  readonly #kraus: KrausTable
  #sharedState: SharedState
  /** Whether steps are skipped, up to the point where the branch left another one. */
  #isSkipping: boolean
  #shots: Uint32Array
  #known: KnownBits = NO_OUTCOMES
  /** Basis state of each shot, from the first measurement to the next gate. */
  #indices: Uint32Array | undefined
  #samplings = 0
  /** Number of channels so far: each uses separate draws. */
  #channels = 0
  /** Gates queued until the next measurement: many together take less time than one by one. */
  #queue: KernelCall[] = []

  constructor(branch: Branch, source: BranchContext, pending: PendingBranches, kraus: KrausTable) {
    this.#context = source
    this.#feedback = source.feedback ?? NO_FEEDBACK
    this.#kraus = kraus
    this.#pending = pending
    this.#branch = branch
    this.#shots = branch.shots
    this.#places = (branch.sharedState && branch.places) ?? this.#feedback.places.clone()
    this.#sharedState = branch.sharedState ?? new SharedState()
    if (!branch.sharedState) source.state.reset()
    else if (branch.sharedState.copy) source.state.load(branch.sharedState.copy)
    this.#isSkipping = branch.sharedState !== undefined && branch.history.length > 0
  }

  /** The shots that continue in this branch. */
  get shots(): Uint32Array {
    return this.#shots
  }

  /** A basis state for each shot, drawn from the state at this point. */
  indices(): Uint32Array {
    this.#flushNow()
    const { state, rng, stream } = this.#context
    this.#indices ??= state.draw(this.#shots, rng, stream, this.#samplings++)
    return this.#indices
  }

  /** Executes one step of a plan; `bits` receives the outcomes of measurements. */
  async step(step: Step, bits: Uint8Array): Promise<void> {
    if (step.kind === 'gates') {
      if (this.#isSkipping) return
      this.#enqueue(step.calls)
      if (this.#isQueueLong) await this.flush()
      return
    }
    if (
      step.kind !== 'channel' ||
      step.operators.some(({ fixedProbability }) => fixedProbability === undefined)
    )
      await this.flush()
    if (step.kind === 'channel') this.#applyChannel(step.targets, step.operators)
    else if (step.kind === 'reset') this.#reset(step.bit)
    else {
      const outcome = this.#measureWithReadout(step.bit, step.qubit)
      if (step.clbit >= 0) bits[step.clbit] = outcome
    }
  }

  /** Executes the queued gates, yielding to the event loop. */
  async flush(): Promise<void> {
    if (this.#queue.length > 0) await this.#context.state.evolve(this.#takeQueue(), this.#context.timeBudget)
  }

  apply(op: Op): void {
    if (op.kind === 'reset') this.#reset(this.#knownBitOf(op.qubit))
    if (op.kind === 'reset' || op.kind === 'measure' || op.kind === 'barrier') return
    if (!this.#isSkipping && op.kind !== 'delay') {
      const calls = compile(op, this.#bitOf)
      this.#grow()
      this.#enqueue(calls)
    }
    if (this.#isQueueLong) this.#flushNow()
    for (const { qubits, channel } of this.#feedback.noise?.channelsAfter?.(op) ?? []) {
      const targets = qubits.map(this.#bitOf)
      this.#grow()
      this.#applyChannel(targets, this.#kraus.operatorsOf(channel))
    }
  }

  measure(qubit: number): 0 | 1 {
    return this.#measureWithReadout(this.#knownBitOf(qubit), qubit)
  }

  /** The bit of a qubit that a step changes. */
  readonly #bitOf = (qubit: number): number => 1 << this.#places.take(qubit)

  /** The bit of a qubit; 0 for one that is still |0>. */
  #knownBitOf(qubit: number): number {
    const place = this.#places.find(qubit)
    return place === undefined ? 0 : 1 << place
  }

  /** Adds the qubits that have got a place to the state. */
  #grow(): void {
    const { state } = this.#context
    const { size } = this.#places
    if (size <= state.qubits) return
    this.#feedback.assertFits(size)
    state.grow(size)
  }

  #enqueue(calls: readonly KernelCall[]): void {
    if (this.#queue.length === 0) this.#project()
    // In a loop: there may be more calls than a function takes arguments.
    for (const call of calls) this.#queue.push(call)
  }

  get #isQueueLong(): boolean {
    return this.#queue.length * 2 ** this.#context.state.qubits > MAX_QUEUED_WORK
  }

  /** Executes the queued gates without yielding. */
  #flushNow(): void {
    if (this.#queue.length > 0) this.#context.state.applyAll(this.#takeQueue())
  }

  #takeQueue(): KernelCall[] {
    const queue = this.#queue
    this.#queue = []
    return queue
  }

  /** Detaches the state from pending branches and projects it onto the outcomes so far. */
  #project(): void {
    const { state } = this.#context
    this.#sharedState = this.#pending.detach(this.#sharedState, state)
    if (this.#known.mask !== 0) state.project(this.#known.mask, this.#known.value)
    this.#known = NO_OUTCOMES
    this.#indices = undefined
  }

  /** Lets each shot choose one operator of a channel; shots with equal choices stay together. */
  #applyChannel(targets: number[], operators: readonly KrausOperator[]): void {
    const { rng, stream, state, timeBudget } = this.#context
    const channel = this.#channels++
    const isCertain = operators.every(({ fixedProbability }) => fixedProbability !== undefined)
    if (!this.#isSkipping && !isCertain) {
      if (this.#known.mask !== 0) this.#project()
      this.#flushNow()
    }
    const probabilities: number[] = []
    // Computed on demand: on skipped steps the choice is prescribed and the state absent.
    const probabilityOf = (index: number) => {
      probabilities[index] ??= probabilityIn(state, operators[index] as KrausOperator, targets)
      return probabilities[index]
    }
    const upTo = (index: number): number => probabilityOf(index) + (index > 0 ? upTo(index - 1) : 0)
    const isChosen = (shot: number) => {
      rng.seek(stream, shot, PURPOSE.noise, channel)
      return rng.next() < upTo(index)
    }
    let index = 0
    while (index < operators.length - 1 && this.#decide(0, isChosen) === 0) index++
    const operator = operators[index] as KrausOperator
    if (!this.#isSkipping && !operator.isScaledIdentity)
      this.#enqueue([krausCall(operator, targets, probabilityOf(index))])
    timeBudget.spend(SHOT_WORK * this.#shots.length)
  }

  #reset(bit: number): void {
    const outcome = this.#measure(bit)
    if (outcome === 1 && !this.#isSkipping)
      this.#enqueue([{ kind: 'flip', target: bit, controls: 0, value: 0 }])
  }

  /** Measures a qubit and returns the outcome with readout error. */
  #measureWithReadout(bit: number, qubit: number): Outcome {
    const outcome = this.#measure(bit)
    const { readoutErrorOf, rng, stream } = this.#context
    const error = readoutErrorOf(qubit)
    if (!canMisread(error)) return outcome
    const isMisread = this.#decide(0, (shot) => {
      rng.seek(stream, shot, PURPOSE.readout, this.#history.length)
      return rng.next() < error[outcome]
    })
    return isMisread === outcome ? 0 : 1
  }

  #measure(bit: number): Outcome {
    // A qubit without a bit is |0>: nothing is drawn for it.
    const isOne = (_: number, place: number) => bit !== 0 && ((this.indices()[place] ?? 0) & bit) !== 0
    const outcome = this.#decide(bit, isOne)
    this.#context.timeBudget.spend(SHOT_WORK * this.#shots.length)
    return outcome
  }

  /** Returns the prescribed outcome, or lets each shot decide and branches off the smaller group. */
  #decide(bit: number, isOne: (shot: number, place: number) => boolean): Outcome {
    // A choice without a qubit does not depend on the queued gates.
    if (bit !== 0) this.#flushNow()
    const prescribed = this.#branch.history[this.#history.length]
    const outcome = prescribed ?? this.#branchOff(bit, isOne)
    this.#history.push(outcome)
    this.#known = withBit(this.#known, bit, outcome)
    if (prescribed !== undefined && this.#history.length === this.#branch.history.length) this.#resume()
    return outcome
  }

  /** Resumes where this branch left another one. */
  #resume(): void {
    this.#isSkipping = false
    this.#known = this.#branch.known
    this.#indices = this.#branch.indices
    this.#samplings = this.#branch.samplings
  }

  #branchOff(bit: number, isOne: (shot: number, place: number) => boolean): Outcome {
    const places: [number[], number[]] = [[], []]
    this.#shots.forEach((shot, place) => {
      places[isOne(shot, place) ? 1 : 0].push(place)
    })
    const [zeros, ones] = places
    const outcome = ones.length > zeros.length ? 1 : 0
    const other = outcome === 1 ? 0 : 1
    if (places[other].length > 0) {
      this.#flushNow()
      this.#pending.push({
        ...this.#subset(places[other]),
        history: [...this.#history, other],
        known: withBit(this.#known, bit, other),
        samplings: this.#samplings,
        places: this.#places.clone(),
        sharedState: this.#sharedState,
      })
      const { shots, indices } = this.#subset(places[outcome])
      this.#shots = shots
      this.#indices = indices
    }
    return outcome
  }

  #subset(places: readonly number[]): Pick<Branch, 'shots' | 'indices'> {
    const indices = this.#indices
    return {
      shots: Uint32Array.from(places, (place) => this.#shots[place] ?? 0),
      indices: indices && Uint32Array.from(places, (place) => indices[place] ?? 0),
    }
  }
}

function withBit({ mask, value }: KnownBits, bit: number, outcome: Outcome): KnownBits {
  return { mask: mask | bit, value: outcome === 1 ? value | bit : value & ~bit }
}

interface BranchingRun extends BranchContext {
  shots: number
  /** Executes the program from the first step to the last; returns its classical bits. */
  walk(walker: BranchWalker): Uint8Array | Promise<Uint8Array>
  /** Called for each group of shots with equal outcomes. */
  onLeaf(walker: BranchWalker, bits: Uint8Array): void
  /** Memory for copies of states, in bytes. */
  stateCopyBytes: number
}

/** Work of a leaf besides its steps, in amplitude updates, so that many tiny leaves yield too. */
const LEAF_WORK = 50_000

/** Runs every shot of a program with mid-circuit measurements, walking equal outcomes only once. */
export async function runBranches(run: BranchingRun): Promise<void> {
  const kraus = new KrausTable()
  const pending = new PendingBranches(run.stateCopyBytes)
  const shots = shotNumbers(run.shots)
  let branch: Branch | undefined = {
    shots,
    history: [],
    known: NO_OUTCOMES,
    indices: undefined,
    samplings: 0,
    places: undefined,
    sharedState: undefined,
  }
  while (branch) {
    const walker = new BranchWalker(branch, run, pending, kraus)
    run.onLeaf(walker, await run.walk(walker))
    run.timeBudget.spend(LEAF_WORK)
    await run.timeBudget.yieldIfDue()
    branch = pending.pop()
  }
}
