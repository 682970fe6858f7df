import { expect, test } from 'bun:test'
import { withBalances } from '../../../../ui/pages/time-requests/balances.ts'

test('withBalances() leads from the current balance back, to the millisecond', () => {
  const entries = [{ seconds: -0.1 }, { seconds: -0.2 }, { seconds: 10 }]
  expect(withBalances(entries, 9.7).map(({ after }) => after)).toEqual([9.7, 9.8, 10])
  expect(withBalances([], 5)).toEqual([])
})
