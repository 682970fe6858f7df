import type { Op, Sink } from '../../../../qasm/index.ts'
import type { KernelCall } from '../../../kernel/kernel-call.ts'
import type { NoiseModel } from '../../../noise/noise-model.ts'
import { PURPOSE, type Rng } from '../../../numeric/random.ts'
import { shotNumbers } from '../../../numeric/shot-numbers.ts'
import { canMisread, type ReadoutError } from '../../../readout/readout.ts'
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
  /** The state that branches are walked on, one after the other. */
  state: Statevector
  rng: Rng
  /** Sub-stream of this circuit. */
  stream: number
  timeBudget: TimeBudget
  /** How often a measurement made here is reported wrongly. */
  readoutErrorOf(qubit: number): ReadoutError
  /** What follows the gates of a program that outcomes steer; a plan has it among its steps. */
  noise?: NoiseModel | undefined
}

/** Amplitude updates that may wait: what is carried out without giving way takes some hundredths of a second. */
const MAX_QUEUED_WORK = 2 ** 24

/**
 * Walks one branch. The first measurement after a gate draws a whole basis state for each shot; this one and those
 * that follow reveal its bits, and the state is projected only when the next gate comes. Where shots differ, the
 * larger part goes on here and the smaller one becomes a branch of its own, which walks the program again with the
 * outcomes so far prescribed.
 */
export class BranchWalker implements Sink {
  readonly #context: BranchContext
  readonly #pending: PendingBranches
  readonly #branch: Branch
  readonly #history: Outcome[] = []
  readonly #kraus: KrausTable
  #sharedState: SharedState
  /** Steps are skipped until the point where the branch left another. */
  #isSkipping: boolean
  #shots: Uint32Array
  #known: KnownBits = NO_OUTCOMES
  /** Basis state of each shot, from the first measurement to the next gate. */
  #indices: Uint32Array | undefined
  #samplings = 0
  /** Channels met so far: each has draws of its own. */
  #channels = 0
  /** Gates that wait for the next measurement: many together take less time than one by one. */
  #queue: KernelCall[] = []

  constructor(branch: Branch, source: BranchContext, pending: PendingBranches, kraus: KrausTable) {
    this.#context = source
    this.#kraus = kraus
    this.#pending = pending
    this.#branch = branch
    this.#shots = branch.shots
    this.#sharedState = branch.sharedState ?? new SharedState()
    if (!branch.sharedState) source.state.reset()
    else if (branch.sharedState.copy) source.state.load(branch.sharedState.copy)
    this.#isSkipping = branch.sharedState !== undefined && branch.history.length > 0
  }

  /** The shots that went on here. */
  get shots(): Uint32Array {
    return this.#shots
  }

  /** A basis state for each of them, drawn from the state at this point. */
  indices(): Uint32Array {
    this.#flushNow()
    const { state, rng, stream } = this.#context
    this.#indices ??= state.draw(this.#shots, rng, stream, this.#samplings++)
    return this.#indices
  }

  /** Carries out one step of a plan; `bits` receives measured outcomes. */
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

  /** Carries out the gates that wait, giving way to other tasks. */
  async flush(): Promise<void> {
    if (this.#queue.length > 0) await this.#context.state.evolve(this.#takeQueue(), this.#context.timeBudget)
  }

  apply(op: Op): void {
    if (op.kind === 'reset') this.#reset(1 << op.qubit)
    if (op.kind === 'reset' || op.kind === 'measure' || op.kind === 'barrier') return
    if (!this.#isSkipping && op.kind !== 'delay') this.#enqueue(compile(op))
    if (this.#isQueueLong) this.#flushNow()
    for (const { qubits, channel } of this.#context.noise?.channelsAfter?.(op) ?? []) {
      this.#applyChannel(
        qubits.map((qubit) => 1 << qubit),
        this.#kraus.operatorsOf(channel),
      )
    }
  }

  measure(qubit: number): 0 | 1 {
    return this.#measureWithReadout(1 << qubit, qubit)
  }

  #enqueue(calls: readonly KernelCall[]): void {
    if (this.#queue.length === 0) this.#project()
    // One by one: there may be more than a call takes arguments.
    for (const call of calls) this.#queue.push(call)
  }

  get #isQueueLong(): boolean {
    return this.#queue.length * 2 ** this.#context.state.qubits > MAX_QUEUED_WORK
  }

  /** Carries out the gates that wait. */
  #flushNow(): void {
    if (this.#queue.length > 0) this.#context.state.applyAll(this.#takeQueue(), this.#context.timeBudget)
  }

  #takeQueue(): KernelCall[] {
    const queue = this.#queue
    this.#queue = []
    return queue
  }

  /** Makes the state, no other branch's any more, what the outcomes so far have left of it. */
  #project(): void {
    const { state, timeBudget } = this.#context
    this.#sharedState = this.#pending.shared(this.#sharedState, state)
    if (this.#known.mask !== 0) {
      state.project(this.#known.mask, this.#known.value)
      timeBudget.spend(2 * 2 ** state.qubits)
    }
    this.#known = NO_OUTCOMES
    this.#indices = undefined
  }

  /** Lets each shot choose one of the operators of a channel; shots that choose alike go on together. */
  #applyChannel(targets: number[], operators: readonly KrausOperator[]): void {
    const { rng, stream, state, timeBudget } = this.#context
    const channel = this.#channels++
    const isCertain = operators.every(({ fixedProbability }) => fixedProbability !== undefined)
    if (!this.#isSkipping && !isCertain) {
      if (this.#known.mask !== 0) this.#project()
      this.#flushNow()
    }
    const probabilities: number[] = []
    // Asked for only where the state is there: on skipped steps the choice is prescribed.
    const probabilityOf = (index: number) => {
      probabilities[index] ??= probabilityIn(state, operators[index] as KrausOperator, targets)
      return probabilities[index]
    }
    const upTo = (index: number): number => probabilityOf(index) + (index > 0 ? upTo(index - 1) : 0)
    const isMet = (shot: number) => {
      rng.seek(stream, shot, PURPOSE.noise, channel)
      return rng.next() < upTo(index)
    }
    let index = 0
    while (index < operators.length - 1 && this.#decide(0, isMet) === 0) index++
    const operator = operators[index] as KrausOperator
    if (!this.#isSkipping && !operator.isScaledIdentity)
      this.#enqueue([krausCall(operator, targets, probabilityOf(index))])
    timeBudget.spend(this.#shots.length)
  }

  #reset(bit: number): void {
    const outcome = this.#measure(bit)
    if (outcome === 1 && !this.#isSkipping)
      this.#enqueue([{ kind: 'flip', target: bit, controls: 0, value: 0 }])
  }

  /** Measures a qubit and returns what the readout reports. */
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
    const outcome = this.#decide(bit, (_, place) => ((this.indices()[place] ?? 0) & bit) !== 0)
    this.#context.timeBudget.spend(this.#shots.length)
    return outcome
  }

  /** Takes the prescribed outcome, or lets each shot decide and sends the smaller part away. */
  #decide(bit: number, isOne: (shot: number, place: number) => boolean): Outcome {
    // A choice that reveals no qubit leaves the state as it is.
    if (bit !== 0) this.#flushNow()
    const prescribed = this.#branch.history[this.#history.length]
    const outcome = prescribed ?? this.#branchOff(bit, isOne)
    this.#history.push(outcome)
    this.#known = withBit(this.#known, bit, outcome)
    if (prescribed !== undefined && this.#history.length === this.#branch.history.length) this.#resume()
    return outcome
  }

  /** Goes on where the branch left another. */
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
  /** Carries out the program from its first step to its last; returns its classical bits. */
  walk(walker: BranchWalker): Uint8Array | Promise<Uint8Array>
  /** Called for each group of shots with equal outcomes. */
  onLeaf(walker: BranchWalker, bits: Uint8Array): void
  /** What copies of states may take, in bytes. */
  stateCopyBytes: number
}

/** Work of a leaf besides its steps, in amplitude updates: so that many tiny ones give way too. */
const LEAF_WORK = 50_000

/** Runs every shot of a program whose measurements cannot wait, walking equal outcomes only once. */
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
