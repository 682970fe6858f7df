import { product } from '../decompose/matrix.ts'
import type { GateStep } from '../decompose/step.ts'
import type { Block, Item } from './blocks.ts'
import { countCz, synthesis } from './synthesize.ts'

/** The gate that exchanges two qubits, row-major, real and imaginary parts interleaved. */
const SWAP = Float64Array.from([1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1].flatMap((each) => [each, 0]))

/** A circuit some of whose exchanges are changes of names. */
interface Elided {
  items: Item[]
  /** The qubit that holds what each qubit has at the end; others hold their own. */
  wires: ReadonlyMap<number, number>
}

/**
 * Takes an exchange out of every block that needs fewer CZ without it, and lets the two qubits of what
 * follows change their places instead.
 * @param fixed qubits that keep their place
 */
export function elideExchanges(items: readonly Item[], fixed: ReadonlySet<number>): Elided {
  const wires = new Map<number, number>()
  const at = (qubit: number) => wires.get(qubit) ?? qubit
  const result = items.map((item): Item => {
    const moved = relabeled(item, at)
    if (item.kind !== 'block' || moved.kind !== 'block') return moved
    const [low, high] = item.qubits
    if (fixed.has(low) || fixed.has(high)) return moved
    const without = withoutExchange(moved)
    if (!without) return moved
    const places = [at(low), at(high)] as const
    wires.set(low, places[1]).set(high, places[0])
    return without
  })
  return { items: result, wires }
}

/** The block followed by an exchange, where that takes fewer CZ. */
function withoutExchange(block: Block): Block | undefined {
  if (block.gates < 2 || (block.pulled && block.pulled.exchange >= 0)) return undefined
  const own = block.pulled ? block.gates : countCz(synthesis(block.qubits, block.matrix))
  const matrix = product(SWAP, block.matrix)
  const steps = synthesis(block.qubits, matrix)
  const gates = countCz(steps)
  return gates < own ? { kind: 'block', qubits: block.qubits, matrix, steps, gates } : undefined
}

function relabeled(item: Item, at: (qubit: number) => number): Item {
  switch (item.kind) {
    case 'block': {
      const steps = item.steps.map((step) => relabeledStep(step, at))
      return { ...item, qubits: [at(item.qubits[0]), at(item.qubits[1])], steps }
    }
    case 'barrier':
    case 'delay':
      return { ...item, qubits: item.qubits.map(at) }
    default:
      return { ...item, qubit: at(item.qubit) }
  }
}

function relabeledStep(step: GateStep, at: (qubit: number) => number): GateStep {
  return step.kind === 'cz'
    ? { ...step, qubits: [at(step.qubits[0]), at(step.qubits[1])] }
    : { ...step, qubit: at(step.qubit) }
}
