import { expect, test } from 'bun:test'
import { MINUTE_MS } from '../../../src/base/index.ts'
import { checkInvariants, repairWidened } from '../../../src/db/index.ts'
import { appendAudit } from '../../../src/db/journal/index.ts'
import { notifications, users } from '../../../src/db/store/accounts/index.ts'
import { bookSlots, timeSlots } from '../../../src/db/store/bookings/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { thresholds } from '../../../src/db/store/readings/index.ts'
import { openTestDatabase } from '../../support/database.ts'

test('records that an older release widened to all are named at the start, and repaired once', async () => {
  await using test = await openTestDatabase()
  const { db, clock } = test
  const slots = [{ start_time: '2026-02-01 09:00:00.000Z', end_time: '2026-02-01 10:00:00.000Z' }]
  const ids = await db.write('seed', (tx) => {
    const [ada, bob] = ['ada', 'bob'].map((username) => tx.insert(users, { username }).id) as [string, string]
    const qpu = tx.insert(qpus, { name: 'north' }).id
    const driver = tx.insert(drivers, { name: 'cold', qpu, operation: 'monitor', token: 'a' }).id
    const limit = { name: 'Cold', driver, channel: 't', limit: 1 }
    return {
      ...{ ada, bob },
      slot: bookSlots(tx, { user: ada, qpu, slots })[0]?.id ?? '',
      all: tx.insert(notifications, { title: 'for all' }).id,
      one: tx.insert(notifications, { title: 'for one', target_users: [bob] }).id,
      limit: tx.insert(thresholds, { ...limit, notify: [bob] }).id,
      shared: tx.insert(thresholds, limit).id,
    }
  })
  await clock.advance(MINUTE_MS)
  // What the removals of releases up to 2026.11.0 stored.
  await db.write('removal', (tx) => {
    tx.run("UPDATE time_slots SET qpu = '', updated = $at WHERE id = $slot", { slot: ids.slot, at: tx.at })
    appendAudit(tx, { actor: 'test', action: 'qpu.delete', subject: 'gone', detail: { name: 'south' } })
  })
  await clock.advance(MINUTE_MS)
  await db.write('removal', (tx) => {
    tx.run("UPDATE notifications SET target_users = '[]', updated = $at WHERE id = $one", {
      ...{ one: ids.one, at: tx.at },
    })
    tx.run("UPDATE thresholds SET notify = '[]', updated = $at WHERE id = $limit", {
      ...{ limit: ids.limit, at: tx.at },
    })
    appendAudit(tx, { actor: 'test', action: 'user.delete', subject: ids.bob })
  })
  await clock.advance(MINUTE_MS)
  const found = () => db.read((tx) => checkInvariants(tx, { fast: true }))
  const rows = [
    { collection: 'time_slots', id: ids.slot },
    { collection: 'notifications', id: ids.one },
    { collection: 'thresholds', id: ids.limit },
  ]
  expect(await found()).toMatchObject([{ id: 'I17', rows }])
  expect(await db.write('repair', (tx) => repairWidened(tx, 'cli'))).toEqual(rows)
  expect(await found()).toEqual([])
  expect(await db.write('repair', (tx) => repairWidened(tx, 'cli'))).toEqual([])
  await db.read((tx) => {
    expect(tx.list(timeSlots)).toEqual([])
    expect(tx.list(thresholds).map(({ notify }) => notify)).toEqual([[ids.bob], []])
    expect(tx.list(notifications)).toMatchObject([
      { title: 'for all', target_users: [] },
      { title: 'Bookings of south were cancelled', target_users: [ids.ada] },
    ])
  })
})
