import type { Op } from '../../../qasm/index.ts'
import type { MethodRun, Workload } from '../../define-method.ts'
import { UnsuitableMethodError } from '../../errors.ts'
import { Divided, outcomeIn, type ShotGroup } from '../../feedback/run-groups.ts'
import type { ChannelOp } from '../../noise/noise-model.ts'
import { PURPOSE } from '../../numeric/random.ts'
import { canMisread } from '../../readout/readout.ts'
import { operatorOf } from '../../reduction/operator.ts'
import type { QubitPlaces } from '../../reduction/qubit-places.ts'
import { assertKept, refuseGate, refuseSize } from './refusals.ts'
import { sampleAll } from './sample.ts'
import type { TensorChain } from './tensor-chain.ts'
import type { TruncationRecord } from './truncation-record.ts'

/** What all groups of a run share. */
interface ChainGroupContext {
  workload: Workload
  run: MethodRun
  losses: TruncationRecord
  /** The qubits that a shot has changed; of them, only those that may be used get here. */
  places: QubitPlaces
}

/** Mid-circuit draws use random blocks above those of the final measurements, one per measurement. */
const MID_CIRCUIT_BLOCK = 2 ** 31

/**
 * Shots on one matrix product state. The outcome of a qubit is open until a step changes the qubit: open
 * outcomes at the end are drawn together, as final measurements are. One shot alone leaves nothing open.
 */
export class ChainGroup implements ShotGroup {
  readonly #context: ChainGroupContext
  readonly #chain: TensorChain
  readonly #shots: Uint32Array
  /** Outcomes of the measurements as they were read; undefined for an open one. */
  readonly #outcomes: (0 | 1 | undefined)[]
  /** Qubits with an open outcome, with the index of the measurement. */
  readonly #open: Map<number, number>
  /** Number of channels so far: each uses separate draws. */
  #channels = 0

  constructor(
    context: ChainGroupContext,
    chain: TensorChain,
    shots: Uint32Array,
    outcomes: (0 | 1 | undefined)[] = [],
    open = new Map<number, number>(),
  ) {
    this.#context = context
    this.#chain = chain
    this.#shots = shots
    this.#outcomes = outcomes
    this.#open = open
  }

  apply(op: Op): void {
    if (op.kind === 'measure' || op.kind === 'barrier') return
    const { run, workload } = this.#context
    run.timeBudget.spend(this.#chain.work)
    if (op.kind === 'reset') {
      this.#reset(op.qubit)
      return
    }
    const operator = op.kind === 'delay' ? undefined : operatorOf(op)
    if (operator) {
      const qubits = [...operator.controls, ...operator.targets]
      this.#close(qubits)
      this.#add(qubits)
      const refusal = refuseGate(qubits.length)
      if (refusal) throw new UnsuitableMethodError(refusal)
      this.#chain.apply(operator)
      assertKept(this.#chain)
    }
    for (const channel of workload.noise?.channelsAfter?.(op) ?? []) this.#applyChannel(channel)
  }

  measure(qubit: number, index: number): 0 | 1 | undefined {
    this.#context.run.timeBudget.spend(this.#chain.work)
    this.#close([qubit])
    this.#open.set(qubit, index)
    this.#outcomes[index] = undefined
    if (this.#shots.length > 1) return undefined
    this.#close([qubit])
    return this.#outcomes[index]
  }

  outcomeOf(index: number): 0 | 1 | undefined {
    return this.#outcomes[index]
  }

  get size(): number {
    return this.#shots.length
  }

  divided(): ShotGroup[] {
    let parts: ChainGroup[] = [this]
    for (const qubit of [...this.#open.keys()]) parts = parts.flatMap((part) => part.#parts(qubit))
    return parts
  }

  async record(states: Int32Array): Promise<void> {
    const { run, losses } = this.#context
    losses.add(this.#chain)
    const isMisreadable = [...this.#open.keys()].some((qubit) => canMisread(run.readoutErrorOf(qubit)))
    const measured = [...this.#open.keys()].filter((qubit) => this.#chain.has(qubit))
    await sampleAll(this.#chain, this.#shots, run, measured, (values, shots) => {
      if (!isMisreadable) run.tally.add(this.#bitsOf(states, values, 0), shots)
      else for (const shot of shots) run.tally.add(this.#bitsOf(states, values, shot), [shot])
    })
  }

  /** The classical bits of a shot with these values of the qubits whose outcomes are open. */
  #bitsOf(states: Int32Array, values: Uint8Array, shot: number): Uint8Array {
    const open = new Map([...this.#open].map(([qubit, index]) => [index, qubit]))
    return Uint8Array.from(states, (state) => {
      const index = outcomeIn(state)
      if (index === undefined) return state
      const qubit = open.get(index)
      if (qubit === undefined) return this.#outcomes[index] ?? 0
      return this.#read(qubit, index, shot, values[qubit] === 1 ? 1 : 0)
    })
  }

  /** An outcome as a shot reads it. */
  #read(qubit: number, index: number, shot: number, outcome: 0 | 1): 0 | 1 {
    const { rng, stream, readoutErrorOf } = this.#context.run
    const error = readoutErrorOf(qubit)
    if (!canMisread(error)) return outcome
    rng.seek(stream, shot, PURPOSE.readout, MID_CIRCUIT_BLOCK + index)
    return rng.next() < error[outcome] ? ((1 - outcome) as 0 | 1) : outcome
  }

  /** Draws the open outcomes of qubits. */
  #close(qubits: readonly number[]): void {
    for (const qubit of qubits) {
      if (!this.#open.has(qubit)) continue
      const parts = this.#parts(qubit)
      if (parts.length > 1) throw new Divided(parts)
    }
  }

  /** Draws the open outcome of a qubit: this group, or several with different outcomes. */
  #parts(qubit: number): ChainGroup[] {
    const index = this.#open.get(qubit) as number
    const { rng, stream } = this.#context.run
    const one = this.#chain.has(qubit) ? this.#chain.probabilityOfOne(qubit) : 0
    // Bit 0: the outcome. Bit 1: the outcome as it is read.
    const choices = Array.from(this.#shots, (shot) => {
      rng.seek(stream, shot, PURPOSE.measurement, MID_CIRCUIT_BLOCK + index)
      const outcome = rng.next() < one ? 1 : 0
      return outcome | (this.#read(qubit, index, shot, outcome) << 1)
    })
    const found = [...new Set(choices)]
    return found.map((choice) => {
      const part =
        found.length === 1 ? this : this.#part(this.#shots.filter((_, at) => choices[at] === choice))
      part.#open.delete(qubit)
      part.#outcomes[index] = (choice >> 1) as 0 | 1
      if (part.#chain.has(qubit)) part.#chain.project(qubit, (choice & 1) as 0 | 1)
      return part
    })
  }

  #part(shots: Uint32Array): ChainGroup {
    const part = new ChainGroup(
      this.#context,
      this.#chain.clone(),
      shots,
      [...this.#outcomes],
      new Map(this.#open),
    )
    part.#channels = this.#channels
    return part
  }

  /** A reset is a measurement that nobody reads, and a flip. */
  #reset(qubit: number): void {
    this.#close([qubit])
    if (!this.#chain.has(qubit)) return
    const { rng, stream } = this.#context.run
    const one = this.#chain.probabilityOfOne(qubit)
    const block = MID_CIRCUIT_BLOCK + 2 ** 30 + this.#channels++
    const isOne = Array.from(this.#shots, (shot) => {
      rng.seek(stream, shot, PURPOSE.measurement, block)
      return rng.next() < one
    })
    const shotsOf = (value: boolean) => this.#shots.filter((_, at) => isOne[at] === value)
    const parts = [...new Set(isOne)].map((value) => ({ value, shots: shotsOf(value) }))
    const groups = parts.map(({ value, shots }) => {
      const part = parts.length === 1 ? this : this.#part(shots)
      part.#chain.project(qubit, value ? 1 : 0)
      if (value) part.#chain.flip(qubit)
      return part
    })
    // Parts execute the step again: their qubit is |0>, which it leaves as it is.
    if (groups.length > 1) throw new Divided(groups)
  }

  /** Adds the qubits that no step has changed yet. */
  #add(qubits: readonly number[]): void {
    for (const qubit of qubits) {
      if (this.#chain.has(qubit)) continue
      this.#context.places.take(qubit)
      this.#chain.add(qubit)
      const refusal = refuseSize(this.#chain.sites)
      if (refusal) throw new UnsuitableMethodError(refusal)
    }
  }

  /** Lets the shot choose an operator: with noise, each shot is a group of its own. */
  #applyChannel({ qubits: targets, channel }: ChannelOp): void {
    const { rng, stream } = this.#context.run
    this.#add(targets)
    rng.seek(stream, this.#shots[0] as number, PURPOSE.noise, this.#channels++)
    let rest = rng.next()
    for (const [index, matrix] of channel.kraus.entries()) {
      const operator = { targets, controls: [], controlValues: 0, matrix }
      const weight = this.#chain.krausProbability(operator)
      rest -= weight
      if (rest >= 0 && index < channel.kraus.length - 1) continue
      this.#chain.applyKraus(operator, weight)
      return
    }
  }
}
