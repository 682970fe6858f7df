import type { Rng } from '../../../simulator/index.ts'
import { type CouplingGraph, pairKey } from './coupling.ts'
import { EXCHANGE, type GateOrder, type Node } from './gate-order.ts'
import { Placement } from './placement.ts'
import { Progress } from './progress.ts'

/** A node of the order by its index, or an exchange of two physical qubits. */
export type RouteEvent = number | readonly [number, number]

/** Gates beyond those that are due which a choice considers, and their weight together. */
const LOOKAHEAD = 40
const LOOKAHEAD_WEIGHT = 0.5
/** The power of distances that counts: near gates come before far ones. */
const POWER = 0.8
/** What a CZ of an exchange costs, in such distances of a gate that is due. */
const PRICE = 0.45
/** Gates that are due which a choice considers: where many commute, the first are enough. */
const MAX_DUE = 40
/** What a qubit that has just been moved costs more, so that exchanges in parallel are preferred. */
const DECAY = 0.005
/** Choices whose costs differ by less are equal. */
const TIE = 1e-9
/** Exchanges without a gate, per qubit of the chip, after which the nearest gate has priority. */
const STUCK = 3

/** The outcome of one attempt. */
export interface Attempt {
  events: readonly RouteEvent[]
  swaps: number
  /** CZ that the exchanges add, as far as it shows while they are chosen. */
  cost: number
  /** Physical qubits at the end, by qubit of the circuit. */
  final: Int32Array
}

/**
 * Routes by SABRE (Li, Ding and Xie, ASPLOS 2019): runs every gate whose qubits are coupled, then exchanges
 * the pair that brings the gates that are due, and those that follow, closest together. An exchange right
 * after a gate of its qubits takes few CZ, often none, and is made where it brings gates closer (as in
 * MIRAGE, McKinney and others, HPCA 2024).
 * @param falloff weight of each gate further ahead against that before it, at most 1.
 * @param limit cost at which the attempt is abandoned.
 * @returns undefined for an abandoned attempt.
 */
export function routeOnce(
  graph: CouplingGraph,
  order: GateOrder,
  start: ArrayLike<number>,
  falloff: number,
  rng: Rng,
  limit = Number.POSITIVE_INFINITY,
): Attempt | undefined {
  return new Router(graph, order, start, falloff, rng).run(limit)
}

class Router {
  readonly #graph: CouplingGraph
  readonly #order: GateOrder
  readonly #falloff: number
  readonly #rng: Rng
  readonly #placement: Placement
  readonly #progress: Progress
  readonly #movable: ReadonlyMap<string, readonly [number, number]>
  readonly #decay: Float64Array
  /** Of distances. */
  readonly #powers: Float64Array
  /** By place, the number of what acted there last, 0 for nothing, and what an exchange after it adds. */
  readonly #last: Int32Array
  readonly #exchange: Int32Array
  #numbers = 0
  readonly #events: RouteEvent[] = []
  #swaps = 0
  #sinceGate = 0
  #cost = 0
  /** The gates that a choice considers: qubits of the circuit and weights. */
  #ones: number[] = []
  #others: number[] = []
  #weights: number[] = []
  #isCurrent = false

  constructor(graph: CouplingGraph, order: GateOrder, start: ArrayLike<number>, falloff: number, rng: Rng) {
    this.#graph = graph
    this.#order = order
    this.#falloff = falloff
    this.#rng = rng
    this.#placement = new Placement(start, graph.qubits)
    this.#progress = new Progress(order, LOOKAHEAD)
    this.#movable = new Map(graph.movable.map((edge) => [pairKey(...edge), edge]))
    this.#decay = new Float64Array(graph.qubits)
    this.#powers = Float64Array.from({ length: graph.qubits }, (_, distance) => distance ** POWER)
    this.#last = new Int32Array(graph.qubits)
    this.#exchange = new Int32Array(graph.qubits)
    if (!order.isFromGround) for (const at of this.#last.keys()) this.#last[at] = ++this.#numbers
  }

  run(limit: number): Attempt | undefined {
    while (true) {
      this.#advance()
      const due = this.#progress.due(MAX_DUE)
      if (due.length === 0) {
        const { physical } = this.#placement
        return { events: this.#events, swaps: this.#swaps, cost: this.#cost, final: physical }
      }
      if (this.#cost >= limit) return undefined
      if (this.#sinceGate > STUCK * this.#graph.qubits) {
        bringTogether(this.#graph, this.#placement, due, (edge) => this.#swap(edge))
        continue
      }
      const edge = this.#bestSwap()
      const [one, other] = edge
      this.#swap(edge)
      this.#decay[one] = (this.#decay[one] ?? 0) + DECAY
      this.#decay[other] = (this.#decay[other] ?? 0) + DECAY
    }
  }

  /** Runs all nodes that can run, and the exchanges after them that cost less than they bring. */
  #advance(): void {
    const canRun = (node: Node) => !node.isGate || distanceOf(this.#graph, this.#placement, node) === 1
    for (let index = this.#progress.next(canRun); index !== undefined; ) {
      const node = this.#order.nodes[index]
      this.#events.push(index)
      if (node && node.qubits.length > 0) this.#note(node)
      index = this.#progress.next(canRun)
    }
  }

  #note({ qubits, isGate, exchange }: Node): void {
    this.#isCurrent = false
    const places = qubits.map((qubit) => this.#placement.at(qubit)).filter((at) => at >= 0)
    if (isGate) this.#numbers++
    for (const at of places) {
      this.#last[at] = isGate ? this.#numbers : ++this.#numbers
      this.#exchange[at] = exchange
    }
    if (!isGate) return
    if (this.#sinceGate > 0) this.#decay.fill(0)
    this.#sinceGate = 0
    const [one = 0, other = 0] = places
    const edge = exchange < EXCHANGE ? this.#movable.get(pairKey(one, other)) : undefined
    if (edge && this.#gain(one, other) + PRICE * exchange < -TIE) this.#swap(edge)
  }

  /** CZ that an exchange adds. */
  #costOf(one: number, other: number): number {
    const [a = 0, b = 0] = [this.#last[one], this.#last[other]]
    if (a === b) return a === 0 ? 0 : (this.#exchange[one] ?? EXCHANGE)
    // A qubit in its ground state takes two.
    return a === 0 || b === 0 ? EXCHANGE - 1 : EXCHANGE
  }

  #swap(edge: readonly [number, number]): void {
    const [one, other] = edge
    const cost = this.#costOf(one, other)
    this.#placement.swap(one, other)
    this.#progress.rewind()
    this.#events.push(edge)
    this.#cost += cost
    this.#swaps++
    this.#sinceGate++
    if (this.#last[one] !== this.#last[other] || this.#last[one] === 0) {
      this.#numbers++
      this.#last[one] = this.#numbers
      this.#last[other] = this.#numbers
    }
    this.#exchange[one] = EXCHANGE
    this.#exchange[other] = EXCHANGE
  }

  #bestSwap(): readonly [number, number] {
    let lowest = Number.POSITIVE_INFINITY
    let best: (readonly [number, number])[] = []
    for (const edge of this.#candidates()) {
      const [one, other] = edge
      const decay = Math.max(this.#decay[one] ?? 0, this.#decay[other] ?? 0)
      // Exchanges that cost nothing could go round in circles.
      const price = PRICE * Math.max(1, this.#costOf(one, other))
      const cost = this.#gain(one, other) + price + decay
      if (cost > lowest + TIE) continue
      if (cost < lowest - TIE) best = []
      lowest = Math.min(lowest, cost)
      best.push(edge)
    }
    const choice = best[Math.floor(this.#rng.next() * best.length)]
    if (choice === undefined) throw new RangeError('no exchange moves the gates that are due')
    return choice
  }

  /** Exchanges that move a gate that is due, without the one that was made last where there are others. */
  #candidates(): (readonly [number, number])[] {
    const active = new Set<number>()
    for (const { qubits } of this.#progress.due(MAX_DUE))
      for (const qubit of qubits) active.add(this.#placement.at(qubit))
    const last = this.#events.at(-1)
    const moving = this.#graph.movable.filter((edge) => active.has(edge[0]) || active.has(edge[1]))
    const others = moving.filter((edge) => edge !== last)
    return others.length > 0 ? others : moving
  }

  /** By how much an exchange changes the weighted distances of the gates that count. */
  #gain(one: number, other: number): number {
    this.#refresh()
    const { physical } = this.#placement
    const graph = this.#graph
    let sum = 0
    for (let index = 0; index < this.#weights.length; index++) {
      const a = physical[this.#ones[index] ?? 0] ?? 0
      const b = physical[this.#others[index] ?? 0] ?? 0
      const isMoved = a === one || a === other || b === one || b === other
      if (!isMoved) continue
      const [now, then] = [graph.distance(a, b), graph.distance(moved(a, one, other), moved(b, one, other))]
      sum += (this.#weights[index] ?? 0) * ((this.#powers[then] ?? 0) - (this.#powers[now] ?? 0))
    }
    return sum
  }

  /** Collects the gates that are due and those ahead, with their weights, after a node has run. */
  #refresh(): void {
    if (this.#isCurrent) return
    this.#isCurrent = true
    const due = this.#progress.due(MAX_DUE)
    const ahead = this.#progress.ahead()
    const all = [...due, ...ahead]
    this.#ones = all.map(({ qubits }) => qubits[0] ?? 0)
    this.#others = all.map(({ qubits }) => qubits[1] ?? 0)
    const falling = ahead.map((_, index) => this.#falloff ** index)
    const sum = falling.reduce((total, weight) => total + weight, 0)
    const share = (LOOKAHEAD_WEIGHT * Math.max(1, due.length)) / sum
    this.#weights = [...due.map(() => 1), ...falling.map((weight) => weight * share)]
  }
}

function distanceOf(graph: CouplingGraph, placement: Placement, { qubits }: Node): number {
  const [one = 0, other = 0] = qubits
  return graph.distance(placement.at(one), placement.at(other))
}

function moved(qubit: number, one: number, other: number): number {
  if (qubit === one) return other
  return qubit === other ? one : qubit
}

/** Moves the qubits of the nearest gate that is due next to each other. */
function bringTogether(
  graph: CouplingGraph,
  placement: Placement,
  due: readonly Node[],
  swap: (edge: readonly [number, number]) => void,
): void {
  const nearest = due.reduce((best, node) =>
    distanceOf(graph, placement, node) < distanceOf(graph, placement, best) ? node : best,
  )
  while (distanceOf(graph, placement, nearest) > 1) {
    const closer = graph.movable.find(([one, other]) => {
      const [a = 0, b = 0] = nearest.qubits.map((qubit) => moved(placement.at(qubit), one, other))
      return graph.distance(a, b) < distanceOf(graph, placement, nearest)
    })
    if (closer === undefined) throw new RangeError('no exchange brings the qubits of a gate together')
    swap(closer)
  }
}
