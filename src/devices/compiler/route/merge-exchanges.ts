import { IDENTITY, type Matrix, onBoth, product } from '../decompose/matrix.ts'
import { type CzStep, type LocalStep, type Step, StepList } from '../decompose/step.ts'
import { addTwoQubit } from '../decompose/two-qubit.ts'

/** What two qubits do with each other alone, from their first CZ on. */
interface Block {
  low: number
  high: number
  steps: (CzStep | LocalStep)[]
  gates: number
  hasExchange: boolean
}

/**
 * Joins every exchange with the gates that its two qubits have before and after it, where that saves CZ: an
 * exchange beside a CZ takes two instead of four. Gates that are not beside an exchange stay as they are,
 * because somebody may have repeated them on purpose.
 * @param exchanges the CZ that exchanges consist of
 */
export function mergeExchanges(steps: readonly Step[], exchanges: ReadonlySet<CzStep>): Step[] {
  const merger = new Merger(exchanges)
  for (const step of steps) merger.add(step)
  return merger.finish()
}

class Merger {
  readonly #exchanges: ReadonlySet<CzStep>
  readonly #merged: Step[] = []
  readonly #open = new Map<number, Block>()

  constructor(exchanges: ReadonlySet<CzStep>) {
    this.#exchanges = exchanges
  }

  add(step: Step): void {
    if (step.kind === 'cz') {
      const block = this.#blockOf(step)
      block.steps.push(step)
      block.gates += 1
      block.hasExchange ||= this.#exchanges.has(step)
      return
    }
    const block = step.kind === 'local' ? this.#open.get(step.qubit) : undefined
    if (block && step.kind === 'local') {
      block.steps.push(step)
      return
    }
    for (const qubit of 'qubits' in step ? step.qubits : [step.qubit]) this.#close(qubit)
    this.#merged.push(step)
  }

  finish(): Step[] {
    for (const qubit of [...this.#open.keys()]) this.#close(qubit)
    return this.#merged
  }

  /** The open block of the qubits of a CZ; a new one ends what either has with others. */
  #blockOf({ qubits: [low, high] }: CzStep): Block {
    const current = this.#open.get(low)
    if (current && current === this.#open.get(high)) return current
    this.#close(low)
    this.#close(high)
    const block: Block = { low, high, steps: [], gates: 0, hasExchange: false }
    this.#open.set(low, block).set(high, block)
    return block
  }

  #close(qubit: number): void {
    const block = this.#open.get(qubit)
    if (!block) return
    this.#open.delete(block.low)
    this.#open.delete(block.high)
    for (const step of shortest(block)) this.#merged.push(step)
  }
}

/** The steps of a block, or the same unitary with fewer CZ. */
function shortest(block: Block): readonly Step[] {
  const { low, high, steps, gates, hasExchange } = block
  // An exchange alone has the fewest.
  if (!hasExchange || gates <= 3) return steps
  const list = new StepList()
  addTwoQubit(list, [low, high], matrixOf(block))
  return list.steps.filter(({ kind }) => kind === 'cz').length < gates ? list.steps : steps
}

/** 4 × 4, of all steps. */
function matrixOf({ low, steps }: Block): Matrix {
  let matrix = onBoth(IDENTITY, IDENTITY)
  const local = { low: IDENTITY, high: IDENTITY }
  for (const step of steps) {
    if (step.kind === 'local') {
      const end = step.qubit === low ? 'low' : 'high'
      local[end] = product(step.matrix, local[end])
      continue
    }
    // CZ is diag(1, 1, 1, -1).
    matrix = product(onBoth(local.low, local.high), matrix).map((value, at) => (at < 24 ? value : -value))
    local.low = IDENTITY
    local.high = IDENTITY
  }
  return product(onBoth(local.low, local.high), matrix)
}
