import type { PhaseOp, UnitaryOp } from '../../qasm/index.ts'
import type { Block } from '../numeric/matrix.ts'

/** A matrix on some qubits, with controls; not necessarily unitary. */
export type LocalOperator = Pick<UnitaryOp, 'targets' | 'controls' | 'controlValues' | 'matrix'>

/** Place of the 1 in each row of the swap gate. */
const SWAP_COLUMNS = [0, 2, 1, 3]

/** A gate or phase as an operator; undefined for a global phase, which affects no outcome. */
export function operatorOf(op: UnitaryOp | PhaseOp): LocalOperator | undefined {
  if (op.kind === 'unitary') return op
  const [last, ...controls] = op.controls.toReversed()
  if (last === undefined) return undefined
  const isOne = (op.controlValues >> (op.controls.length - 1)) & 1
  const [re, im] = [Math.cos(op.angle), Math.sin(op.angle)]
  const matrix = isOne ? Float64Array.of(1, 0, 0, 0, 0, 0, re, im) : Float64Array.of(re, im, 0, 0, 0, 0, 1, 0)
  const controlValues = op.controlValues & (2 ** controls.length - 1)
  return { targets: [last], controls: controls.toReversed(), controlValues, matrix }
}

/** Whether an operator does nothing but exchange two qubits. */
export function isSwap({ targets, controls, matrix }: LocalOperator): boolean {
  if (targets.length !== 2 || controls.length > 0) return false
  return SWAP_COLUMNS.every((column, row) =>
    SWAP_COLUMNS.every((_, at) => {
      const place = 2 * (4 * row + at)
      return matrix[place] === (at === column ? 1 : 0) && matrix[place + 1] === 0
    }),
  )
}

/**
 * Applies an operator to a tensor of neighboring sites; `values` consecutive rows are the values of their
 * qubits.
 */
export function applyOperator(
  op: LocalOperator,
  tensor: Block,
  values: number,
  bitOf: (qubit: number) => number,
): Block {
  const targets = op.targets.map(bitOf)
  const all = targets.reduce((sum, bit) => sum | bit, 0)
  const controls = op.controls.reduce((sum, qubit) => sum | bitOf(qubit), 0)
  const wanted = op.controls.reduce(
    (sum, qubit, place) => ((op.controlValues >> place) & 1 ? sum | bitOf(qubit) : sum),
    0,
  )
  const places = Array.from({ length: 2 ** targets.length }, (_, index) =>
    targets.reduce((sum, bit, place) => ((index >> place) & 1 ? sum | bit : sum), 0),
  )
  const data = tensor.data.slice()
  const length = 2 * tensor.columns
  for (let block = 0; block < tensor.rows; block += values) {
    for (let value = 0; value < values; value++) {
      if ((value & all) !== 0 || (value & controls) !== wanted) continue
      combine(op.matrix, places, block + value, tensor.data, data, length)
    }
  }
  return { rows: tensor.rows, columns: tensor.columns, data }
}

/** Writes to rows of `to`, at `places` from `first` on, the combinations of rows of `from` by a matrix. */
function combine(
  matrix: Float64Array,
  places: readonly number[],
  first: number,
  from: Float64Array,
  to: Float64Array,
  length: number,
): void {
  const size = places.length
  for (let index = 0; index < size; index++) {
    const into = (first + (places[index] as number)) * length
    to.fill(0, into, into + length)
    for (let inner = 0; inner < size; inner++) {
      const at = 2 * (index * size + inner)
      const re = matrix[at] as number
      const im = matrix[at + 1] as number
      if (re === 0 && im === 0) continue
      const source = (first + (places[inner] as number)) * length
      for (let part = 0; part < length; part += 2) {
        const a = from[source + part] as number
        const b = from[source + part + 1] as number
        to[into + part] = (to[into + part] as number) + re * a - im * b
        to[into + part + 1] = (to[into + part + 1] as number) + re * b + im * a
      }
    }
  }
}

/** Exchanges the values 01 and 10 of two neighboring sites; four consecutive rows are their values. */
export function exchangeValues({ rows, columns, data }: Block): Block {
  const exchanged = data.slice()
  const length = 2 * columns
  for (let row = 1; row < rows; row += 4) {
    const at = row * length
    exchanged.set(data.subarray(at + length, at + 2 * length), at)
    exchanged.set(data.subarray(at, at + length), at + length)
  }
  return { rows, columns, data: exchanged }
}
