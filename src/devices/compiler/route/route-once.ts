import type { Rng } from '../../../simulator/index.ts'
import type { Axis } from '../optimize/blocks.ts'
import type { CouplingGraph } from './coupling.ts'
import { EXCHANGE, type GateOrder, isSame, type Node } from './gate-order.ts'
import { Placement } from './placement.ts'
import { Progress } from './progress.ts'

/** Two physical qubits whose states are exchanged. */
type Edge = readonly [number, number]

/** A node of the order by its index, or an exchange. */
export type RouteEvent = number | Edge

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
  readonly #rng: Rng
  readonly #placement: Placement
  readonly #progress: Progress
  readonly #movable: ReadonlyMap<number, Edge>
  readonly #decay: Float64Array
  /** Distance of two places to its power, at one · qubits + other. */
  readonly #distances: Float64Array
  /** By place, the number of the group of gates that acted there last and commute there, or 0; its axis. */
  readonly #groups: Int32Array
  readonly #axes: (Axis | undefined)[] = []
  #numbers = 0
  /** At one · qubits + other, the group of `one` in the last gate of both, and what an exchange adds. */
  readonly #joined: Int32Array
  readonly #exchanges: Int8Array
  readonly #events: RouteEvent[] = []
  #swaps = 0
  #sinceGate = 0
  #cost = 0
  /** The gates that a choice considers: those that are due, then those ahead, with their weights. */
  readonly #ones = new Int32Array(MAX_DUE + LOOKAHEAD)
  readonly #others = new Int32Array(MAX_DUE + LOOKAHEAD)
  readonly #weights = new Float64Array(MAX_DUE + LOOKAHEAD)
  #due = 0
  #considered = 0
  #isCurrent = false
  /** Weights of gates ahead, in turn. */
  readonly #falling: Float64Array

  constructor(graph: CouplingGraph, order: GateOrder, start: ArrayLike<number>, falloff: number, rng: Rng) {
    const { qubits, movable } = graph
    this.#graph = graph
    this.#order = order
    this.#rng = rng
    this.#placement = new Placement(start, qubits)
    this.#progress = new Progress(order)
    this.#movable = new Map(
      movable.flatMap((edge) => {
        const [one, other] = edge
        return [[one * qubits + other, edge] as const, [other * qubits + one, edge] as const]
      }),
    )
    this.#decay = new Float64Array(qubits)
    this.#distances = Float64Array.from(
      { length: qubits ** 2 },
      (_, at) => graph.distance(Math.floor(at / qubits), at % qubits) ** POWER,
    )
    this.#falling = Float64Array.from({ length: LOOKAHEAD }, (_, index) => falloff ** index)
    this.#groups = new Int32Array(qubits)
    this.#joined = new Int32Array(qubits ** 2)
    this.#exchanges = new Int8Array(qubits ** 2)
    if (!order.isFromGround) for (const at of this.#groups.keys()) this.#groups[at] = ++this.#numbers
  }

  run(limit: number): Attempt | undefined {
    while (true) {
      this.#advance()
      this.#refresh()
      if (this.#due === 0) return this.#attempt()
      if (this.#cost >= limit) return undefined
      if (this.#sinceGate > STUCK * this.#graph.qubits) {
        this.#bringTogether()
        continue
      }
      const edge = this.#bestSwap()
      const [one, other] = edge
      this.#swap(edge)
      this.#decay[one] = (this.#decay[one] ?? 0) + DECAY
      this.#decay[other] = (this.#decay[other] ?? 0) + DECAY
    }
  }

  #attempt(): Attempt {
    if (this.#events.length - this.#swaps !== this.#order.nodes.length)
      throw new RangeError('the route leaves a gate out')
    const { physical } = this.#placement
    return { events: this.#events, swaps: this.#swaps, cost: this.#cost, final: physical }
  }

  /** Runs all nodes that can run, and the exchanges after them that cost less than they bring. */
  #advance(): void {
    const canRun = (node: Node) => !node.isGate || distanceOf(this.#graph, this.#placement, node) === 1
    for (let index = this.#progress.next(canRun); index !== undefined; ) {
      const node = this.#order.nodes[index]
      this.#events.push(index)
      this.#isCurrent = false
      if (node && node.qubits.length > 0) this.#note(node)
      index = this.#progress.next(canRun)
    }
  }

  #note({ qubits, isGate, exchange, axes }: Node): void {
    for (const [index, qubit] of qubits.entries()) {
      const at = this.#placement.at(qubit)
      if (at < 0 || (this.#groups[at] !== 0 && isSame(axes[index], this.#axes[at]))) continue
      this.#groups[at] = ++this.#numbers
      this.#axes[at] = axes[index]
    }
    if (!isGate) return
    if (this.#sinceGate > 0) this.#decay.fill(0)
    this.#sinceGate = 0
    if (exchange >= EXCHANGE) return
    const [one, other] = [this.#placement.at(qubits[0] ?? 0), this.#placement.at(qubits[1] ?? 0)]
    const [there, back] = [one * this.#graph.qubits + other, other * this.#graph.qubits + one]
    this.#joined[there] = this.#groups[one] ?? 0
    this.#joined[back] = this.#groups[other] ?? 0
    this.#exchanges[there] = exchange
    this.#exchanges[back] = exchange
    const edge = this.#movable.get(there)
    if (edge && this.#gain(one, other) + PRICE * exchange < -TIE) this.#swap(edge)
  }

  /** CZ that an exchange adds. */
  #costOf(one: number, other: number): number {
    const [a = 0, b = 0] = [this.#groups[one], this.#groups[other]]
    // A qubit in its ground state takes one less.
    if (a === 0 || b === 0) return a === b ? 0 : EXCHANGE - 1
    const [there, back] = [one * this.#graph.qubits + other, other * this.#graph.qubits + one]
    const isJoined = this.#joined[there] === a && this.#joined[back] === b
    return isJoined ? (this.#exchanges[there] ?? EXCHANGE) : EXCHANGE
  }

  #swap(edge: Edge): void {
    const [one, other] = edge
    const cost = this.#costOf(one, other)
    this.#placement.swap(one, other)
    this.#progress.rewind()
    this.#events.push(edge)
    this.#cost += cost
    this.#swaps++
    this.#sinceGate++
    for (const at of edge) {
      this.#groups[at] = ++this.#numbers
      this.#axes[at] = undefined
    }
  }

  #bestSwap(): Edge {
    let lowest = Number.POSITIVE_INFINITY
    let best: Edge[] = []
    for (const edge of this.#candidates()) {
      const [one, other] = edge
      const decay = Math.max(this.#decay[one] ?? 0, this.#decay[other] ?? 0)
      // Exchanges that cost nothing could go round in circles.
      const cost = this.#gain(one, other) + PRICE * Math.max(1, this.#costOf(one, other)) + decay
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
  #candidates(): Edge[] {
    const active = new Uint8Array(this.#graph.qubits)
    const { physical } = this.#placement
    for (let index = 0; index < this.#due; index++) {
      active[physical[this.#ones[index] ?? 0] ?? 0] = 1
      active[physical[this.#others[index] ?? 0] ?? 0] = 1
    }
    const last = this.#events.at(-1)
    const moving = this.#graph.movable.filter((edge) => active[edge[0]] === 1 || active[edge[1]] === 1)
    const others = moving.filter((edge) => edge !== last)
    return others.length > 0 ? others : moving
  }

  /** By how much an exchange changes the weighted distances of the gates that count. */
  #gain(one: number, other: number): number {
    this.#refresh()
    const { physical } = this.#placement
    const { qubits } = this.#graph
    let sum = 0
    for (let index = 0; index < this.#considered; index++) {
      const a = physical[this.#ones[index] ?? 0] ?? 0
      const b = physical[this.#others[index] ?? 0] ?? 0
      if (a !== one && a !== other && b !== one && b !== other) continue
      const then = this.#distances[moved(a, one, other) * qubits + moved(b, one, other)] ?? 0
      sum += (this.#weights[index] ?? 0) * (then - (this.#distances[a * qubits + b] ?? 0))
    }
    return sum
  }

  /** Collects the gates that are due and those ahead, with their weights, after a node has run. */
  #refresh(): void {
    if (this.#isCurrent) return
    this.#isCurrent = true
    const due = this.#progress.due(MAX_DUE)
    const ahead = this.#progress.ahead(LOOKAHEAD)
    this.#due = due.length
    this.#considered = 0
    let sum = 0
    for (let index = 0; index < ahead.length; index++) sum += this.#falling[index] ?? 0
    const share = (LOOKAHEAD_WEIGHT * Math.max(1, due.length)) / sum
    for (const index of due) this.#consider(index, 1)
    for (const [at, index] of ahead.entries()) this.#consider(index, share * (this.#falling[at] ?? 0))
  }

  #consider(index: number, weight: number): void {
    const [one = 0, other = 0] = this.#order.nodes[index]?.qubits ?? []
    this.#ones[this.#considered] = one
    this.#others[this.#considered] = other
    this.#weights[this.#considered] = weight
    this.#considered++
  }

  /** Moves the qubits of the nearest gate that is due next to each other. */
  #bringTogether(): void {
    const [graph, placement] = [this.#graph, this.#placement]
    const due = this.#progress.due(MAX_DUE).flatMap((index) => this.#order.nodes[index] ?? [])
    const nearest = due.reduce((best, node) =>
      distanceOf(graph, placement, node) < distanceOf(graph, placement, best) ? node : best,
    )
    while (distanceOf(graph, placement, nearest) > 1) {
      const closer = graph.movable.find(([one, other]) => {
        const [a = 0, b = 0] = nearest.qubits.map((qubit) => moved(placement.at(qubit), one, other))
        return graph.distance(a, b) < distanceOf(graph, placement, nearest)
      })
      if (closer === undefined) throw new RangeError('no exchange brings the qubits of a gate together')
      this.#swap(closer)
    }
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
