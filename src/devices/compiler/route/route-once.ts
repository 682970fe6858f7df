import type { Rng } from '../../../simulator/index.ts'
import type { CouplingGraph } from './coupling.ts'
import type { GateOrder, Node } from './gate-order.ts'
import { Placement } from './placement.ts'
import { Progress } from './progress.ts'

/** A node of the order by its index, or an exchange of two physical qubits. */
export type RouteEvent = number | readonly [number, number]

/** Gates beyond those that are due which a choice considers, and their weight. */
const LOOKAHEAD = 20
const LOOKAHEAD_WEIGHT = 0.5
/** What a qubit that has just been moved costs more, so that exchanges in parallel are preferred. */
const DECAY = 0.001
const DECAY_RESET = 5
/** Choices whose costs differ by less are equal. */
const TIE = 1e-9
/** Exchanges without a gate, per qubit of the chip, after which the nearest gate has priority. */
const STUCK = 3

/** The outcome of one attempt. */
export interface Attempt {
  events: readonly RouteEvent[]
  swaps: number
  /** Physical qubits at the end, by qubit of the circuit. */
  final: Int32Array
}

/**
 * Routes by SABRE (Li, Ding and Xie, ASPLOS 2019): runs every gate whose qubits are coupled, then exchanges
 * the pair that brings the gates that are due, and those that follow, closest together.
 * @param falloff weight of each gate further ahead against that before it, at most 1.
 * @param limit number of exchanges at which the attempt is abandoned.
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
  const placement = new Placement(start, graph.qubits)
  const progress = new Progress(order, LOOKAHEAD)
  const decay = new Float64Array(graph.qubits).fill(1)
  const events: RouteEvent[] = []
  let swaps = 0
  let sinceGate = 0
  const swap = (one: number, other: number) => {
    placement.swap(one, other)
    events.push([one, other])
    swaps++
    sinceGate++
  }
  while (true) {
    progress.advance(
      (node) => !node.isGate || distanceOf(graph, placement, node) === 1,
      (index, { isGate }) => {
        events.push(index)
        if (!isGate || sinceGate === 0) return
        sinceGate = 0
        decay.fill(1)
      },
    )
    const { due } = progress
    if (due.length === 0) return { events, swaps, final: placement.physical }
    if (swaps >= limit) return undefined
    if (sinceGate > STUCK * graph.qubits) {
      bringTogether(graph, placement, due, swap)
      continue
    }
    const [one, other] = bestSwap(graph, placement, due, progress.ahead, decay, falloff, rng)
    swap(one, other)
    if (swaps % DECAY_RESET === 0) decay.fill(1)
    decay[one] = (decay[one] ?? 1) + DECAY
    decay[other] = (decay[other] ?? 1) + DECAY
  }
}

function distanceOf(graph: CouplingGraph, placement: Placement, { qubits }: Node): number {
  const [one = 0, other = 0] = qubits
  return graph.distance(placement.at(one), placement.at(other))
}

function bestSwap(
  graph: CouplingGraph,
  placement: Placement,
  due: readonly Node[],
  ahead: readonly Node[],
  decay: Float64Array,
  falloff: number,
  rng: Rng,
): readonly [number, number] {
  const near = placesOf(due, placement)
  const far = placesOf(ahead, placement)
  const active = new Set(near)
  let lowest = Number.POSITIVE_INFINITY
  let best: (readonly [number, number])[] = []
  for (const edge of graph.movable) {
    const [one, other] = edge
    if (!active.has(one) && !active.has(other)) continue
    const distance =
      meanDistance(graph, near, one, other, 1) +
      LOOKAHEAD_WEIGHT * meanDistance(graph, far, one, other, falloff)
    const cost = Math.max(decay[one] ?? 1, decay[other] ?? 1) * distance
    if (cost > lowest + TIE) continue
    if (cost < lowest - TIE) best = []
    lowest = Math.min(lowest, cost)
    best.push(edge)
  }
  const choice = best[Math.floor(rng.next() * best.length)]
  if (choice === undefined) throw new RangeError('no exchange moves the gates that are due')
  return choice
}

/** Both places of every gate, one after the other. */
function placesOf(nodes: readonly Node[], placement: Placement): number[] {
  const places: number[] = []
  for (const { qubits, isGate } of nodes)
    if (isGate) places.push(placement.at(qubits[0] ?? 0), placement.at(qubits[1] ?? 0))
  return places
}

/** The weighted mean distance of gates after an exchange; called for every choice, so without allocation. */
function meanDistance(
  graph: CouplingGraph,
  places: readonly number[],
  one: number,
  other: number,
  falloff: number,
): number {
  let sum = 0
  let weights = 0
  let weight = 1
  for (let at = 0; at < places.length; at += 2) {
    sum += weight * graph.distance(moved(places[at] ?? 0, one, other), moved(places[at + 1] ?? 0, one, other))
    weights += weight
    weight *= falloff
  }
  return weights === 0 ? 0 : sum / weights
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
  swap: (one: number, other: number) => void,
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
    swap(...closer)
  }
}
