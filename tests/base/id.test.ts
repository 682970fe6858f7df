import { expect, test } from 'bun:test'
import { isId, newId, newSecret, sha256 } from '../../src/base/index.ts'

const NINE = Date.UTC(2026, 0, 31, 9, 5)

test('newId() returns ids of 15 characters that differ and sort by creation time', () => {
  const ids = Array.from({ length: 2_000 }, () => newId(NINE))
  expect(new Set(ids).size).toBe(2_000)
  expect(ids.every(isId)).toBe(true)
  expect(newId(NINE) < newId(NINE + 1)).toBe(true)
})

test('newId() uses every character about equally often in its random part', () => {
  const counts = new Map<string, number>()
  for (let round = 0; round < 5_000; round += 1) {
    for (const character of newId(NINE).slice(8)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  // 35,000 characters: 972 of each on average, with a standard deviation of 31.
  expect(counts.size).toBe(36)
  for (const count of counts.values()) expect(Math.abs(count - 972)).toBeLessThan(7 * 31)
})

test.each(['', 'abc', 'A23456789012345', '1234567890123456', '12345678901234-'])(
  'isId() refuses %p',
  (text) => {
    expect(isId(text)).toBe(false)
  },
)

test('newSecret() has the requested length and is never the same', () => {
  expect(newSecret()).toMatch(/^[0-9a-f]{64}$/)
  expect(newSecret(6)).toMatch(/^[0-9a-f]{12}$/)
  expect(newSecret()).not.toBe(newSecret())
})

test('sha256() is that of FIPS 180-4, of text and of bytes', () => {
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  expect([sha256('abc'), sha256(Buffer.from('abc'))]).toEqual([abc, abc])
})
