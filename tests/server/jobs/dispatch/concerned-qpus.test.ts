import { expect, test } from 'bun:test'
import { postLedger, users } from '../../../../src/db/store/accounts/index.ts'
import { holdJob, moveJob, releaseJob, requeueUndelivered } from '../../../../src/db/store/jobs/index.ts'
import { setDraining } from '../../../../src/db/store/qpus/index.ts'
import { ConcernedQpus } from '../../../../src/server/jobs/dispatch/concerned-qpus.ts'
import { JobLab } from '../../../support/server/job-lab.ts'
import { readQueue } from '../../../support/server/queue-state.ts'

const POLL_MS = 1_000

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
  const act = (job: string) => ({ job, actor: 'test', reason: '' })
  const own = await lab.submit(user, north.id)
  expect(await seen()).toEqual([north.name])
  const any = await lab.submit(user)
  expect(await seen()).toBe('all')
  await db.write('hold', (tx) => holdJob(tx, act(own.id)))
  await db.write('release', (tx) => releaseJob(tx, act(own.id)))
  expect(await seen()).toEqual([north.name])
  await db.write('move', (tx) => moveJob(tx, act(any.id), south))
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
