import { createRng, type Rng } from '../../../simulator/index.ts'
import { JobError } from '../../errors.ts'
import type { Step } from '../decompose/step.ts'
import { pulledBlocks } from '../optimize/optimize.ts'
import { type Coupling, type CouplingGraph, graphOf, unusableOf } from './coupling.ts'
import { type GateOrder, gateOrderOf, reversed } from './gate-order.ts'
import { perfectPlacement } from './perfect-placement.ts'
import { moved, placeSteps } from './place-steps.ts'
import { Placement } from './placement.ts'
import { type Attempt, routeOnce } from './route-once.ts'
import { clustersOf, partsOf, randomPlacement } from './start-placement.ts'

/** A circuit to be placed on a chip. */
interface RoutingRequest {
  steps: readonly Step[]
  /** Number of qubits that the circuit declares. */
  qubits: number
  /** Physical qubits of the circuit, such as `$3`, and their place: they are not moved. */
  fixed: ReadonlyMap<number, number>
  coupling: Coupling
  /** How much is tried. */
  effort: RoutingEffort
  /** Whether gates are played as they are written: they neither change their order nor join exchanges. */
  isWritten: boolean
}

/** How much is tried to route a circuit. */
export interface RoutingEffort {
  /** Starts from which routing is tried, besides the qubits' own places. */
  starts: number
  /** Gates to route from all starts together, for each qubit of the chip. */
  gates: number
  /** Routed circuits to return at most. */
  results: number
}

/** A circuit on the qubits of a chip. */
export interface RoutedCircuit {
  /** On physical qubits. */
  steps: Step[]
  /** `none`: every qubit in its own place; `placement`: other places, no exchange; `sabre`: exchanges. */
  method: 'none' | 'placement' | 'sabre'
  /** Physical qubit at the start and at the end by qubit of the circuit; -1 for an unused one. */
  initial: Int32Array
  final: Int32Array
  swaps: number
}

type Pair = readonly [number, number]
type Places = ReadonlyMap<number, number>

/** Passes there and back that improve the better half of the starts. */
const PASSES = 2
/** Long circuits on small chips have fewer starts, which matter less to them. */
const MIN_STARTS = 3
const SEED = 2019
/** How the weights of gates further ahead fall, in turn: near ones decide on stars, all alike on lines. */
const FALLOFFS = [1, 0.8, 0.6]

/**
 * Plans to place a circuit on a chip, and to exchange states along couplings where a gate needs it. A circuit
 * whose pairs are all coupled keeps its qubits. What makes it impossible shows without a search.
 * @returns the search for at least one way, those with the fewest CZ first; the same circuit always has the
 *   same results.
 * @throws JobError when the chip has too few qubits that may be used, or no way to join the qubits of a gate.
 */
export function planRoute(request: RoutingRequest): () => RoutedCircuit[] {
  const { steps, qubits, coupling, effort, isWritten } = request
  const used = usedQubits(steps)
  const fixed = new Map([...request.fixed].filter(([qubit]) => used.includes(qubit)))
  assertFits(used, fixed, coupling)
  const graph = graphOf(coupling, new Set(fixed.values()))
  const pairs = pairsOf(steps)
  assertFixedCoupled(graph, pairs, fixed)
  const complete = (places: Places) => completed(places, used, fixed, qubits, coupling)
  const withoutExchange = (method: RoutedCircuit['method'], start: Int32Array): RoutedCircuit => {
    const placement = new Placement(start, coupling.qubits)
    const placed = steps.map((step) => moved(step, placement))
    return { steps: placed, method, initial: start, final: start, swaps: 0 }
  }
  const own = complete(new Map())
  if (pairs.every(([one, other]) => graph.isCoupled(own[one] ?? -1, own[other] ?? -1)))
    return () => [withoutExchange('none', own)]
  const perfect = perfectPlacement(graph, pairs, fixed)
  if (perfect) return () => [withoutExchange('placement', complete(perfect))]
  const starts = startsOf(graph, used, pairs, fixed, complete, effort.starts)
  return () => {
    const order = gateOrderOf(isWritten ? steps : pulledBlocks(steps))
    return search(graph, order, starts, effort).map(({ start, attempt: { events, swaps } }) => {
      const placement = new Placement(start, coupling.qubits)
      const placed = placeSteps(order, events, placement)
      return { steps: placed, method: 'sabre', initial: start, final: placement.physical, swaps }
    })
  }
}

/** Starts at which every gate can be reached. */
function startsOf(
  graph: CouplingGraph,
  used: readonly number[],
  pairs: readonly Pair[],
  fixed: Places,
  complete: (places: Places) => Int32Array,
  count: number,
): Int32Array[] {
  const rng = createRng(SEED)
  const clusters = clustersOf(used, pairs, fixed)
  const parts = partsOf(graph, fixed)
  const canRoute = (start: Int32Array) =>
    pairs.every(([one, other]) => Number.isFinite(graph.distance(start[one] ?? 0, start[other] ?? 0)))
  const random = Array.from({ length: count }, () => randomPlacement(graph, clusters, parts, rng))
  const starts = [new Map<number, number>(), ...random].flatMap((places) =>
    places ? [complete(places)] : [],
  )
  const possible = starts.filter(canRoute)
  if (possible.length > 0) return possible
  const joined = clusters[0]?.qubits.length ?? 0
  throw impossible(`its gates join ${joined} qubits, and the chip has no free part that connects as many`)
}

function assertFixedCoupled(graph: CouplingGraph, pairs: readonly Pair[], fixed: Places): void {
  for (const [one, other] of pairs) {
    const [a, b] = [fixed.get(one), fixed.get(other)]
    if (a === undefined || b === undefined || graph.isCoupled(a, b)) continue
    throw impossible(`$${a} and $${b} are not coupled, and physical qubits are not moved`)
  }
}

/** A start of the search, what makes its random choices, and how its last attempt ended. */
interface Candidate {
  start: Int32Array
  falloff: number
  rng: Rng
  cost: number
  end: Int32Array
}

interface Routed {
  start: Int32Array
  attempt: Attempt
}

/**
 * The attempts with the fewest CZ, and their starts: all starts are tried, then again and again the
 * better half is improved by routing the circuit backwards from its end and forwards again.
 */
function search(
  graph: CouplingGraph,
  order: GateOrder,
  starts: readonly Int32Array[],
  effort: RoutingEffort,
): Routed[] {
  const backwards = reversed(order)
  const affordable = Math.floor((effort.gates * graph.qubits) / order.nodes.length)
  const count = Math.max(MIN_STARTS, Math.min(starts.length, affordable))
  let candidates = starts.slice(0, count).map((start, index): Candidate => {
    const falloff = FALLOFFS[index % FALLOFFS.length] ?? 1
    return { start, falloff, rng: createRng(SEED + index), cost: Number.POSITIVE_INFINITY, end: start }
  })
  let best: Routed[] = []
  const keep = (routed: Routed | undefined) => {
    if (!routed) return
    best = [...best, routed].sort((one, other) => one.attempt.cost - other.attempt.cost)
    best = best.slice(0, effort.results)
  }
  for (let pass = 0; pass < PASSES; pass++) {
    for (const each of candidates) keep(tryStart(graph, order, each))
    const ranked = candidates.toSorted((one, other) => one.cost - other.cost)
    candidates = ranked.slice(0, Math.ceil(ranked.length / 2))
    for (const each of candidates) {
      each.start = routeOnce(graph, backwards, each.end, each.falloff, each.rng)?.final ?? each.start
    }
  }
  // Now only a better attempt matters.
  const limit = () => (best.length < effort.results ? undefined : best.at(-1)?.attempt.cost)
  for (const each of candidates) keep(tryStart(graph, order, each, limit()))
  return best
}

/** Routes from a start and notes how that ended; undefined beyond the limit of its cost. */
function tryStart(
  graph: CouplingGraph,
  order: GateOrder,
  candidate: Candidate,
  limit?: number,
): Routed | undefined {
  const { start, falloff, rng } = candidate
  const attempt = routeOnce(graph, order, start, falloff, rng, limit)
  if (!attempt) return undefined
  candidate.cost = attempt.cost
  candidate.end = attempt.final
  return { start, attempt }
}

/** Places for all used qubits: the given one, the fixed one, its own number, or else a free one. */
function completed(
  places: Places,
  used: readonly number[],
  fixed: Places,
  qubits: number,
  coupling: Coupling,
): Int32Array {
  const result = new Int32Array(qubits).fill(-1)
  const taken = new Set<number>([...fixed.values(), ...places.values(), ...unusableOf(coupling)])
  const put = (qubit: number, at: number) => {
    result[qubit] = at
    taken.add(at)
  }
  const left: number[] = []
  for (const qubit of used) {
    const at = fixed.get(qubit) ?? places.get(qubit)
    if (at !== undefined) put(qubit, at)
    else if (qubit < coupling.qubits && !taken.has(qubit)) put(qubit, qubit)
    else left.push(qubit)
  }
  let next = 0
  for (const qubit of left) {
    while (taken.has(next)) next++
    put(qubit, next)
  }
  return result
}

/** Qubits on which anything but a barrier acts, in ascending order. */
function usedQubits(steps: readonly Step[]): number[] {
  const used = new Set<number>()
  for (const step of steps) {
    if (step.kind === 'barrier') continue
    for (const qubit of 'qubits' in step ? step.qubits : [step.qubit]) used.add(qubit)
  }
  return [...used].sort((one, other) => one - other)
}

function pairsOf(steps: readonly Step[]): Pair[] {
  const pairs = new Map<string, Pair>()
  for (const step of steps) if (step.kind === 'cz') pairs.set([...step.qubits].sort().join(' '), step.qubits)
  return [...pairs.values()]
}

function assertFits(used: readonly number[], fixed: Places, { qubits, usable }: Coupling): void {
  const outside = [...fixed.values()].find((at) => at >= qubits)
  if (outside !== undefined)
    throw tooMany(`the circuit uses $${outside}, the device has $0 to $${qubits - 1}`)
  if (used.length > qubits) throw tooMany(`the circuit uses ${used.length} qubits, the device has ${qubits}`)
  if (!usable) return
  const unusable = [...fixed.values()].find((at) => !usable.has(at))
  if (unusable !== undefined) throw impossible(`the device cannot use $${unusable} now`)
  if (used.length > usable.size)
    throw impossible(`it uses ${used.length} qubits, the device can use ${usable.size} of its ${qubits} now`)
}

function tooMany(message: string): JobError {
  return new JobError(message, { errorCode: 'too_many_qubits' })
}

function impossible(reason: string): JobError {
  return new JobError(`the circuit cannot be routed: ${reason}`, { errorCode: 'routing_impossible' })
}
