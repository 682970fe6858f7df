import type { PhaseOp, UnitaryOp } from '../../../../qasm/index.ts'
import { identity } from '../../../numeric/matrix.ts'
import { applyOperator, operatorOf } from '../../../reduction/operator.ts'
import { isDiagonal, qubitsOf, type StateOp } from '../../../reduction/reduce-circuit.ts'
import { OP_WORK, UNLIMITED, type WorkCounter } from '../../../timing/time-budget.ts'
import { isSwap } from './compile.ts'

/**
 * Times of passes over a block, relative to a real rotation, measured in the level 2 cache: they are the same
 * in both precisions. Phases take little, because those of a whole layer are merged into one pass.
 */
const COSTS = { rotation: 1, phase: 0.1, pairPhase: 0.6, controlled: 1.2, four: 5.6 } as const

type Gate = UnitaryOp | PhaseOp

/** Consecutive gates on two qubits. */
interface Pair {
  qubits: readonly [number, number]
  gates: Gate[]
}

/**
 * Multiplies consecutive gates on two qubits into one 4 x 4 matrix where that takes less time than the gates,
 * whose phases are merged with others. Gates on other qubits may come between them.
 */
export function fusePairs(ops: readonly StateOp[], work: WorkCounter = UNLIMITED): StateOp[] {
  const fusion = new Fusion()
  for (const op of ops) {
    work.spend(OP_WORK)
    fusion.step(op)
  }
  return fusion.end()
}

class Fusion {
  readonly #fused: StateOp[] = []
  /** The pairs that take further gates, by both of their qubits. */
  readonly #open = new Map<number, Pair>()
  /** Gates on one qubit that wait for one on two. */
  readonly #waiting = new Map<number, Gate>()

  step(op: StateOp): void {
    const qubits = qubitsOf(op)
    const [a, b] = qubits
    if ((op.kind === 'unitary' || op.kind === 'phase') && a !== undefined) {
      const pair = this.#open.get(a)
      if (pair && qubits.every((qubit) => this.#open.get(qubit) === pair)) {
        pair.gates.push(op)
        return
      }
      if (b === undefined && !this.#waiting.has(a)) {
        this.#waiting.set(a, op)
        return
      }
      if (b !== undefined && qubits.length === 2) {
        this.#openPair([a, b], op)
        return
      }
    }
    for (const qubit of qubits) this.#flush(qubit)
    this.#fused.push(op)
  }

  end(): StateOp[] {
    for (const qubit of [...this.#open.keys(), ...this.#waiting.keys()]) this.#flush(qubit)
    return this.#fused
  }

  #openPair(qubits: readonly [number, number], op: Gate): void {
    const pair: Pair = { qubits, gates: [] }
    for (const qubit of qubits) {
      this.#close(qubit)
      const before = this.#waiting.get(qubit)
      if (before) pair.gates.push(before)
      this.#waiting.delete(qubit)
    }
    pair.gates.push(op)
    for (const qubit of qubits) this.#open.set(qubit, pair)
  }

  #close(qubit: number): void {
    const pair = this.#open.get(qubit)
    if (!pair) return
    for (const each of pair.qubits) this.#open.delete(each)
    const cost = pair.gates.reduce((sum, gate) => sum + costOf(gate), 0)
    if (pair.gates.length > 1 && cost > COSTS.four) this.#fused.push(productOf(pair))
    else for (const gate of pair.gates) this.#fused.push(gate)
  }

  #flush(qubit: number): void {
    this.#close(qubit)
    const gate = this.#waiting.get(qubit)
    if (gate) this.#fused.push(gate)
    this.#waiting.delete(qubit)
  }
}

function productOf({ qubits, gates }: Pair): UnitaryOp {
  let product = identity(4)
  const bitOf = (qubit: number) => (qubit === qubits[0] ? 1 : 2)
  for (const gate of gates) {
    const operator = operatorOf(gate)
    if (operator) product = applyOperator(operator, product, 4, bitOf)
  }
  return {
    kind: 'unitary',
    targets: [...qubits],
    controls: [],
    controlValues: 0,
    matrix: Float64Array.from(product.data),
    name: 'fused',
  }
}

function costOf(gate: Gate): number {
  const isSingle = qubitsOf(gate).length === 1
  if (gate.kind === 'phase' || isDiagonal(gate.matrix)) return isSingle ? COSTS.phase : COSTS.pairPhase
  if (isSingle) return COSTS.rotation
  if (gate.targets.length === 1) return COSTS.controlled
  // A swap only exchanges the places of its qubits.
  return isSwap(gate.matrix) ? 0 : COSTS.four
}
