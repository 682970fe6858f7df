import { expect, test } from 'bun:test'
import {
  adjointTimes,
  type Matrix,
  multiply,
  zeros,
} from '../../../../src/simulator/methods/matrix_product_state/matrix.ts'
import { splitExactly, splitTruncated } from '../../../../src/simulator/methods/matrix_product_state/split.ts'
import { createRng } from '../../../../src/simulator/numeric/random.ts'

function random(rows: number, columns: number, seed: number): Matrix {
  const rng = createRng(seed)
  return { rows, columns, data: Float64Array.from({ length: 2 * rows * columns }, () => rng.normal()) }
}

function distance(one: Matrix, other: Matrix): number {
  expect([one.rows, one.columns]).toEqual([other.rows, other.columns])
  return one.data.reduce((most, part, at) => Math.max(most, Math.abs(part - (other.data[at] ?? 9))), 0)
}

function unity(size: number): Matrix {
  const matrix = zeros(size, size)
  for (let at = 0; at < size; at++) matrix.data[2 * at * (size + 1)] = 1
  return matrix
}

const ALL = { maxBondDimension: 1_000, threshold: 1e-16 }

test.each([
  [1, 1],
  [6, 6],
  [3, 11],
  [11, 3],
  [40, 24],
])('a matrix of %i by %i is the product of its parts, the left of which is orthonormal', (rows, columns) => {
  const matrix = random(rows, columns, rows + columns)
  for (const { left, right } of [splitTruncated(matrix, ALL), splitExactly(matrix)]) {
    expect(distance(multiply(left, right), matrix)).toBeLessThan(1e-12)
    expect(distance(adjointTimes(left, left), unity(left.columns))).toBeLessThan(1e-12)
    expect(left.columns).toBe(Math.min(rows, columns))
  }
})

test('a matrix of low rank is split at its rank without loss', () => {
  const matrix = multiply(random(20, 3, 1), random(3, 16, 2))
  expect(splitTruncated(matrix, ALL)).toMatchObject({ left: { columns: 3 } })
  expect(splitTruncated(matrix, ALL).discarded).toBeLessThan(1e-28)
  expect(splitExactly(matrix).left.columns).toBe(3)
})

test('singular values that are close or far apart are distinguished', () => {
  // The singular values of diagonal matrices are known.
  const values = [1, 1, 1e-3, 1e-6, 1e-6]
  const matrix = zeros(5, 5)
  for (const [at, value] of values.entries()) matrix.data[2 * at * 6] = value
  const turned = multiply(
    splitExactly(random(5, 5, 7)).left,
    multiply(matrix, splitExactly(random(5, 5, 8)).left),
  )
  const { right } = splitTruncated(turned, ALL)
  const rows = Array.from({ length: right.rows }, (_, row) =>
    Math.hypot(...right.data.subarray(2 * row * right.columns, 2 * (row + 1) * right.columns)),
  )
  for (const [at, value] of values.entries()) expect(Math.abs((rows[at] ?? 0) / value - 1)).toBeLessThan(1e-8)
})

test('the discarded weight of a truncation is returned', () => {
  const matrix = zeros(3, 3)
  for (const [at, value] of [3, 2, 1].entries()) matrix.data[2 * at * 4] = value
  const { left, discarded } = splitTruncated(matrix, { maxBondDimension: 2, threshold: 0 })
  expect(left.columns).toBe(2)
  expect(discarded).toBeCloseTo(1 / 14, 12)
})
