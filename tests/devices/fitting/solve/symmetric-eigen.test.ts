import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { symmetricEigen } from '../../../../src/devices/fitting/solve/symmetric-eigen.ts'
import { invertSymmetric, solveSymmetric } from '../../../../src/devices/fitting/solve/symmetric-matrix.ts'

const SIZE = 5
const entries = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), {
  minLength: SIZE * SIZE,
  maxLength: SIZE * SIZE,
})
const product = (left: ArrayLike<number>, right: ArrayLike<number>, row: number, column: number) => {
  let sum = 0
  for (let at = 0; at < SIZE; at++) sum += (left[row * SIZE + at] ?? 0) * (right[at * SIZE + column] ?? 0)
  return sum
}

test('symmetricEigen() gives vectors that the matrix only scales', () => {
  fc.assert(
    fc.property(entries, (values) => {
      const matrix = Float64Array.from(
        values,
        (value, at) => value + (values[(at % SIZE) * SIZE + Math.floor(at / SIZE)] ?? 0),
      )
      const found = symmetricEigen(matrix, SIZE)
      for (let row = 0; row < SIZE; row++) {
        for (let column = 0; column < SIZE; column++) {
          const scaled = (found.values[column] ?? 0) * (found.vectors[row * SIZE + column] ?? 0)
          expect(Math.abs(product(matrix, found.vectors, row, column) - scaled)).toBeLessThan(1e-9)
        }
      }
    }),
    { numRuns: 40 },
  )
})

test('solveSymmetric() and invertSymmetric() undo a positive definite matrix', () => {
  fc.assert(
    fc.property(entries, (values) => {
      const transposed = values.map((_, at) => values[(at % SIZE) * SIZE + Math.floor(at / SIZE)] ?? 0)
      const matrix = Float64Array.from({ length: SIZE * SIZE }, (_, at) => {
        const [row, column] = [Math.floor(at / SIZE), at % SIZE]
        return product(values, transposed, row, column) + (row === column ? 1 : 0)
      })
      const inverse = invertSymmetric(matrix, SIZE) ?? new Float64Array(SIZE * SIZE)
      const solution = solveSymmetric(matrix, Float64Array.of(1, 0, 0, 0, 0)) ?? new Float64Array(SIZE)
      for (let row = 0; row < SIZE; row++) {
        expect(Math.abs((solution[row] ?? 0) - (inverse[row * SIZE] ?? 9))).toBeLessThan(1e-9)
        for (let column = 0; column < SIZE; column++) {
          expect(Math.abs(product(matrix, inverse, row, column) - (row === column ? 1 : 0))).toBeLessThan(
            1e-6,
          )
        }
      }
    }),
    { numRuns: 40 },
  )
})

test('a singular matrix has no solution', () => {
  expect(solveSymmetric(Float64Array.of(1, 1, 1, 1), Float64Array.of(1, 2))).toBeUndefined()
  expect(invertSymmetric(Float64Array.of(Number.NaN), 1)).toBeUndefined()
})
