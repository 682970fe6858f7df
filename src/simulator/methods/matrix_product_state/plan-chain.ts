import { isSwap } from '../../reduction/operator.ts'
import type { StateOp } from '../../reduction/reduce-circuit.ts'
import { qubitsOf } from '../../reduction/reduce-circuit.ts'
import type { WorkCounter } from '../../timing/time-budget.ts'
import { gather, type Meeting } from './gathering.ts'

/** Work of an exchange of the walk, in amplitude updates. */
const EXCHANGE_WORK = 64

/** How the steps of a circuit run on a chain. */
export interface ChainPlan {
  /** The steps, each after all earlier ones on its qubits, next to one another where they can. */
  ops: StateOp[]
  meeting: Meeting
  /** The sites behind the bonds on which the steps act, exchanges included. */
  pairs: Int32Array
  /** For each step, the index in `pairs` at which it begins. */
  starts: Int32Array
  /** No bond of an exact chain is larger. */
  largestBond: number
}

/**
 * The order of steps and the meeting of operands that promise the least work. Gates are walked with one
 * number per bond, the dimension that they could make; it ranks the ways, and says little of the state.
 */
export function planChain(ops: readonly StateOp[], qubits: readonly number[], work: WorkCounter): ChainPlan {
  const walks = (['right', 'left'] as const).map((meeting) => new Walk(ops, qubits, meeting, work).run())
  const [first, second] = walks as [Walk, Walk]
  const best =
    second.cost < first.cost || (second.cost === first.cost && second.exchanges < first.exchanges)
      ? second
      : first
  const { ordered, meeting, pairs, starts, largestBond } = best
  return {
    ops: ordered,
    meeting,
    pairs: Int32Array.from(pairs),
    starts: Int32Array.from(starts),
    largestBond,
  }
}

/** A walk through the gates with the largest bonds that they could make. */
class Walk {
  readonly meeting: Meeting
  readonly ordered: StateOp[] = []
  readonly pairs: number[] = []
  readonly starts: number[] = []
  cost = 0
  exchanges = 0
  largestBond = 1
  readonly #work: WorkCounter
  readonly #siteOf = new Map<number, number>()
  readonly #qubitAt: number[]
  /** Dimension of the bond before each site; the last is behind the last site. */
  readonly #bonds: number[]
  /** Steps on each qubit that are waiting, by index, and the number of qubits on which a step is first. */
  readonly #queues = new Map<number, number[]>()
  readonly #ops: readonly StateOp[]
  readonly #ready: number[] = []
  readonly #missing: number[]
  #center = 0

  constructor(ops: readonly StateOp[], qubits: readonly number[], meeting: Meeting, work: WorkCounter) {
    this.#ops = ops
    this.meeting = meeting
    this.#work = work
    this.#qubitAt = [...qubits]
    for (const [site, qubit] of qubits.entries()) this.#siteOf.set(qubit, site)
    this.#bonds = new Array<number>(qubits.length + 1).fill(1)
    this.#missing = []
    for (const [index, op] of ops.entries()) {
      let missing = 0
      for (const qubit of qubitsOf(op)) {
        const queue = this.#queues.get(qubit)
        if (queue) {
          queue.push(index)
          missing++
        } else this.#queues.set(qubit, [index])
      }
      this.#missing.push(missing)
      if (missing === 0) this.#ready.push(index)
    }
    for (const queue of this.#queues.values()) queue.reverse()
  }

  run(): Walk {
    while (this.#ready.length > 0) this.#take(this.#nearest())
    return this
  }

  /** Takes the ready step whose qubits are nearest to the last one's out of `#ready`. */
  #nearest(): number {
    let best = 0
    let least = Number.POSITIVE_INFINITY
    for (const [place, index] of this.#ready.entries()) {
      this.#work.spend(EXCHANGE_WORK)
      const sites = qubitsOf(this.#ops[index] as StateOp).map((qubit) => this.#siteOf.get(qubit) as number)
      if (sites.length < 2) {
        best = place
        break
      }
      const distance = Math.min(...sites.map((site) => Math.abs(site - this.#center)))
      if (distance >= least) continue
      least = distance
      best = place
    }
    const [index] = this.#ready.splice(best, 1)
    return index as number
  }

  #take(index: number): void {
    const op = this.#ops[index] as StateOp
    this.ordered.push(op)
    this.starts.push(this.pairs.length)
    const qubits = qubitsOf(op)
    for (const qubit of qubits) {
      const queue = this.#queues.get(qubit) as number[]
      queue.pop()
      const next = queue.at(-1)
      if (next !== undefined && --(this.#missing[next] as number) === 0) this.#ready.push(next)
    }
    if (qubits.length < 2) return
    if (op.kind === 'unitary' && isSwap(op)) this.#rename(...(op.targets as [number, number]))
    else this.#gate(op, qubits)
  }

  #gate(op: StateOp, qubits: readonly number[]): void {
    const sites = qubits.map((qubit) => this.#siteOf.get(qubit) as number).sort((a, b) => a - b)
    const first = gather(sites, this.meeting, (site) => this.#exchange(site))
    const targets = op.kind === 'unitary' ? op.targets.length : op.kind === 'channel' ? op.qubits.length : 1
    this.#widen(first, qubits.length, 4 ** Math.max(1, targets - 1) / (targets > 1 ? 1 : 2))
  }

  /** Multiplies the bonds between sites by the dimension of an operator, up to what their neighbors allow. */
  #widen(first: number, width: number, factor: number): void {
    const bonds = this.#bonds
    const [before, after] = [bonds[first] as number, bonds[first + width] as number]
    for (let inner = 1; inner < width; inner++) {
      const site = first + inner
      const bond = Math.min(
        before * 2 ** inner,
        after * 2 ** (width - inner),
        factor * (bonds[site] as number),
      )
      bonds[site] = bond
      this.largestBond = Math.max(this.largestBond, bond)
      this.cost += bond ** 3
      this.pairs.push(site)
    }
    this.#center = first + width - 1
  }

  #exchange(site: number): void {
    this.#work.spend(EXCHANGE_WORK)
    const bonds = this.#bonds
    if (bonds[site] !== 1 || bonds[site + 1] !== 1 || bonds[site + 2] !== 1) {
      this.exchanges++
      this.#widen(site, 2, 4)
    }
    this.#rename(this.#qubitAt[site] as number, this.#qubitAt[site + 1] as number)
  }

  #rename(one: number, other: number): void {
    const [from, to] = [this.#siteOf.get(one) as number, this.#siteOf.get(other) as number]
    this.#qubitAt[from] = other
    this.#qubitAt[to] = one
    this.#siteOf.set(one, to)
    this.#siteOf.set(other, from)
  }
}
