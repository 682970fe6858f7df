import type { Op, Sink } from '../../../qasm/index.ts'
import { PURPOSE, type Rng } from '../../numeric/random.ts'
import { compile } from './compile.ts'
import type { Pacer } from './pacer.ts'
import type { Step } from './plan.ts'
import { Statevector } from './statevector.ts'

/** Bytes of states kept for branches to come back to; beyond it a branch is computed from the start. */
const SNAPSHOT_BYTES = 2 ** 30

/** Shots that have had the same outcomes so far. */
interface Branch {
  shots: Uint32Array
  /** Outcomes so far, in the order they were measured; resets count. */
  history: readonly (0 | 1)[]
  /** The state after the last of them; absent when it has to be computed again. */
  state?: Statevector
}

/** Branches still to be walked, the last first. */
class Pending {
  readonly #branches: Branch[] = []
  #bytes = 0

  /** `makeState` is called only if there is room to keep the state. */
  push(branch: Branch, makeState: () => Statevector, bytes: number): void {
    const keeps = this.#bytes + bytes <= SNAPSHOT_BYTES
    if (keeps) this.#bytes += bytes
    this.#branches.push(keeps ? { ...branch, state: makeState() } : branch)
  }

  pop(): Branch | undefined {
    const branch = this.#branches.pop()
    this.#bytes -= branch?.state?.amplitudes.byteLength ?? 0
    return branch
  }
}

interface Source {
  rng: Rng
  /** Sub-stream of this circuit. */
  stream: number
  pacer: Pacer
  /** Probability that a measurement made here is reported wrongly. */
  readoutError: number
}

/** Something with two outcomes that happens to the state. */
interface Chance {
  /** Of the outcome 1; asked before `change`. */
  probability(): number
  change(state: Statevector, outcome: 0 | 1): void
}

/**
 * Walks one branch. At a measurement each shot draws its own outcome; the larger part of the shots goes on here,
 * the smaller one becomes a branch of its own, which walks the program again with the outcomes so far prescribed.
 */
export class Walker implements Sink {
  readonly #source: Source
  readonly #pending: Pending
  readonly #prescribed: readonly (0 | 1)[]
  readonly #history: (0 | 1)[] = []
  /** Steps are skipped until the point where the kept state was taken. */
  #skips: boolean
  readonly state: Statevector
  #shots: Uint32Array

  constructor(branch: Branch, qubits: number, source: Source, pending: Pending) {
    this.#source = source
    this.#pending = pending
    this.#prescribed = branch.history
    this.#skips = branch.state !== undefined && branch.history.length > 0
    this.state = branch.state ?? new Statevector(qubits)
    this.#shots = branch.shots
  }

  /** The shots that went on here. */
  get shots(): Uint32Array {
    return this.#shots
  }

  /** Number of draws each of them has used up. */
  get draws(): number {
    return this.#history.length
  }

  /** Carries out one step of a plan; `bits` receives measured outcomes. */
  step(step: Step, bits: Uint8Array): void {
    if (step.kind === 'reset') this.#reset(step.bit)
    else if (step.kind === 'measure') {
      const outcome = this.#read(step.bit)
      if (step.clbit >= 0) bits[step.clbit] = outcome
    } else if (!this.#skips) {
      this.state.apply(step)
      this.#spend()
    }
  }

  apply(op: Op): void {
    if (op.kind === 'reset') this.#reset(1 << op.qubit)
    if (this.#skips || (op.kind !== 'unitary' && op.kind !== 'phase')) return
    for (const call of compile(op)) this.state.apply(call)
    this.#spend()
  }

  measure(qubit: number): 0 | 1 {
    return this.#read(1 << qubit)
  }

  #spend(): void {
    this.#source.pacer.spend(2 ** this.state.qubits)
  }

  #reset(bit: number): void {
    const outcome = this.#collapse(bit)
    if (outcome === 1 && !this.#skips) this.state.lower(bit)
  }

  /** Measures a qubit and returns what the readout reports. */
  #read(bit: number): 0 | 1 {
    const outcome = this.#collapse(bit)
    const { readoutError } = this.#source
    if (readoutError === 0) return outcome
    const isMisread = this.#event({ probability: () => readoutError, change: () => undefined })
    return isMisread === outcome ? 0 : 1
  }

  #collapse(bit: number): 0 | 1 {
    let one = 0
    return this.#event({
      probability: () => {
        one = this.state.probabilityOfOne(bit)
        return one
      },
      change: (state, outcome) => state.collapse(bit, outcome, outcome === 1 ? one : 1 - one),
    })
  }

  /** Lets chance decide, or what is prescribed, and changes the state accordingly. */
  #event(chance: Chance): 0 | 1 {
    const known = this.#prescribed[this.#history.length]
    if (known !== undefined && this.#skips) {
      this.#history.push(known)
      if (this.#history.length === this.#prescribed.length) this.#skips = false
      return known
    }
    const probability = chance.probability()
    const outcome = known ?? this.#split(probability, chance)
    chance.change(this.state, outcome)
    this.#history.push(outcome)
    this.#spend()
    return outcome
  }

  /** Lets each shot draw, sends the smaller part away and returns the outcome of the larger. */
  #split(probability: number, chance: Chance): 0 | 1 {
    const { rng, stream } = this.#source
    const ones: number[] = []
    const zeros: number[] = []
    for (const shot of this.#shots) {
      rng.seek(stream, shot, PURPOSE.measurement, this.#history.length)
      if (rng.next() < probability) ones.push(shot)
      else zeros.push(shot)
    }
    const outcome = ones.length > zeros.length ? 1 : 0
    const [larger, smaller] = outcome === 1 ? [ones, zeros] : [zeros, ones]
    this.#shots = Uint32Array.from(larger)
    if (smaller.length > 0) this.#sendAway(Uint32Array.from(smaller), outcome === 1 ? 0 : 1, chance)
    return outcome
  }

  #sendAway(shots: Uint32Array, outcome: 0 | 1, chance: Chance): void {
    const makeState = () => {
      const state = this.state.clone()
      chance.change(state, outcome)
      return state
    }
    const branch = { shots, history: [...this.#history, outcome] }
    this.#pending.push(branch, makeState, this.state.amplitudes.byteLength)
  }
}

interface Branching extends Source {
  qubits: number
  shots: number
  /** Carries out the program from its first step to its last; returns its classical bits. */
  walk(walker: Walker): Uint8Array
  /** Called for each group of shots with equal outcomes. */
  leaf(walker: Walker, bits: Uint8Array): void
}

/** Runs every shot of a program whose measurements cannot wait, walking equal outcomes only once. */
export async function runBranches(run: Branching): Promise<void> {
  const pending = new Pending()
  const all = Uint32Array.from({ length: run.shots }, (_, shot) => shot)
  let branch: Branch | undefined = { shots: all, history: [] }
  while (branch) {
    const walker = new Walker(branch, run.qubits, run, pending)
    run.leaf(walker, run.walk(walker))
    await run.pacer.rest(LEAF_WORK)
    branch = pending.pop()
  }
}

/** Work of a leaf besides its steps, in amplitude updates: so that many tiny ones give way too. */
const LEAF_WORK = 50_000
