import { describe, expect, test } from 'bun:test'
import { silentLog, toTimestamp } from '../../../src/base/index.ts'
import { postLedger } from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import {
  closeSession,
  endHolder,
  leaveSession,
  renewHolder,
  resumeSessions,
} from '../../../src/db/store/sessions/index.ts'
import { createTimeBounds } from '../../../src/server/bound-times.ts'
import { endNow, RESULTS } from '../../support/server/job-lab.ts'
import { SessionLab } from '../../support/sessions/session-lab.ts'
import { until } from '../../support/until.ts'
import { part } from '../../support/whole.ts'

describe('sessions', () => {
  test('only jobs of its user run while one is active, and they are free', async () => {
    await using lab = await SessionLab.open()
    const held = await lab.start(lab.ada)
    await lab.pass()
    expect(await lab.stateOf(held)).toBe('active')
    const foreign = await lab.lab.submit(lab.bob)
    await lab.pass(1)
    expect(await lab.runningUser()).toBeUndefined()
    const own = await lab.lab.submit(lab.ada)
    await lab.pass()
    expect([await lab.runningUser(), await lab.statusOf(foreign)]).toEqual([lab.ada.id, 'pending'])
    await lab.pass(5)
    await lab.lab.complete(own.id)
    expect((await lab.lab.job(own.id)).session).toBe(held.session.id)
    await lab.lab.db.write('end', (tx) => closeSession(tx, held.session.id, { end: 'ended', rate: 1 }))
    // It was held for 6 s: that is all.
    expect(await lab.paid(lab.ada)).toBe(6_000)
    await lab.pass()
    expect(await lab.runningUser()).toBe(lab.bob.id)
  })

  test('it begins as soon as it is stored, not at the next minute', async () => {
    await using lab = await SessionLab.open()
    await using _ = await lab.startClock()
    const held = await lab.start(lab.ada)
    await until('the session is active', async () => (await lab.stateOf(held)) === 'active')
  })

  test('without a job it is paused, and its next job goes first', async () => {
    await using lab = await SessionLab.open()
    const held = await lab.start(lab.ada, { idleSeconds: 2 })
    await lab.pass()
    const foreign = [await lab.lab.submit(lab.bob), await lab.lab.submit(lab.bob)] as const
    await lab.pass(1)
    expect(await lab.runningUser()).toBeUndefined()
    await lab.pass(1.5)
    expect([await lab.stateOf(held), await lab.runningUser()]).toEqual(['paused idle', lab.bob.id])
    const own = await lab.lab.submit(lab.ada)
    await lab.pass(1)
    await lab.lab.complete(foreign[0].id)
    await lab.pass()
    expect([await lab.stateOf(held), await lab.runningUser()]).toEqual(['active', lab.ada.id])
    await lab.lab.complete(own.id)
    // Idle time is charged, the pause is not.
    expect((await lab.session(held)).held_ms).toBe(2_000)
  })

  test('after a job it is charged until it is paused, whenever the clock looks', async () => {
    for (const lateMs of [0, 300, 20_000]) {
      await using lab = await SessionLab.open()
      const held = await lab.start(lab.ada, { idleSeconds: 2 })
      await lab.pass()
      const own = await lab.lab.submit(lab.ada)
      await lab.pass()
      await lab.pass(10)
      await lab.lab.complete(own.id)
      await lab.pass(2 + lateMs / 1_000)
      expect([await lab.stateOf(held), (await lab.session(held)).held_ms]).toEqual(['paused idle', 12_000])
    }
  })

  test('a loop with classical steps of 30 s runs while others wait, and none of theirs in between', async () => {
    await using lab = await SessionLab.open(1e6)
    for (let sent = 0; sent < 50; sent++) await lab.lab.submit(lab.bob)
    const steps = part(1_000, 50)
    const held = await lab.start(lab.ada, { seconds: 31 * steps })
    await lab.pass()
    for (let step = 0; step < steps; step++) {
      const own = await lab.lab.submit(lab.ada)
      await lab.pass()
      expect(await lab.statusOf(own)).toBe('running')
      await lab.pass(0.5)
      await lab.lab.complete(own.id)
      await lab.pass()
      for (const seconds of [10, 20]) {
        await lab.pass(seconds)
        expect(await lab.runningUser()).toBeUndefined()
      }
    }
    expect(await lab.stateOf(held)).toBe('active')

    await lab.lab.db.write('end', (tx) => closeSession(tx, held.session.id, { end: 'ended', rate: 1 }))
    expect(await lab.paid(lab.ada, 1e6)).toBe(steps * 30_500)
    await lab.pass()
    expect(await lab.runningUser()).toBe(lab.bob.id)
  }, 120_000)

  test('a queued one ends, at no cost, when the program that waits for it is gone', async () => {
    await using lab = await SessionLab.open()
    const { db } = lab.lab
    const holder = { kind: 'client', name: '', endsAt: '', isAwaited: true }
    const first = await lab.start(lab.ada, { seconds: 3_600, idleSeconds: 3_600 })
    const held = await lab.start(lab.bob, { holder, seconds: 3_600 })
    await lab.pass()
    for (let minutes = 0; minutes < 10; minutes++) {
      await lab.pass(60)
      await db.write('renew', (tx) => renewHolder(tx, held.holder))
    }
    // Nobody could read it while the server was away.
    await lab.lab.clock.advance(600_000)
    await db.write('resume', resumeSessions)
    await lab.pass(299)
    expect(await lab.stateOf(held)).toBe('queued')
    await lab.pass(2)
    expect([await lab.stateOf(held), await lab.paid(lab.bob)]).toEqual(['closed expired', 0])
    // One that is active goes on, without those who are gone.
    const again = await lab.start(lab.bob, { holder, seconds: 3_600, idleSeconds: 3_600 })
    const other = await lab.start(lab.bob, { seconds: 3_600, idleSeconds: 3_600 })
    await lab.pass(301)
    await db.write('end', (tx) => endHolder(tx, first.holder, 1))
    await lab.pass()
    await lab.pass(600)
    expect(await lab.stateOf(again)).toBe('active')
    await db.write('end', (tx) => endHolder(tx, other.holder, 1))
    expect(await lab.stateOf(again)).toBe('closed ended')
  })

  test('a queued one ends when its program is gone, also if the clock was ahead when it was stored', async () => {
    await using lab = await SessionLab.open()
    const { db, clock } = lab.lab
    const bounds = createTimeBounds({ db, clock, log: silentLog })
    bounds.start()
    await lab.start(lab.ada, { seconds: 3_600, idleSeconds: 3_600 })
    await lab.pass()
    clock.jump(600_000)
    await lab.pass(11)
    const holder = { kind: 'client', name: '', endsAt: '', isAwaited: true }
    const held = await lab.start(lab.bob, { holder, seconds: 3_600 })
    clock.jump(-600_000)
    await lab.pass(11)
    await bounds.stop()
    await lab.pass(290)
    expect(await lab.stateOf(held)).toBe('queued')
    await lab.pass(11)
    expect(await lab.stateOf(held)).toBe('closed expired')
  })

  test('a holder that leaves when it is done ends with its last job', async () => {
    await using lab = await SessionLab.open()
    const held = await lab.start(lab.ada, { mode: 'batch' })
    const other = await lab.start(lab.ada, { mode: 'batch' })
    await lab.pass()
    const of = { holder: held.holder.id }
    const jobs = [await lab.lab.submit(lab.ada, '', 2, of), await lab.lab.submit(lab.ada, '', 2, of)]
    await lab.lab.db.write('leave', (tx) => leaveSession(tx, [held.holder, other.holder]))
    for (const { id } of jobs) {
      await lab.pass(1)
      expect(await lab.stateOf(held)).toBe('active')
      await lab.lab.complete(id)
    }
    await lab.pass()
    expect(await lab.stateOf(held)).toBe('closed ended')
  })

  test('a paused one gives way to the next queued one', async () => {
    await using lab = await SessionLab.open()
    const first = await lab.start(lab.ada, { idleSeconds: 2 })
    const second = await lab.start(lab.bob, { idleSeconds: 2 })
    await lab.pass()
    expect([await lab.stateOf(first), await lab.stateOf(second)]).toEqual(['active', 'queued'])
    await lab.pass(2)
    expect([await lab.stateOf(first), await lab.stateOf(second)]).toEqual(['paused idle', 'active'])
    const own = await lab.lab.submit(lab.ada)
    await lab.pass(2)
    expect([await lab.stateOf(first), await lab.stateOf(second)]).toEqual(['active', 'paused idle'])
    expect(await lab.statusOf(own)).toBe('running')
    await lab.lab.complete(own.id)
  })

  test('it ends with its time; the job that runs then is charged for the rest', async () => {
    await using lab = await SessionLab.open()
    const held = await lab.start(lab.ada, { seconds: 10 })
    await lab.pass()
    await lab.pass(4)
    const own = await lab.lab.submit(lab.ada)
    await lab.pass()
    await lab.pass(6)
    expect([await lab.stateOf(held), await lab.statusOf(own)]).toEqual(['closed expired', 'running'])
    await lab.pass(5)
    const { attempt, driver } = await lab.lab.job(own.id)
    const outcome = { kind: 'completed', results: RESULTS } as const
    const result = { job: own.id, attempt, driver, executionMs: 11_000, outcome }
    await lab.lab.db.write('end', (tx) => endNow(tx, result, { maxAttempts: 0 }))
    // 10 s held, and 5 s of the job after that.
    expect(await lab.paid(lab.ada)).toBe(15_000)
  })

  test('it ends before the booking of another user, and pauses in maintenance, uncharged', async () => {
    await using lab = await SessionLab.open()
    const { db, clock } = lab.lab
    const start = clock.now() + 120_000
    await db.write('book', (tx) =>
      tx.insert(timeSlots, {
        booked_by: lab.bob.id,
        qpu: lab.qpu.id,
        start_time: toTimestamp(start),
        end_time: toTimestamp(start + 60_000),
      }),
    )
    const held = await lab.start(lab.ada, { idleSeconds: 600 })
    await lab.pass()
    expect((await lab.session(held)).ends_at).toBe(toTimestamp(start))
    await lab.pass(30)
    await lab.lab.setQpu(lab.qpu.id, { maintenance: true })
    await lab.pass()
    expect(await lab.stateOf(held)).toBe('paused maintenance')
    await lab.pass(30)
    await lab.lab.setQpu(lab.qpu.id, { maintenance: false })
    await lab.pass()
    expect(await lab.stateOf(held)).toBe('active')
    await lab.pass(61)
    expect((await lab.stateOf(held)).startsWith('closed')).toBe(true)
    expect(await lab.paid(lab.ada)).toBe(90_000)
  })

  test('it is charged each minute, once, and not while the server was down', async () => {
    await using lab = await SessionLab.open()
    const held = await lab.start(lab.ada, { idleSeconds: 600 })
    await lab.pass()
    await lab.pass(61)
    expect(await lab.paid(lab.ada)).toBe(61_000)
    await lab.pass()
    expect(await lab.paid(lab.ada)).toBe(61_000)
    await lab.lab.clock.advance(100_000)
    await lab.lab.db.write('resume', resumeSessions)
    await lab.pass(10)
    await lab.lab.db.write('end', (tx) => endHolder(tx, held.holder, 1))
    expect([await lab.stateOf(held), await lab.paid(lab.ada)]).toEqual(['closed ended', 71_000])
  })

  test('who has no balance left loses the session, to the millisecond', async () => {
    await using lab = await SessionLab.open(30)
    const held = await lab.start(lab.ada, { idleSeconds: 600 })
    await lab.pass()
    await lab.pass(31)
    expect([await lab.stateOf(held), await lab.lab.balance(lab.ada)]).toEqual(['closed balance', 0])
  })

  test('jobs that have run inside are paid, also when something else has used up the balance', async () => {
    await using lab = await SessionLab.open(30)
    const held = await lab.start(lab.ada, { idleSeconds: 600 })
    await lab.pass()
    const own = await lab.lab.submit(lab.ada)
    await lab.pass()
    await lab.pass(20)
    await lab.lab.complete(own.id)
    expect(await lab.paid(lab.ada, 30)).toBe(0)
    const spend = { user: lab.ada.id, kind: 'admin', sourceId: 'elsewhere', deltaMs: -25_000 } as const
    await lab.lab.db.write('spend', (tx) => postLedger(tx, spend))
    await lab.pass(3)
    expect([await lab.stateOf(held), await lab.paid(lab.ada, 30)]).toEqual(['closed balance', 45_000])
  })

  test('a job of its secret does not start after its end', async () => {
    await using lab = await SessionLab.open()
    const held = await lab.start(lab.ada)
    await lab.pass()
    const of = { holder: held.holder.id }
    const own = [await lab.lab.submit(lab.ada, '', 2, of), await lab.lab.submit(lab.ada, '', 2, of)]
    const later = await lab.lab.submit(lab.ada)
    await lab.lab.db.write('end', (tx) => endHolder(tx, held.holder, 1))
    // The dispatcher comes before the clock of sessions.
    await lab.dispatch()
    const statuses = [...own, later].map((job) => lab.statusOf(job))
    expect(await Promise.all(statuses)).toEqual(['cancelled', 'cancelled', 'running'])
  })

  test('all jobs of its secret are cancelled at its end', async () => {
    await using lab = await SessionLab.open()
    const held = await lab.start(lab.ada)
    await lab.pass()
    await lab.lab.setQpu(lab.qpu.id, { draining: true })
    const of = { holder: held.holder.id }
    const own = await Promise.all(Array.from({ length: 101 }, () => lab.lab.submit(lab.ada, '', 2, of)))
    await lab.lab.db.write('end', (tx) => endHolder(tx, held.holder, 1))
    await lab.pass()
    const statuses = await Promise.all(own.map((job) => lab.statusOf(job)))
    expect([...new Set(statuses)]).toEqual(['cancelled'])
  })

  test('a second start joins: it ends with the last holder', async () => {
    await using lab = await SessionLab.open()
    const one = await lab.start(lab.ada, { holder: { kind: 'slurm', name: '1', endsAt: '' } })
    const other = await lab.start(lab.ada, { holder: { kind: 'slurm', name: '2', endsAt: '' } })
    const again = await lab.start(lab.ada, { holder: { kind: 'slurm', name: '2', endsAt: '' } })
    expect([other.session.id, again.holder.id]).toEqual([one.session.id, other.holder.id])
    await lab.pass()
    await lab.lab.db.write('end', (tx) => endHolder(tx, one.holder, 1))
    expect(await lab.stateOf(one)).toBe('active')
    await lab.lab.db.write('end', (tx) => endHolder(tx, other.holder, 1))
    expect(await lab.stateOf(one)).toBe('closed ended')
  })
})
