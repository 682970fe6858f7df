import { describe, expect, test } from 'bun:test'
import { postLedger } from '../../../../src/db/store/accounts/index.ts'
import { chargeableMs } from '../../../../src/db/store/accounts/ledger.ts'
import { JobLab } from '../../../support/server/job-lab.ts'

describe('postLedger()', () => {
  test('changes the balance with the row, once per source', async () => {
    await using lab = await JobLab.open()
    const user = await lab.user(10)
    const post = (deltaMs: number, sourceId = 'job') =>
      lab.db.write('post', (tx) => postLedger(tx, { user: user.id, kind: 'admin', sourceId, deltaMs }))
    expect(await post(-1_234)).toBe(true)
    expect(await post(-1_234)).toBe(false)
    expect(await lab.balance(user)).toBe(8_766)
    expect(await post(-20_000, 'another')).toBe(true)
    expect(await lab.balance(user)).toBe(-11_234)
  })

  test('rejects fractions of a millisecond', async () => {
    await using lab = await JobLab.open()
    const user = await lab.user(10)
    const post = lab.db.write('post', (tx) =>
      postLedger(tx, { user: user.id, kind: 'admin', sourceId: 'x', deltaMs: 0.5 }),
    )
    await expect(post).rejects.toThrow(RangeError)
  })
})

test.each([
  ['the time of the driver', 1_499.6, 9_999, 1_500],
  ['the time of the server when it is shorter', 50_000, 1_200.6, 1_201],
  ['nothing for a negative time', -5, 1_000, 0],
])('chargeableMs() is %s', (_, executionMs, elapsedMs, ms) => {
  expect(chargeableMs(executionMs, elapsedMs)).toBe(ms)
})
