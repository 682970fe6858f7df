import { expect, test } from 'bun:test'
import { compareFair, RecentUse } from '../../../../src/db/store/accounts/recent-use.ts'

const MINUTE_MS = 60_000

test('the use of a window is the sum of its minutes, without those that have left it', () => {
  const use = new RecentUse(10 * MINUTE_MS)
  use.add(0, 100)
  use.add(1_000, 20)
  use.add(5 * MINUTE_MS, 3)
  expect(use.of(5 * MINUTE_MS)).toBe(123)
  expect(use.of(10 * MINUTE_MS - 1)).toBe(123)
  expect(use.of(10 * MINUTE_MS)).toBe(3)
  // It is forgotten, not only left out.
  expect(use.of(5 * MINUTE_MS)).toBe(3)
  use.set(5, 7)
  expect(use.of(10 * MINUTE_MS)).toBe(7)
  expect(use.of(15 * MINUTE_MS)).toBe(0)
})

test('the fair order is by use, then by submission', () => {
  const claimants = [
    { use: 5, seq: 1 },
    { use: 0, seq: 9 },
    { use: 5, seq: 0 },
  ]
  expect(claimants.toSorted(compareFair).map(({ seq }) => seq)).toEqual([9, 0, 1])
})
