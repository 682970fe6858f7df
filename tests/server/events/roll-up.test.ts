import { expect, test } from 'bun:test'
import { silentLog } from '../../../src/base/index.ts'
import type { Database } from '../../../src/db/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { events } from '../../../src/db/store/readings/index.ts'
import { createReadingRollUp } from '../../../src/server/events/roll-up.ts'
import { openTestDatabase } from '../../support/database.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'

/** Each step takes longer than a slice. */
const slowClock = () => new FakeClock(undefined, 3)

async function addReadings(db: Database, driver: string, count: number): Promise<void> {
  await db.write('readings', (tx) => {
    for (let at = 0; at < count; at += 1) {
      tx.insert(events, {
        source: 'fridge',
        driver,
        type: 'CryostatReading',
        ts: '2026-01-31T09:00:00.000Z',
        payload: { readings: { t: { value: at, unit: 'K', status: 'ok' } } },
      })
    }
  })
}

const addMonitor = (db: Database) =>
  db.write('monitor', (tx) => {
    const qpu = tx.insert(qpus, { name: 'north' }).id
    return tx.insert(drivers, { name: 'fridge', operation: 'monitor', qpu, token: 't' }).id
  })

const counted = (db: Database) =>
  db.read(
    (tx) =>
      tx.one<{ readings: number }>('SELECT readings FROM reading_buckets WHERE step = 300')?.readings ?? 0,
  )

test('older events are added in steps after the start, a new one in the commit that stores it', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const clock = slowClock()
  const driver = await addMonitor(db)
  await addReadings(db, driver, 100)
  const rollUp = createReadingRollUp({ db, clock, log: silentLog })
  const idle = clock.sleepers
  rollUp.start()
  await until('the pause after the first step', () => clock.sleepers > idle)
  expect(await counted(db)).toBe(10)
  await until('the end of the others', () => rollUp.status.nextAt !== undefined, { clock })
  expect(await counted(db)).toBe(100)
  await addReadings(db, driver, 1)
  expect(await counted(db)).toBe(101)
  await rollUp.stop()
  await addReadings(db, driver, 1)
  await clock.advance(120_000)
  expect(await counted(db)).toBe(101)
})

test('a stop between steps loses nothing and counts nothing twice', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const clock = slowClock()
  const driver = await addMonitor(db)
  await addReadings(db, driver, 100)
  for (let starts = 0; starts < 3; starts += 1) {
    const rollUp = createReadingRollUp({ db, clock, log: silentLog })
    const idle = clock.sleepers
    rollUp.start()
    await until('the pause after the first step', () => clock.sleepers > idle)
    await rollUp.stop()
  }
  expect(await counted(db)).toBe(30)
  const rollUp = createReadingRollUp({ db, clock, log: silentLog })
  rollUp.start()
  await until('the others', async () => (await counted(db)) === 100, { clock })
  await rollUp.stop()
})
