import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { bitString, bitStringOfWords } from '../../../src/simulator/tally/bit-string.ts'

test('bitString() writes bit 0 rightmost', () => {
  expect(bitString([1, 0, 0])).toBe('001')
  expect(bitString(Uint8Array.of(0, 1))).toBe('10')
  expect(bitString([])).toBe('')
})

test('bitStringOfWords() writes what bitString() writes', () => {
  const check = (words: Uint32Array, length: number) => {
    const bits = Array.from({ length }, (_, bit) => ((words[1 + (bit >> 5)] as number) >>> (bit & 31)) & 1)
    expect(bitStringOfWords(words, 1, length)).toBe(bitString(bits))
  }
  const drawn = fc.uint32Array({ minLength: 4, maxLength: 4 })
  fc.assert(fc.property(drawn, fc.nat(96), check))
})
