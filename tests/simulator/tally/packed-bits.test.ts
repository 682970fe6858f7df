import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { PackedBits } from '../../../src/simulator/tally/packed-bits.ts'

test('PackedBits holds what `0x…` numbers of the same shots hold', () => {
  const shots = fc.integer({ min: 0, max: 70 }).chain((bits) =>
    fc.tuple(
      fc.constant(bits),
      fc.array(fc.uint8Array({ minLength: bits, maxLength: bits, max: 1 }), {
        minLength: 1,
        maxLength: 20,
      }),
    ),
  )
  fc.assert(
    fc.property(shots, ([bits, outcomes]) => {
      const packed = new PackedBits(bits, outcomes.length)
      // In any order.
      for (const shot of [...outcomes.keys()].toReversed()) packed.set(shot, outcomes[shot] as Uint8Array)
      const text = packed.text()
      expect(text.length).toBe(PackedBits.textLength(bits, outcomes.length))
      const bytes = Buffer.from(text, 'base64')
      const width = Math.ceil(bits / 8)
      const read = outcomes.map((_, shot) => {
        const digits = bytes.subarray(shot * width, (shot + 1) * width).toString('hex')
        return BigInt(`0x${digits || '0'}`)
      })
      const expected = outcomes.map((outcome) =>
        outcome.reduce((sum, bit, index) => sum | (BigInt(bit) << BigInt(index)), 0n),
      )
      expect(read).toEqual(expected)
    }),
  )
})

test('PackedBits takes words of 32 bits as it takes bits', () => {
  const drawn = fc.uint32Array({ minLength: 4, maxLength: 4 })
  const check = (words: Uint32Array, length: number) => {
    // No bits beyond the last one are set.
    const cut = words.map((word, at) => (at === 0 ? word : keptOf(word, length - 32 * (at - 1))))
    const bits = Uint8Array.from({ length }, (_, bit) => ((cut[1 + (bit >> 5)] as number) >>> (bit & 31)) & 1)
    const [one, other] = [new PackedBits(length, 2), new PackedBits(length, 2)]
    one.set(1, bits)
    other.setWords(1, cut, 1)
    expect(other.text()).toBe(one.text())
  }
  fc.assert(fc.property(drawn, fc.integer({ min: 1, max: 96 }), check))
})

function keptOf(word: number, bits: number): number {
  return bits >= 32 ? word : bits <= 0 ? 0 : word & (2 ** bits - 1)
}
