import type { UnitaryOp } from '../../../../../qasm/index.ts'
import { type Action, qubitsOf } from '../../reduce.ts'

/** The step as a matrix on one qubit, if it is one. */
function asSingle(op: Action): UnitaryOp | undefined {
  if (op.kind === 'unitary') return op.targets.length === 1 && op.controls.length === 0 ? op : undefined
  if (op.kind !== 'phase' || op.controls.length !== 1) return undefined
  const [re, im] = [Math.cos(op.angle), Math.sin(op.angle)]
  const isOnOne = op.controlValues === 1
  const matrix = isOnOne ? [1, 0, 0, 0, 0, 0, re, im] : [re, im, 0, 0, 0, 0, 1, 0]
  return {
    ...op,
    kind: 'unitary',
    targets: op.controls,
    controls: [],
    matrix: Float64Array.from(matrix),
    name: 'p',
  }
}

/** The 2 x 2 matrix product `later · earlier`. */
function product(later: Float64Array, earlier: Float64Array): Float64Array {
  const result = new Float64Array(8)
  for (let row = 0; row < 2; row++) {
    for (let column = 0; column < 2; column++) {
      for (let inner = 0; inner < 2; inner++) {
        const a = 2 * (2 * row + inner)
        const b = 2 * (2 * inner + column)
        const [ar = 0, ai = 0] = later.subarray(a, a + 2)
        const [br = 0, bi = 0] = earlier.subarray(b, b + 2)
        const at = 2 * (2 * row + column)
        result[at] = (result[at] ?? 0) + ar * br - ai * bi
        result[at + 1] = (result[at + 1] ?? 0) + ar * bi + ai * br
      }
    }
  }
  return result
}

/**
 * Multiplies runs of gates on one qubit into one: each gate costs a pass over the whole state, and circuits in the
 * basis gates of a chip consist of such runs.
 */
export function mergeSingles(ops: readonly Action[]): Action[] {
  const waiting = new Map<number, UnitaryOp>()
  const merged: Action[] = []
  for (const op of ops) {
    const single = asSingle(op)
    const [qubit] = single?.targets ?? []
    if (single && qubit !== undefined) {
      const earlier = waiting.get(qubit)
      const matrix = earlier ? product(single.matrix, earlier.matrix) : single.matrix
      waiting.set(qubit, { ...single, matrix })
      continue
    }
    for (const touched of qubitsOf(op)) {
      const before = waiting.get(touched)
      if (before) merged.push(before)
      waiting.delete(touched)
    }
    merged.push(op)
  }
  return merged.concat(...waiting.values())
}
