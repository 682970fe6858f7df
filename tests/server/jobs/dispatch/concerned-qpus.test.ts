import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { AppError, toTimestamp } from '../../../../src/base/index.ts'
import { postLedger, users } from '../../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../../src/db/store/bookings/index.ts'
import {
  cancelJob,
  holdJob,
  moveJob,
  moveJobToFront,
  releaseJob,
  requeueJob,
  requeueUndelivered,
} from '../../../../src/db/store/jobs/index.ts'
import { setDraining } from '../../../../src/db/store/qpus/index.ts'
import { DispatchBackoff } from '../../../../src/server/drivers/dispatch-backoff.ts'
import { Heartbeats } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { ConcernedQpus } from '../../../../src/server/jobs/dispatch/concerned-qpus.ts'
import { JobDispatcher } from '../../../../src/server/jobs/dispatch/dispatcher.ts'
import { JobLab } from '../../../support/server/job-lab.ts'
import { readQueue } from '../../../support/server/queue-state.ts'
import { part } from '../../../support/whole.ts'

const POLL_MS = 1_000
const actOn = (job: string) => ({ job, actor: 'test', reason: '' })

test('a change concerns its QPU, all if any may run the job, and none if nothing may start', async () => {
  await using lab = await JobLab.open()
  const { db, clock, order } = lab
  const [north, south, user] = [await lab.qpu(), await lab.qpu(), await lab.user()]
  const concerned = new ConcernedQpus({ clock, order, pollMs: POLL_MS })
  let wakes = 0
  concerned.follow(db, () => {
    wakes += 1
  })
  /** The names of the QPUs that are looked at after the changes, and whether they woke the loop. */
  const seen = async () => {
    let looked: string[] | 'all' = []
    await concerned.handle(async (ids) => {
      looked = ids ? [north, south].filter(({ id }) => ids.has(id)).map(({ name }) => name) : 'all'
    })
    const isAwake = wakes > 0
    wakes = 0
    return isAwake ? looked : `asleep: ${looked}`
  }
  expect(await seen()).toBe('asleep: all')
  const own = await lab.submit(user, north.id)
  expect(await seen()).toEqual([north.name])
  const any = await lab.submit(user)
  expect(await seen()).toBe('all')
  await db.write('hold', (tx) => holdJob(tx, actOn(own.id)))
  await db.write('release', (tx) => releaseJob(tx, actOn(own.id)))
  expect(await seen()).toEqual([north.name])
  await db.write('move', (tx) => moveJob(tx, actOn(any.id), south))
  expect(await seen()).toEqual([south.name])
  const { job, attempt, driver } = await lab.running(user)
  await seen()
  await db.write('label', (tx) => tx.run('UPDATE users SET updated = $at', { at: tx.at }))
  expect(await seen()).toBe('asleep: ')
  await db.write('back', (tx) => requeueUndelivered(tx, { job, attempt, driver, reason: 'away' }))
  expect(await seen()).toEqual([])
  await setDraining(db, 'test', south.name, { draining: true, reason: '' })
  expect(await seen()).toEqual([south.name])
  await clock.advance(POLL_MS / 2)
  expect(await seen()).toBe('asleep: all')
})

test('a user concerns all QPUs only after having been passed over without balance', async () => {
  await using lab = await JobLab.open()
  const { db, clock, order } = lab
  const [qpu, user] = [await lab.qpu(), await lab.user()]
  const concerned = new ConcernedQpus({ clock, order, pollMs: POLL_MS })
  let wakes = 0
  concerned.follow(db, () => {
    wakes += 1
  })
  await db.write('touch', (tx) => tx.changed(users, user.id, 'update'))
  expect(wakes).toBe(0)
  await lab.submit(user, qpu.id)
  await db.write('spend', (tx) =>
    postLedger(tx, { user: user.id, kind: 'admin', sourceId: 'spent', deltaMs: -100_000 }),
  )
  await db.read((tx) => readQueue(tx, qpu.id, 0, order))
  wakes = 0
  await db.write('touch', (tx) => tx.changed(users, user.id, 'update'))
  expect(wakes).toBe(1)
})

test('what a failed look left remains', async () => {
  await using lab = await JobLab.open()
  const concerned = new ConcernedQpus({ clock: lab.clock, order: lab.order, pollMs: POLL_MS })
  const looked: unknown[] = []
  const look = async (ids?: ReadonlySet<string>) => void looked.push(ids && [...ids])
  await concerned.handle(look)
  await concerned.handle(() => Promise.reject(new Error('full'))).catch(() => undefined)
  await concerned.handle(look)
  await concerned.handle(look)
  expect(looked).toEqual([undefined, undefined, []])
})

const act = fc.record({
  do: fc.constantFrom(
    ...(['submit', 'submit', 'submit', 'complete', 'cancel', 'hold', 'release', 'front', 'move'] as const),
    ...(['requeue', 'spend', 'grant', 'enable', 'drain', 'book', 'unbook'] as const),
  ),
  qpu: fc.nat(3),
  user: fc.nat(1),
  job: fc.nat(9),
  on: fc.boolean(),
})
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never

test('what starts after a look at the QPUs that changes concern is all that a look at every QPU would start', async () => {
  const play = async (acts: Act[]) => {
    await using lab = await JobLab.open()
    const { db, clock, order, hub } = lab
    const users = [await lab.user(), await lab.user()]
    const qpus = [await lab.qpu(), await lab.qpu(), await lab.qpu()]
    for (const { driver } of qpus) await lab.attach(driver)
    const heartbeats = new Heartbeats(clock, lab.config.jobTimeout)
    const dispatcher = new JobDispatcher({
      ...lab.dependencies(),
      heartbeats,
      backoff: new DispatchBackoff(clock),
    })
    // The poll is never due: the clock stands still.
    const concerned = new ConcernedQpus({ clock, order, pollMs: POLL_MS })
    let isAwake = true
    concerned.follow(db, () => {
      isAwake = true
    })
    const started = () => hub.commands('RunJob').length
    const settle = async () => {
      while (isAwake) {
        isAwake = false
        await concerned.handle((ids) => dispatcher.dispatchOnce(ids))
      }
      const before = started()
      await dispatcher.dispatchOnce()
      expect(started() - before).toBe(0)
    }
    const idOf = (status: string, at: number) =>
      db.read((tx) => {
        const sql = 'SELECT id FROM quantum_jobs WHERE status = $status ORDER BY seq'
        const rows = tx.all<{ id: string }>(sql, { status })
        return rows[at % Math.max(1, rows.length)]?.id ?? ''
      })
    const pay = (user: string, deltaMs: number) =>
      db.write('pay', (tx) =>
        postLedger(tx, { user, kind: 'admin', sourceId: `paid ${clock.monotonic()} ${started()}`, deltaMs }),
      )
    const changes: Record<Act['do'], (each: Act, pending: string) => Promise<unknown>> = {
      submit: ({ qpu, user }) => lab.submit(users[user] ?? expect.unreachable(), qpus[qpu]?.id ?? ''),
      complete: async ({ job }) => {
        const id = await idOf('running', job)
        if (id !== '') await lab.complete(id)
      },
      cancel: (_, job) => db.write('cancel', (tx) => cancelJob(tx, job)),
      hold: (_, job) => db.write('hold', (tx) => holdJob(tx, actOn(job))),
      release: (_, job) => db.write('release', (tx) => releaseJob(tx, actOn(job))),
      front: (_, job) => db.write('front', (tx) => moveJobToFront(tx, actOn(job))),
      move: ({ qpu }, job) =>
        db.write('move', (tx) => moveJob(tx, actOn(job), qpus[qpu % 3] ?? expect.unreachable())),
      requeue: async ({ job }) => {
        const id = await idOf('running', job)
        return db.write('requeue', (tx) => requeueJob(tx, actOn(id)))
      },
      spend: ({ user }) => pay(users[user]?.id ?? '', -1_000_000),
      grant: ({ user }) => pay(users[user]?.id ?? '', 2_000_000),
      enable: ({ qpu, on }) => lab.setQpu(qpus[qpu % 3]?.id ?? '', { enabled: on }),
      drain: ({ qpu, on }) =>
        setDraining(db, 'test', qpus[qpu % 3]?.name ?? '', { draining: on, reason: '' }),
      book: ({ qpu, user }) =>
        db.write('book', (tx) =>
          tx.insert(timeSlots, {
            booked_by: users[user]?.id ?? '',
            qpu: qpus[qpu]?.id ?? '',
            start_time: tx.at,
            end_time: toTimestamp(tx.now + 3_600_000),
          }),
        ),
      unbook: () =>
        db.write('unbook', (tx) => {
          for (const { id } of tx.list(timeSlots)) tx.remove(timeSlots, id)
        }),
    }
    await settle()
    for (const each of acts) {
      // What the state of a job does not allow changes nothing.
      await changes[each.do](each, await idOf('pending', each.job)).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
      })
      await settle()
    }
  }
  const acts = fc.array(act, { minLength: 20, maxLength: 60 })
  await fc.assert(fc.asyncProperty(acts, play), { numRuns: part(60, 8) })
}, 300_000)
