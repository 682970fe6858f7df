import { expect, test } from 'bun:test'
import { transpose } from '../../../src/simulator/numeric/bits.ts'
import { createFastRandom } from '../../../src/simulator/numeric/fast-random.ts'
import { createRng } from '../../../src/simulator/numeric/random.ts'
import { drawnSeeds } from '../../support/random/drawn-seeds.ts'

test('transpose() exchanges rows and columns of bits', () => {
  const [seed = 0] = drawnSeeds(1)
  const random = createFastRandom(createRng(seed))
  const rows = Uint32Array.from({ length: 32 }, () => random.word())
  const columns = rows.slice()
  transpose(columns)
  for (let row = 0; row < 32; row++) {
    for (let column = 0; column < 32; column++) {
      const [there, here] = [(columns[column] as number) >>> row, (rows[row] as number) >>> column]
      expect([seed, there & 1]).toEqual([seed, here & 1])
    }
  }
})

test('createFastRandom() gives the numbers of xoshiro128**', () => {
  // The first words from the state 1, 2, 3, 4 of the published program, computed by hand.
  const draws = [1, 2, 3, 4].map((state) => state / 2 ** 32)
  const random = createFastRandom({ ...createRng(0), next: () => draws.shift() ?? 0 })
  const [first, second] = [random.word() >>> 0, random.word() >>> 0]
  // The last word of the state is made odd: 5.
  const rotated = (x: number, by: number) => ((x << by) | (x >>> (32 - by))) >>> 0
  expect(first).toBe(Math.imul(rotated(10, 7), 9) >>> 0)
  // b becomes b ^ c ^ a.
  expect(second).toBe(Math.imul(rotated(5 * (2 ^ 3 ^ 1), 7), 9) >>> 0)
})

test('createFastRandom() has no bias', () => {
  const random = createFastRandom(createRng(6))
  const ones = new Int32Array(32)
  let sum = 0
  for (let draw = 0; draw < 20_000; draw++) {
    const word = random.word()
    for (let bit = 0; bit < 32; bit++) (ones[bit] as number) += (word >>> bit) & 1
    sum += random.next()
  }
  // Five standard deviations.
  for (const count of ones) expect(Math.abs(count - 10_000)).toBeLessThan(354)
  expect(Math.abs(sum / 20_000 - 0.5)).toBeLessThan(0.0103)
})
