import { expect, test } from 'bun:test'
import { bitString, bitStringOfWords } from '../../../src/simulator/tally/bit-string.ts'

test('bitString() writes bit 0 rightmost', () => {
  expect(bitString([1, 0, 0])).toBe('001')
  expect(bitString(Uint8Array.of(0, 1))).toBe('10')
  expect(bitString([])).toBe('')
})

test('bitStringOfWords() writes what bitString() writes', () => {
  const words = Uint32Array.of(0xffffffff, 0x89abcdef, 0x12345671, 0x80000001)
  for (const length of [0, 1, 3, 4, 31, 32, 33, 64, 70, 96]) {
    const bits = Array.from({ length }, (_, bit) => ((words[1 + (bit >> 5)] as number) >>> (bit & 31)) & 1)
    expect(bitStringOfWords(words, 1, length)).toBe(bitString(bits))
  }
})
