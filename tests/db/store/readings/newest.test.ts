import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../../src/base/index.ts'
import { drivers, qpus } from '../../../../src/db/store/qpus/index.ts'
import { events, listReadingSeries, rollUpReadings } from '../../../../src/db/store/readings/index.ts'
import { openTestDatabase } from '../../../support/database.ts'

test('a series has its newest reading itself, whatever the order and the steps in which events arrive', async () => {
  await using test = await openTestDatabase()
  const driver = await test.db.write('monitor', (tx) => {
    const qpu = tx.insert(qpus, { name: 'north' }).id
    return tx.insert(drivers, { name: 'one', operation: 'monitor', qpu, token: 'one' }).id
  })
  const now = test.clock.now()
  const newest = async () =>
    (await test.db.read((tx) => listReadingSeries(tx, driver))).map((series) => series.newest)
  const add = (value: number, atMs: number) =>
    test.db.write('event', (tx) => {
      const payload = { readings: { t: { value, unit: 'K', status: 'ok' } } }
      const ts = toTimestamp(atMs).replace(' ', 'T')
      return tx.insert(events, { source: 'x', driver, type: 'CryostatReading', ts, payload })
    })
  const rollUp = async (most: number) => {
    while ((await test.db.write('roll up', (tx) => rollUpReadings(tx, most))).isFull) await 0
  }
  for (const [value, agoMs, expected] of [
    [4, 60_000, 4],
    [0.01, 30_300, 0.01],
    // In the same second, then an older one.
    [0.012, 30_100, 0.012],
    [300, 90_000, 0.012],
  ] as const) {
    await add(value, now - agoMs)
    await rollUp(500)
    expect(await newest()).toEqual([expected])
  }
  for (const value of [5, 6, 7]) await add(value, now - 10_000 + value)
  await rollUp(2)
  expect(await newest()).toEqual([7])
})
