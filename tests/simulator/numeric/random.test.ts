import { expect, test } from 'bun:test'
import { createRng, newSeed, philox } from '../../../src/simulator/numeric/random.ts'

// Known answers published with the Random123 library (kat_vectors, philox4x32 10 rounds).
const KNOWN: [string, number[], [number, number], number[]][] = [
  ['zeros', [0, 0, 0, 0], [0, 0], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]],
  [
    'ones',
    [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
    [0xffffffff, 0xffffffff],
    [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
  ],
  [
    'digits of pi',
    [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
    [0xa4093822, 0x299f31d0],
    [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
  ],
]

for (const [name, counter, [keyA, keyB], words] of KNOWN) {
  test(`philox() returns the published result for ${name}`, () => {
    const out = new Uint32Array(4)
    philox(Uint32Array.from(counter), keyA, keyB, out)
    expect([...out]).toEqual(words)
  })
}

test('createRng() repeats a stream after seek() and differs between streams', () => {
  const rng = createRng(2 ** 40 + 7)
  rng.seek(3, 5)
  const first = [rng.next(), rng.next(), rng.next()]
  rng.seek(3, 6)
  const other = [rng.next(), rng.next(), rng.next()]
  rng.seek(3, 5)
  expect([rng.next(), rng.next(), rng.next()]).toEqual(first)
  expect(other).not.toEqual(first)
  rng.seek(3, 5, 1)
  expect(rng.next()).not.toBe(first[0] ?? 0)
  expect(createRng(7).next()).not.toBe(createRng(2 ** 40 + 7).next())
})

test('createRng() draws are uniform and normal', () => {
  const rng = createRng(1)
  const draws = Array.from({ length: 20_000 }, () => rng.next())
  const bins = new Array<number>(20).fill(0)
  for (const draw of draws) bins[Math.floor(draw * 20)] = (bins[Math.floor(draw * 20)] ?? 0) + 1
  const chiSquare = bins.reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0)
  // 19 degrees of freedom: 43.8 is exceeded once in a thousand.
  expect(chiSquare).toBeLessThan(43.8)
  const normal = Array.from({ length: 20_000 }, () => rng.normal())
  const mean = normal.reduce((sum, x) => sum + x, 0) / normal.length
  const variance = normal.reduce((sum, x) => sum + x * x, 0) / normal.length
  expect(Math.abs(mean)).toBeLessThan(0.03)
  expect(Math.abs(variance - 1)).toBeLessThan(0.05)
})

test('newSeed() is a safe integer', () => {
  for (let round = 0; round < 50; round++) expect(Number.isSafeInteger(newSeed())).toBe(true)
})
