import type { Step } from '../decompose/step.ts'
import { type Block, blocksOf, type Item, itemQubits, withGatesAfter } from './blocks.ts'
import { elideExchanges } from './elide-exchanges.ts'
import { joinCommuting } from './join-commuting.ts'
import { pullLocals } from './pull-locals.ts'
import { countCz, type Ends, shortestSteps } from './synthesize.ts'

/** Rounds at most, of which each may bring blocks together; the first that gains nothing is the last. */
const MAX_ROUNDS = 5

/** A circuit with fewer CZ. */
interface Optimized {
  steps: Step[]
  /** Where each qubit has its state at the end; qubits that are not listed, in their own place. */
  wires: ReadonlyMap<number, number>
}

/**
 * The same circuit with fewer CZ: gates of the same two qubits are joined, also across gates that commute
 * with them, and made with the fewest CZ. What stands at the start of a circuit, where qubits are in their
 * ground state, and before measurements needs fewer. Exchanges of qubits that are not `fixed` become changes
 * of places. Barriers, delays, measurements and resets keep their places.
 */
export function optimizeFree(steps: readonly Step[], fixed: ReadonlySet<number>): Optimized {
  const { items, wires } = elideExchanges(collected(steps), fixed)
  const optimized = optimize(shortest(items))
  const isGain = wires.size > 0 || countCz(optimized) < countCz(steps)
  return { steps: isGain ? optimized : [...steps], wires }
}

/** As `optimizeFree`, with every qubit in its place. */
export function optimize(steps: readonly Step[]): Step[] {
  let best = [...steps]
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = shortest(collected(best))
    if (countCz(next) >= countCz(best)) return best
    best = next
  }
  return best
}

const collected = (steps: readonly Step[]) => withGatesAfter(joinCommuting(pullLocals(blocksOf(steps))))

/** A circuit as blocks without what qubits do alone, which those that commute show. */
export function pulledBlocks(steps: readonly Step[]): Item[] {
  return pullLocals(joinCommuting(pullLocals(blocksOf(steps))))
}

/** The steps of all items. */
function shortest(items: readonly Item[]): Step[] {
  const measured = measuredBlocks(items)
  const touched = new Set<number>()
  const result: Step[] = []
  for (const item of items) {
    if (item.kind === 'block') {
      const [low, high] = item.qubits
      const ends: Ends = { fresh: [!touched.has(low), !touched.has(high)], isMeasured: measured.has(item) }
      result.push(...shortestSteps(item, ends))
    } else {
      result.push(item)
    }
    if (item.kind === 'reset') touched.delete(item.qubit)
    else if (item.kind !== 'barrier' && item.kind !== 'delay')
      for (const qubit of itemQubits(item)) touched.add(qubit)
  }
  return result
}

/** Blocks both of whose qubits are measured next; a barrier between makes no difference. */
function measuredBlocks(items: readonly Item[]): Set<Block> {
  const next = new Map<number, Item>()
  const found = new Set<Block>()
  for (const item of items.toReversed()) {
    if (item.kind === 'barrier') continue
    if (item.kind === 'block' && item.qubits.every((qubit) => next.get(qubit)?.kind === 'measure'))
      found.add(item)
    for (const qubit of itemQubits(item)) next.set(qubit, item)
  }
  return found
}
