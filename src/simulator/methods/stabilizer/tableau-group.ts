import type { Op, OpenChoice } from '../../../qasm/index.ts'
import type { MethodRun, Workload } from '../../define-method.ts'
import { UnsuitableMethodError } from '../../errors.ts'
import { Divided, outcomeIn, type ShotGroup } from '../../feedback/run-groups.ts'
import type { ChannelOp } from '../../noise/noise-model.ts'
import { PURPOSE } from '../../numeric/random.ts'
import { canMisread } from '../../readout/readout.ts'
import type { QubitPlaces } from '../../reduction/qubit-places.ts'
import { OP_WORK } from '../../timing/time-budget.ts'
import type { CliffordRecognizer } from './clifford.ts'
import { nonCliffordRefusal } from './non-clifford.ts'
import { pauliTermsOf, pickTerm } from './pauli-noise.ts'
import { refuseSize, Tableau } from './tableau.ts'

/** What all groups of a run share. */
interface TableauGroupContext {
  workload: Workload
  run: MethodRun
  places: QubitPlaces
  reader: CliffordRecognizer
}

/** Work of a bit of a shot, in amplitude updates. */
const BIT_WORK = 8

/** Bits of the shots of a group, one byte each. */
type Bits = Uint8Array

/**
 * Shots on one tableau, whose signs depend on random outcomes that stay open there: each shot has values of
 * its own for them.
 */
export class TableauGroup implements ShotGroup {
  readonly #context: TableauGroupContext
  readonly #shots: Uint32Array
  /** The tableau, possibly that of other groups: `#change` changes one of its own. */
  #tableau: Tableau
  #isShared: boolean
  /** Random outcomes that are open in the tableau. */
  readonly #random: Bits[]
  /** Outcomes of the measurements, as they were read. */
  readonly #outcomes: Bits[]
  /** Number of channels so far: each uses separate draws. */
  #channels = 0
  /** Number of random outcomes so far, open or not: each uses separate draws. */
  #draws = 0

  constructor(
    context: TableauGroupContext,
    shots: Uint32Array,
    tableau = new Tableau(context.places.size),
    random: Bits[] = [],
    outcomes: Bits[] = [],
  ) {
    this.#context = context
    this.#shots = shots
    this.#tableau = tableau
    this.#isShared = false
    this.#random = random
    this.#outcomes = outcomes
  }

  get size(): number {
    return this.#shots.length
  }

  apply(op: Op): void {
    if (op.kind === 'measure' || op.kind === 'barrier') return
    const { reader, run, workload } = this.#context
    if (op.kind === 'reset') {
      const place = this.#placeOfUsed(op.qubit)
      if (place === undefined) return
      this.#settle(op.qubit, place)
      this.#change([op.qubit], (tableau) => tableau.clear(place))
      return
    }
    if (op.kind !== 'delay') {
      const gate = reader.recognize(op)
      if (!gate) throw new UnsuitableMethodError(nonCliffordRefusal(op))
      this.#change(gate.qubits, (tableau, qubits) => tableau.apply({ ...gate, qubits }))
      run.timeBudget.spend(OP_WORK + 32 * this.#row)
    }
    for (const channel of workload.noise?.channelsAfter?.(op) ?? []) this.#applyChannel(channel)
  }

  measure(qubit: number, index: number): 0 | 1 | undefined {
    const bits = this.#read(qubit, index, this.#measured(qubit))
    this.#outcomes[index] = bits
    return commonValue(bits)
  }

  choose({ outcomes, isTrue, steps, otherwise }: OpenChoice): void {
    const read = outcomes.map((index) => this.#outcomes[index] as Bits)
    const truth = new Uint8Array(this.#shots.length)
    for (let at = 0; at < truth.length; at++) {
      const values = read.reduce((sum, bits, place) => sum | ((bits[at] as number) << place), 0)
      truth[at] = isTrue[values] ? 1 : 0
    }
    this.#context.run.timeBudget.spend(BIT_WORK * truth.length * (1 + read.length))
    const common = commonValue(truth)
    if (common !== undefined) for (const op of common === 1 ? steps : otherwise) this.apply(op)
    else if ([...steps, ...otherwise].every((op) => this.#paulisOf(op))) {
      this.#applyWhere(truth, steps)
      this.#applyWhere(
        truth.map((bit) => 1 - bit),
        otherwise,
      )
    } else throw new Divided([0, 1].map((value) => this.#part(placesOf(truth, value))))
  }

  /** Applies Pauli operators to the shots whose bit is 1: the sign of a row depends on it. */
  #applyWhere(bits: Bits, ops: readonly Op[]): void {
    const paulis = ops.flatMap((op) => this.#paulisOf(op) ?? [])
    if (paulis.length === 0) return
    const outcome = this.#random.push(bits) - 1
    for (const { qubit, isPhase } of paulis)
      this.#change([qubit], (tableau, [place = 0]) => tableau.flipIf(outcome, place, isPhase))
  }

  /** The X and Z of a Pauli gate; undefined for another step. */
  #paulisOf(op: Op): { qubit: number; isPhase: boolean }[] | undefined {
    if (op.kind === 'barrier') return []
    if (op.kind !== 'unitary' && op.kind !== 'phase') return undefined
    const gate = this.#context.reader.recognize(op)
    const isKept = gate?.images.every(({ x, z }, index) =>
      index % 2 === 0 ? x === 1 << (index >> 1) && z === 0 : z === 1 << (index >> 1) && x === 0,
    )
    if (!gate || !isKept) return undefined
    // X anticommutes with Z: a gate that inverts Z contains X, and the reverse.
    return gate.images.flatMap(({ e }, index) =>
      e === 0 ? [] : [{ qubit: gate.qubits[index >> 1] as number, isPhase: index % 2 === 0 }],
    )
  }

  outcomeOf(index: number): 0 | 1 | undefined {
    return commonValue(this.#outcomes[index] as Bits)
  }

  divided(): ShotGroup[] {
    let parts = [Array.from(this.#shots.keys())]
    for (const bits of this.#outcomes) {
      parts = parts.flatMap((part) => {
        const ones = part.filter((at) => bits[at] === 1)
        if (ones.length === 0 || ones.length === part.length) return [part]
        return [ones, part.filter((at) => bits[at] === 0)]
      })
      this.#context.run.timeBudget.spend(BIT_WORK * bits.length)
    }
    return parts.map((places) => this.#part(places))
  }

  record(states: Int32Array): void {
    const { run, workload } = this.#context
    const bits = new Uint8Array(workload.clbits)
    const columns = Array.from(states, (state) => this.#outcomes[outcomeIn(state) ?? -1] ?? state)
    for (const [at, shot] of this.#shots.entries()) {
      for (const [clbit, column] of columns.entries()) {
        bits[clbit] = typeof column === 'number' ? column : (column[at] as number)
      }
      run.tally.add(bits, [shot])
      run.timeBudget.spend(BIT_WORK * columns.length)
    }
  }

  #part(places: readonly number[]): TableauGroup {
    const take = (bits: Bits) => Uint8Array.from(places, (at) => bits[at] as number)
    const shots = Uint32Array.from(places, (at) => this.#shots[at] as number)
    const part = new TableauGroup(
      this.#context,
      shots,
      this.#tableau,
      this.#random.map(take),
      this.#outcomes.map(take),
    )
    part.#isShared = true
    part.#channels = this.#channels
    part.#draws = this.#draws
    return part
  }

  /**
   * Changes the tableau, which no other group uses and which has all of `qubits`; `change` receives their
   * places in it.
   */
  #change(qubits: readonly number[], change: (tableau: Tableau, places: number[]) => void): void {
    const { places } = this.#context
    const taken = qubits.map((qubit) => places.take(qubit))
    if (taken.some((place) => place >= this.#tableau.qubits)) {
      const refusal = refuseSize(places.size)
      if (refusal) throw new UnsuitableMethodError(refusal)
      this.#tableau = this.#tableau.grown(places.size)
    } else if (this.#isShared) this.#tableau = this.#tableau.clone()
    this.#isShared = false
    change(this.#tableau, taken)
  }

  /** Number of words of a row. */
  get #row(): number {
    return 2 * Math.ceil(this.#tableau.qubits / 32)
  }

  /** The place of a qubit in the tableau; undefined for one that is still |0>. */
  #placeOfUsed(qubit: number): number | undefined {
    const place = this.#context.places.find(qubit)
    return place !== undefined && place < this.#tableau.qubits ? place : undefined
  }

  /** Makes the outcome of a qubit certain in the tableau, by a further open outcome if it is random. */
  #settle(qubit: number, place: number): void {
    const { timeBudget, rng, stream } = this.#context.run
    const isRandom = this.#tableau.isRandom(place)
    timeBudget.spend(OP_WORK + 4 * (isRandom ? 2 * this.#tableau.qubits * this.#row : this.#row))
    if (!isRandom) return
    const index = this.#draws++
    const draw = (shot: number) => {
      rng.seek(stream, shot, PURPOSE.measurement, index)
      return rng.next() < 0.5 ? 0 : 1
    }
    const [first = 0] = this.#shots
    if (this.#shots.length === 1 && this.#random.length === 0) {
      // One shot from the beginning: the tableau itself has the outcome.
      this.#change([qubit], (tableau) => tableau.measure(place, () => draw(first)))
      return
    }
    const outcome = this.#random.push(Uint8Array.from(this.#shots, draw)) - 1
    timeBudget.spend(16 * BIT_WORK * this.#shots.length)
    this.#change([qubit], (tableau) => tableau.measureOpen(place, outcome))
  }

  /** The outcomes of a qubit. */
  #measured(qubit: number): Bits {
    const place = this.#placeOfUsed(qubit)
    const bits = new Uint8Array(this.#shots.length)
    if (place === undefined) return bits
    this.#settle(qubit, place)
    const { value, inverters } = this.#tableau.outcomeOf(place)
    if (value === 1) bits.fill(1)
    for (const outcome of inverters) {
      const random = this.#random[outcome] as Bits
      for (let at = 0; at < bits.length; at++) (bits[at] as number) ^= random[at] as number
    }
    this.#context.run.timeBudget.spend(BIT_WORK * bits.length * (1 + inverters.length))
    return bits
  }

  /** Flips outcomes by the readout error. */
  #read(qubit: number, index: number, bits: Bits): Bits {
    const { rng, stream, readoutErrorOf } = this.#context.run
    const error = readoutErrorOf(qubit)
    if (!canMisread(error)) return bits
    return bits.map((outcome, at) => {
      rng.seek(stream, this.#shots[at] as number, PURPOSE.readout, index)
      return rng.next() < (error[outcome] as number) ? 1 - outcome : outcome
    })
  }

  /** Draws an operator: with noise of gates, each shot is a group of its own. */
  #applyChannel(op: ChannelOp): void {
    const terms = pauliTermsOf(op.channel)
    if (!terms) throw new UnsuitableMethodError(nonCliffordRefusal(op))
    const { rng, stream } = this.#context.run
    rng.seek(stream, this.#shots[0] as number, PURPOSE.noise, this.#channels++)
    const { x, z } = pickTerm(terms, rng.next())
    this.#change(op.qubits, (tableau, taken) => {
      for (const [index, place] of taken.entries()) {
        if ((x >> index) & 1) tableau.flip(place)
        if ((z >> index) & 1) tableau.flipPhase(place)
      }
    })
  }
}

/** The places of the bits with a value. */
function placesOf(bits: Bits, value: number): number[] {
  return [...bits.keys()].filter((at) => bits[at] === value)
}

/** The value that all bits have; undefined when they differ. */
function commonValue(bits: Bits): 0 | 1 | undefined {
  const first = bits[0] === 1 ? 1 : 0
  return bits.includes(1 - first) ? undefined : first
}
