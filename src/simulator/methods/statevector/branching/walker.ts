import type { Op, Sink } from '../../../../qasm/index.ts'
import type { KernelCall } from '../../../kernel/kernel-call.ts'
import type { NoiseModel } from '../../../noise/noise-model.ts'
import { PURPOSE, type Rng } from '../../../numeric/random.ts'
import { shotNumbers } from '../../../numeric/shot-numbers.ts'
import { canErr, type ReadoutError } from '../../../readout/readout.ts'
import type { TimeBudget } from '../../../timing/time-budget.ts'
import { compile } from '../gates/compile.ts'
import { type Kraus, KrausTable, krausCall, probabilityIn } from '../state/kraus.ts'
import type { Step } from '../state/plan.ts'
import type { Statevector } from '../state/statevector.ts'
import { type Branch, KeptState, type Known, NOTHING, type Outcome, Pending } from './pending.ts'

interface Source {
  /** The state that branches are walked on, one after the other. */
  state: Statevector
  rng: Rng
  /** Sub-stream of this circuit. */
  stream: number
  timeBudget: TimeBudget
  /** How often a measurement made here is reported wrongly. */
  errors(qubit: number): ReadoutError
  /** What follows the gates of a program that outcomes steer; a plan has it among its steps. */
  noise?: NoiseModel | undefined
}

/** Amplitude updates that may wait: what is carried out without giving way takes some hundredths of a second. */
const QUEUE_WORK = 2 ** 24

/**
 * Walks one branch. The first measurement after a gate draws a whole basis state for each shot; this one and those
 * that follow reveal its bits, and the state is projected only when the next gate comes. Where shots differ, the
 * larger part goes on here and the smaller one becomes a branch of its own, which walks the program again with the
 * outcomes so far prescribed.
 */
export class Walker implements Sink {
  readonly #source: Source
  readonly #pending: Pending
  readonly #branch: Branch
  readonly #history: Outcome[] = []
  readonly #kraus: KrausTable
  #kept: KeptState
  /** Steps are skipped until the point where the branch left another. */
  #skips: boolean
  #shots: Uint32Array
  #known: Known = NOTHING
  /** Basis state of each shot, from the first measurement to the next gate. */
  #indices: Uint32Array | undefined
  #samplings = 0
  /** Channels met so far: each has draws of its own. */
  #channels = 0
  /** Gates that wait for the next measurement: many together take less time than one by one. */
  #queue: KernelCall[] = []

  constructor(branch: Branch, source: Source, pending: Pending, kraus: KrausTable) {
    this.#source = source
    this.#kraus = kraus
    this.#pending = pending
    this.#branch = branch
    this.#shots = branch.shots
    this.#kept = branch.kept ?? new KeptState()
    if (!branch.kept) source.state.reset()
    else if (branch.kept.copy) source.state.load(branch.kept.copy)
    this.#skips = branch.kept !== undefined && branch.history.length > 0
  }

  /** The shots that went on here. */
  get shots(): Uint32Array {
    return this.#shots
  }

  /** A basis state for each of them, drawn from the state at this point. */
  indices(): Uint32Array {
    this.#settle()
    const { state, rng, stream } = this.#source
    this.#indices ??= state.draw(this.#shots, rng, stream, this.#samplings++)
    return this.#indices
  }

  /** Carries out one step of a plan; `bits` receives measured outcomes. */
  async step(step: Step, bits: Uint8Array): Promise<void> {
    if (step.kind === 'gates') {
      if (this.#skips) return
      this.#gate(step.calls)
      if (this.#isQueueLong) await this.arrive()
      return
    }
    if (step.kind !== 'channel' || step.operators.some(({ weight }) => weight === undefined))
      await this.arrive()
    if (step.kind === 'channel') this.#disturb(step.targets, step.operators)
    else if (step.kind === 'reset') this.#reset(step.bit)
    else {
      const outcome = this.#read(step.bit, step.qubit)
      if (step.clbit >= 0) bits[step.clbit] = outcome
    }
  }

  /** Carries out the gates that wait, giving way to other tasks. */
  async arrive(): Promise<void> {
    if (this.#queue.length > 0) await this.#source.state.evolve(this.#takeQueue(), this.#source.timeBudget)
  }

  apply(op: Op): void {
    if (op.kind === 'reset') this.#reset(1 << op.qubit)
    if (op.kind === 'reset' || op.kind === 'measure' || op.kind === 'barrier') return
    if (!this.#skips && op.kind !== 'delay') this.#gate(compile(op))
    if (this.#isQueueLong) this.#settle()
    for (const { qubits, channel } of this.#source.noise?.after?.(op) ?? []) {
      this.#disturb(
        qubits.map((qubit) => 1 << qubit),
        this.#kraus.of(channel),
      )
    }
  }

  measure(qubit: number): 0 | 1 {
    return this.#read(1 << qubit, qubit)
  }

  #gate(calls: readonly KernelCall[]): void {
    if (this.#queue.length === 0) this.#project()
    // One by one: there may be more than a call takes arguments.
    for (const call of calls) this.#queue.push(call)
  }

  get #isQueueLong(): boolean {
    return this.#queue.length * 2 ** this.#source.state.qubits > QUEUE_WORK
  }

  /** Carries out the gates that wait. */
  #settle(): void {
    if (this.#queue.length > 0) this.#source.state.applyAll(this.#takeQueue(), this.#source.timeBudget)
  }

  #takeQueue(): KernelCall[] {
    const queue = this.#queue
    this.#queue = []
    return queue
  }

  /** Makes the state, no other branch's any more, what the outcomes so far have left of it. */
  #project(): void {
    const { state, timeBudget } = this.#source
    this.#kept = this.#pending.separate(this.#kept, state)
    if (this.#known.mask !== 0) {
      state.project(this.#known.mask, this.#known.value)
      timeBudget.spend(2 * 2 ** state.qubits)
    }
    this.#known = NOTHING
    this.#indices = undefined
  }

  /** Lets each shot choose one of the operators of a channel; shots that choose alike go on together. */
  #disturb(targets: number[], operators: readonly Kraus[]): void {
    const { rng, stream, state, timeBudget } = this.#source
    const channel = this.#channels++
    const isCertain = operators.every(({ weight }) => weight !== undefined)
    if (!this.#skips && !isCertain) {
      if (this.#known.mask !== 0) this.#project()
      this.#settle()
    }
    const probabilities: number[] = []
    // Asked for only where the state is there: on skipped steps the choice is prescribed.
    const probabilityOf = (index: number) => {
      probabilities[index] ??= probabilityIn(state, operators[index] as Kraus, targets)
      return probabilities[index]
    }
    const upTo = (index: number): number => probabilityOf(index) + (index > 0 ? upTo(index - 1) : 0)
    const isMet = (shot: number) => {
      rng.seek(stream, shot, PURPOSE.noise, channel)
      return rng.next() < upTo(index)
    }
    let index = 0
    while (index < operators.length - 1 && this.#decide(0, isMet) === 0) index++
    const operator = operators[index] as Kraus
    if (!this.#skips && !operator.isIdle) this.#gate([krausCall(operator, targets, probabilityOf(index))])
    timeBudget.spend(this.#shots.length)
  }

  #reset(bit: number): void {
    const outcome = this.#measure(bit)
    if (outcome === 1 && !this.#skips) this.#gate([{ kind: 'flip', target: bit, controls: 0, value: 0 }])
  }

  /** Measures a qubit and returns what the readout reports. */
  #read(bit: number, qubit: number): Outcome {
    const outcome = this.#measure(bit)
    const { errors, rng, stream } = this.#source
    const error = errors(qubit)
    if (!canErr(error)) return outcome
    const isMisread = this.#decide(0, (shot) => {
      rng.seek(stream, shot, PURPOSE.readout, this.#history.length)
      return rng.next() < error[outcome]
    })
    return isMisread === outcome ? 0 : 1
  }

  #measure(bit: number): Outcome {
    const outcome = this.#decide(bit, (_, place) => ((this.indices()[place] ?? 0) & bit) !== 0)
    this.#source.timeBudget.spend(this.#shots.length)
    return outcome
  }

  /** Takes the prescribed outcome, or lets each shot decide and sends the smaller part away. */
  #decide(bit: number, isOne: (shot: number, place: number) => boolean): Outcome {
    // A choice that reveals no qubit leaves the state as it is.
    if (bit !== 0) this.#settle()
    const prescribed = this.#branch.history[this.#history.length]
    const outcome = prescribed ?? this.#split(bit, isOne)
    this.#history.push(outcome)
    this.#known = withBit(this.#known, bit, outcome)
    if (prescribed !== undefined && this.#history.length === this.#branch.history.length) this.#arrive()
    return outcome
  }

  /** Goes on where the branch left another. */
  #arrive(): void {
    this.#skips = false
    this.#known = this.#branch.known
    this.#indices = this.#branch.indices
    this.#samplings = this.#branch.samplings
  }

  #split(bit: number, isOne: (shot: number, place: number) => boolean): Outcome {
    const places: [number[], number[]] = [[], []]
    this.#shots.forEach((shot, place) => {
      places[isOne(shot, place) ? 1 : 0].push(place)
    })
    const [zeros, ones] = places
    const outcome = ones.length > zeros.length ? 1 : 0
    const other = outcome === 1 ? 0 : 1
    if (places[other].length > 0) {
      this.#settle()
      this.#pending.push({
        ...this.#part(places[other]),
        history: [...this.#history, other],
        known: withBit(this.#known, bit, other),
        samplings: this.#samplings,
        kept: this.#kept,
      })
      const { shots, indices } = this.#part(places[outcome])
      this.#shots = shots
      this.#indices = indices
    }
    return outcome
  }

  #part(places: readonly number[]): Pick<Branch, 'shots' | 'indices'> {
    const indices = this.#indices
    return {
      shots: Uint32Array.from(places, (place) => this.#shots[place] ?? 0),
      indices: indices && Uint32Array.from(places, (place) => indices[place] ?? 0),
    }
  }
}

function withBit({ mask, value }: Known, bit: number, outcome: Outcome): Known {
  return { mask: mask | bit, value: outcome === 1 ? value | bit : value & ~bit }
}

interface Branching extends Source {
  shots: number
  /** Carries out the program from its first step to its last; returns its classical bits. */
  walk(walker: Walker): Uint8Array | Promise<Uint8Array>
  /** Called for each group of shots with equal outcomes. */
  leaf(walker: Walker, bits: Uint8Array): void
  /** What copies of states may take, in bytes. */
  keptBytes: number
}

/** Work of a leaf besides its steps, in amplitude updates: so that many tiny ones give way too. */
const LEAF_WORK = 50_000

/** Runs every shot of a program whose measurements cannot wait, walking equal outcomes only once. */
export async function runBranches(run: Branching): Promise<void> {
  const kraus = new KrausTable()
  const pending = new Pending(run.keptBytes)
  const shots = shotNumbers(run.shots)
  let branch: Branch | undefined = {
    shots,
    history: [],
    known: NOTHING,
    indices: undefined,
    samplings: 0,
    kept: undefined,
  }
  while (branch) {
    const walker = new Walker(branch, run, pending, kraus)
    run.leaf(walker, await run.walk(walker))
    run.timeBudget.spend(LEAF_WORK)
    await run.timeBudget.yieldIfDue()
    branch = pending.pop()
  }
}
