import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseAmount, writeAmount } from '../../../../ui/pages/time-requests/amount.ts'

test('parseAmount() reads hours, minutes and seconds', () => {
  const amounts = {
    '1h 30m': 5_400,
    '90 min': 5_400,
    '1.5 hours': 5_400,
    '1,5h': 5_400,
    '45': 45,
    '2m10s': 130,
  }
  for (const [text, seconds] of Object.entries(amounts))
    expect([text, parseAmount(text)]).toEqual([text, seconds])
  for (const text of ['', '0', 'h', '1 day', '-5', '1h x', '1e3', '0.0001 s']) {
    expect([text, parseAmount(text)]).toEqual([text, undefined])
  }
})

test('an amount that is written is read as the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), (ms) => {
      expect(parseAmount(writeAmount(ms / 1_000))).toBeCloseTo(ms / 1_000, 3)
    }),
  )
  expect([5_400, 59.5, 3_600, 0].map(writeAmount)).toEqual(['1h 30m', '59.5s', '1h', '0s'])
})
