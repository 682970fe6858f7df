import type { Matrix } from '../../../qasm/index.ts'
import { IDENTITY, onBoth, product } from '../decompose/matrix.ts'
import { qubitsOf } from '../decompose/native.ts'
import type { CzStep, GateStep, LocalStep, Step } from '../decompose/step.ts'

/** What two qubits do with each other alone. */
export interface Block {
  kind: 'block'
  qubits: readonly [low: number, high: number]
  /** 4 × 4: all steps in one. */
  matrix: Matrix
  steps: readonly GateStep[]
  /** CZ among the steps. */
  gates: number
  /** What is known of a block without what either qubit does alone. */
  pulled?: Pulled
}

/** A direction on the sphere of a qubit, of length 1. */
export type Axis = readonly [x: number, y: number, z: number]

/** What `pullLocals` finds about a block, whose steps have the fewest CZ. */
interface Pulled {
  /** CZ that an exchange of the two qubits just before or after it adds. */
  exchange: number
  /** For each qubit, the axis about which its turns commute with it, as all of the same axis do. */
  axes: readonly [Axis | undefined, Axis | undefined]
}

/** A circuit as blocks; gates on one qubit are items only where no block takes them. */
export type Item = Block | Exclude<Step, CzStep>

/**
 * Collects the gates of pairs of qubits, each with the gates on one qubit before it: those after it might
 * keep it from being joined with others.
 */
export function blocksOf(steps: readonly Step[]): Item[] {
  const collector = new Collector()
  for (const step of steps) collector.add(step)
  return collector.finish()
}

/** Takes gates on one qubit into the block before them. */
export function withGatesAfter(items: readonly Item[]): Item[] {
  const result: Item[] = []
  /** Place of the last item on a qubit. */
  const last = new Map<number, number>()
  for (const item of items) {
    const at = item.kind === 'local' ? (last.get(item.qubit) ?? -1) : -1
    const before = result[at]
    if (item.kind === 'local' && before?.kind === 'block') {
      result[at] = blockOf(before.qubits, [...before.steps, item])
      continue
    }
    for (const qubit of itemQubits(item)) last.set(qubit, result.length)
    result.push(item)
  }
  return result
}

/** The qubits on which an item acts. */
export function itemQubits(item: Item): readonly number[] {
  return item.kind === 'block' ? item.qubits : qubitsOf(item)
}

function blockOf(qubits: Block['qubits'], steps: readonly GateStep[]): Block {
  const gates = steps.filter(({ kind }) => kind === 'cz').length
  return { kind: 'block', qubits, matrix: matrixOf(qubits[0], steps), steps, gates }
}

/** The block of two that follow each other on the same qubits. */
export function joined(first: Block, second: Block): Block {
  const matrix = first.qubits[0] === second.qubits[0] ? second.matrix : exchanged(second.matrix)
  return {
    kind: 'block',
    qubits: first.qubits,
    matrix: product(matrix, first.matrix),
    steps: [...first.steps, ...second.steps],
    gates: first.gates + second.gates,
  }
}

/** The same unitary with the less significant qubit as the more significant one. */
function exchanged(matrix: Matrix): Matrix {
  const at = (index: number) => ((index & 1) << 1) | (index >> 1)
  const result = new Float64Array(matrix.length)
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 4; column++) {
      const [to, from] = [2 * (row * 4 + column), 2 * (at(row) * 4 + at(column))]
      result[to] = matrix[from] ?? 0
      result[to + 1] = matrix[from + 1] ?? 0
    }
  }
  return result
}

/** A block to which steps are added; its gates on one qubit are multiplied in before the next CZ. */
interface OpenBlock {
  qubits: readonly [low: number, high: number]
  steps: GateStep[]
}

class Collector {
  readonly #items: Item[] = []
  readonly #open = new Map<number, OpenBlock>()
  /** Gates on one qubit that wait for a block of their qubit. */
  readonly #waiting = new Map<number, LocalStep[]>()

  add(step: Step): void {
    if (step.kind === 'cz') {
      this.#blockOf(step).steps.push(step)
    } else if (step.kind === 'local') {
      const block = this.#open.get(step.qubit)
      if (block) block.steps.push(step)
      else this.#wait(step)
    } else {
      for (const qubit of qubitsOf(step)) this.#end(qubit)
      this.#items.push(step)
    }
  }

  finish(): Item[] {
    for (const qubit of [...this.#open.keys()]) this.#close(qubit)
    for (const qubit of [...this.#waiting.keys()]) this.#end(qubit)
    return this.#items
  }

  /** The open block of the qubits of a CZ; a new one ends what either has with others. */
  #blockOf({ qubits }: CzStep): OpenBlock {
    const [low, high] = qubits
    const current = this.#open.get(low)
    if (current && current === this.#open.get(high)) return current
    this.#close(low)
    this.#close(high)
    const steps = qubits.flatMap((qubit) => this.#waiting.get(qubit) ?? [])
    for (const qubit of qubits) this.#waiting.delete(qubit)
    const block: OpenBlock = { qubits, steps }
    this.#open.set(low, block).set(high, block)
    return block
  }

  #wait(step: LocalStep): void {
    const list = this.#waiting.get(step.qubit)
    if (list) list.push(step)
    else this.#waiting.set(step.qubit, [step])
  }

  #end(qubit: number): void {
    this.#close(qubit)
    this.#items.push(...(this.#waiting.get(qubit) ?? []))
    this.#waiting.delete(qubit)
  }

  #close(qubit: number): void {
    const block = this.#open.get(qubit)
    if (!block) return
    const { qubits, steps } = block
    for (const each of qubits) this.#open.delete(each)
    const end = steps.findLastIndex(({ kind }) => kind === 'cz') + 1
    this.#items.push(blockOf(qubits, steps.slice(0, end)))
    for (const step of steps.slice(end)) if (step.kind === 'local') this.#wait(step)
  }
}

/** 4 × 4, of steps on two qubits. */
function matrixOf(low: number, steps: readonly GateStep[]): Matrix {
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
