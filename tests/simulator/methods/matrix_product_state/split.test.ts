import { expect, test } from 'bun:test'
import { createEngine } from '../../../../src/simulator/kernel/engine.ts'
import { Algebra } from '../../../../src/simulator/methods/matrix_product_state/algebra.ts'
import { splitExactly, splitTruncated } from '../../../../src/simulator/methods/matrix_product_state/split.ts'
import { type Block, zeros } from '../../../../src/simulator/numeric/matrix.ts'
import { createRng } from '../../../../src/simulator/numeric/random.ts'

const algebra = new Algebra(await createEngine(1))

const multiply = (a: Block, b: Block) => algebra.multiply(a, b)

function adjointTimes(a: Block, b: Block): Block {
  algebra.clear()
  return algebra.take(algebra.product(algebra.adjoint(algebra.put(a)), algebra.put(b)))
}

function random(rows: number, columns: number, seed: number): Block {
  const rng = createRng(seed)
  return { rows, columns, data: Float64Array.from({ length: 2 * rows * columns }, () => rng.normal()) }
}

function distance(one: Block, other: Block): number {
  expect([one.rows, one.columns]).toEqual([other.rows, other.columns])
  return one.data.reduce((most, part, at) => Math.max(most, Math.abs(part - (other.data[at] ?? 9))), 0)
}

function unity(size: number): Block {
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
  for (const { left, right } of [splitTruncated(matrix, ALL, algebra), splitExactly(matrix, algebra)]) {
    expect(distance(multiply(left, right), matrix)).toBeLessThan(1e-12)
    expect(distance(adjointTimes(left, left), unity(left.columns))).toBeLessThan(1e-12)
    expect(left.columns).toBe(Math.min(rows, columns))
  }
})

test('a matrix of low rank is split at its rank without loss', () => {
  const matrix = multiply(random(20, 3, 1), random(3, 16, 2))
  expect(splitTruncated(matrix, ALL, algebra)).toMatchObject({ left: { columns: 3 } })
  expect(splitTruncated(matrix, ALL, algebra).discarded).toBeLessThan(1e-28)
  expect(splitExactly(matrix, algebra).left.columns).toBe(3)
})

test('singular values that are close or far apart are distinguished', () => {
  // The singular values of diagonal matrices are known.
  const values = [1, 1, 1e-3, 1e-6, 1e-6]
  const matrix = zeros(5, 5)
  for (const [at, value] of values.entries()) matrix.data[2 * at * 6] = value
  const turned = multiply(
    splitExactly(random(5, 5, 7), algebra).left,
    multiply(matrix, splitExactly(random(5, 5, 8), algebra).left),
  )
  const { right } = splitTruncated(turned, ALL, algebra)
  const rows = Array.from({ length: right.rows }, (_, row) =>
    Math.hypot(...right.data.subarray(2 * row * right.columns, 2 * (row + 1) * right.columns)),
  )
  for (const [at, value] of values.entries()) expect(Math.abs((rows[at] ?? 0) / value - 1)).toBeLessThan(1e-8)
})

test('the discarded weight of a truncation is returned', () => {
  const matrix = zeros(3, 3)
  for (const [at, value] of [3, 2, 1].entries()) matrix.data[2 * at * 4] = value
  const { left, discarded } = splitTruncated(matrix, { maxBondDimension: 2, threshold: 0 }, algebra)
  expect(left.columns).toBe(2)
  expect(discarded).toBeCloseTo(1 / 14, 12)
})

test('of a wide range of singular values, those above the threshold are kept', () => {
  const size = 48
  const spectrum = zeros(size, size)
  for (let at = 0; at < size; at++) spectrum.data[2 * at * (size + 1)] = 10 ** (-0.26 * at)
  for (const rows of [size, size + 5]) {
    const turned = multiply(
      splitExactly(random(rows, size, 3), algebra).left,
      multiply(spectrum, splitExactly(random(size, size, 4), algebra).left),
    )
    // Weights 10^(-0.52 at): those from 31 on are together below 1e-16 of all.
    const { left, right } = splitTruncated(turned, ALL, algebra)
    expect(left.columns).toBe(31)
    expect(distance(adjointTimes(left, left), unity(31))).toBeLessThan(1e-12)
    expect(distance(multiply(left, right), turned)).toBeLessThan(1e-8)
  }
})
