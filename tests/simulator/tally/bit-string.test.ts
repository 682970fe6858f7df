import { expect, test } from 'bun:test'
import { bitString } from '../../../src/simulator/tally/bit-string.ts'

test('bitString() writes bit 0 rightmost', () => {
  expect(bitString([1, 0, 0])).toBe('001')
  expect(bitString(Uint8Array.of(0, 1))).toBe('10')
  expect(bitString([])).toBe('')
})
