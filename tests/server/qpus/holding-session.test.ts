import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { OrderReading, queueReads, readOccupancy } from '../../../src/db/store/jobs/index.ts'
import { readSchedule } from '../../../src/db/store/qpus/index.ts'
import { closeSession } from '../../../src/db/store/sessions/index.ts'
import { presentOccupancy } from '../../../src/server/qpus/present-occupancy.ts'
import { SessionLab } from '../../support/sessions/session-lab.ts'

/** The session of the QPU as users and superusers see it. */
async function sessionSeenBy({ lab, qpu }: SessionLab, reader: { user?: string; isSuperuser?: boolean }) {
  const occupancy = await lab.db.read((tx) =>
    readOccupancy(new OrderReading(lab.order, tx, tx.read(queueReads())), [qpu]).get(qpu.id),
  )
  const caller = { user: '', isSuperuser: false, areJobsPublic: false, ...reader }
  return occupancy && presentOccupancy(occupancy, caller).session
}

test('the session whose jobs go first is shown without its user, with since when it is idle', async () => {
  await using lab = await SessionLab.open()
  expect(await sessionSeenBy(lab, { user: lab.ada.id })).toBeNull()
  const began = lab.lab.clock.now()
  const held = await lab.start(lab.ada)
  await lab.pass()
  const shown = {
    mine: false,
    mode: 'exclusive',
    state: 'active',
    until: toTimestamp(began + 600_000),
    idle_seconds: 60,
    idle_since: toTimestamp(began),
  } as const
  expect(await sessionSeenBy(lab, { user: lab.bob.id })).toEqual({ id: null, ...shown })
  const own = { ...shown, id: held.session.id, mine: true }
  expect(await sessionSeenBy(lab, { user: lab.ada.id })).toEqual(own)
  expect(await sessionSeenBy(lab, { isSuperuser: true })).toMatchObject({
    user: lab.ada.id,
    email: lab.ada.email,
  })
  const job = await lab.lab.submit(lab.ada)
  await lab.pass(5)
  expect(await sessionSeenBy(lab, { user: lab.ada.id })).toEqual({ ...own, idle_since: '' })
  await lab.lab.complete(job.id)
  const idle = lab.lab.clock.now()
  await lab.pass(2)
  expect(await sessionSeenBy(lab, { user: lab.ada.id })).toEqual({ ...own, idle_since: toTimestamp(idle) })
  await lab.pass(61)
  expect(await sessionSeenBy(lab, {})).toMatchObject({ state: 'paused', idle_since: '' })
})

test('the schedule has sessions from their first activation to the last time that they were held', async () => {
  await using lab = await SessionLab.open()
  const { clock, db } = lab.lab
  const began = clock.now()
  const at = (seconds: number) => toTimestamp(began + seconds * 1_000)
  const busy = (user = '', from = -60, to = 900) =>
    db.read((tx) => readSchedule(tx, { from: at(from), to: at(to), user }))
  const held = await lab.start(lab.ada)
  expect(await busy()).toEqual([])
  await lab.pass()
  const time = { qpu: lab.qpu.id, kind: 'session', start: at(0), mine: false } as const
  expect(await busy()).toEqual([{ ...time, end: at(600) }])
  await lab.pass(90)
  expect(await lab.stateOf(held)).toBe('paused idle')
  expect(await busy(lab.bob.id)).toEqual([{ ...time, end: at(60) }])
  await db.write('end', (tx) => closeSession(tx, held.session.id, { end: 'ended', rate: 1 }))
  // It ended after 90 s, and was paused by then.
  expect(await busy(lab.ada.id)).toEqual([{ ...time, end: at(60), mine: true }])
  expect(await busy('', 61)).toEqual([])
  const batch = await lab.start(lab.bob, { mode: 'batch' })
  await lab.pass(1)
  await db.write('end', (tx) => closeSession(tx, batch.session.id, { end: 'ended', rate: 1 }))
  expect((await busy()).map(({ kind }) => kind)).toEqual(['session', 'batch_session'])
})
