import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toTimestamp } from '../../../../../src/base/index.ts'
import type { Change, ReadTx, Tx } from '../../../../../src/db/index.ts'
import type { ChangeFeed } from '../../../../../src/db/records/changes.ts'
import { type User, users } from '../../../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../../../src/db/store/bookings/index.ts'
import {
  cancelJob,
  type DispatchTarget,
  excessOf,
  holdJob,
  JobOrder,
  moveJob,
  moveJobToFront,
  quantumJobs,
  readQueueHead,
  releaseJob,
  requeueJob,
  requeueLost,
} from '../../../../../src/db/store/jobs/index.ts'
import { Line } from '../../../../../src/db/store/jobs/queue/line.ts'
import { markUnfit, type Qpu, qpus } from '../../../../../src/db/store/qpus/index.ts'
import { forgetUnfit } from '../../../../../src/db/store/qpus/unfit-jobs.ts'
import { claimNow, JobLab } from '../../../../support/server/job-lab.ts'
import { readPosition, readQueue } from '../../../../support/server/queue-state.ts'
import { part } from '../../../../support/whole.ts'

const IDLE_MS = 0
const USERS = 3
const DESCRIBED = { described_at: '2026-11-22', max_qubits: 5, max_shots: 100, max_executions: 3 }

describe('Line', () => {
  test('counts and lists what a sorted list does', () => {
    const seqs = fc.array(fc.tuple(fc.integer({ min: 1, max: 4_000 }), fc.boolean()), { maxLength: 6_000 })
    fc.assert(
      fc.property(seqs, fc.nat(5_000), (steps, seq) => {
        const line = new Line()
        const expected = new Set<number>()
        // Ascending ones first, so that there are many parts.
        const first = Array.from({ length: 3_000 }, (_, at): [number, boolean] => [at + 1, true])
        for (const [each, isAdded] of [...first, ...steps]) {
          if (isAdded) line.add(each)
          else line.remove(each)
          if (isAdded) expected.add(each)
          else expected.delete(each)
        }
        const sorted = [...expected].sort((one, other) => one - other)
        expect([...line]).toEqual(sorted)
        expect(line.countBefore(seq)).toBe(sorted.filter((each) => each < seq).length)
      }),
      { numRuns: part(100, 10) },
    )
  })
})

interface Row {
  seq: number
  id: string
  user_id: string
  qpu_target: string
  not_before: number
  run_next: number
  qubits: number
  shots: number
  executions: number
  features: number
  funded: number
  unfit: string | null
}

/** The queued jobs that a QPU can run, from the store alone. */
function storedQueue(tx: ReadTx, qpu: Qpu): Row[] {
  const rows = tx.all<Row>(
    `SELECT job.*, owner.unlimited = 1 OR owner.qpu_ms > 0 AS funded,
       (SELECT qpu FROM unfit_jobs WHERE job_seq = job.seq AND qpu = $qpu) AS unfit
     FROM quantum_jobs job LEFT JOIN users owner ON owner.id = job.user_id
     WHERE status = 'pending' AND held = 0 AND qpu_target IN ('', $qpu) ORDER BY job.seq`,
    { qpu: qpu.id },
  )
  return rows.filter((row) => excessOf(row, qpu).length === 0 && row.unfit === null)
}

/** The order without fair share: jobs moved to the front, those of the booker, the others by submission. */
function inOrder(rows: readonly Row[], booker: string): Row[] {
  const rank = ({ run_next, user_id }: Row) =>
    run_next > 0 ? 0 : booker !== '' && user_id === booker ? 1 : 2
  return rows.toSorted(
    (one, other) => rank(one) - rank(other) || other.run_next - one.run_next || one.seq - other.seq,
  )
}

async function expectAsStored(lab: JobLab, order: JobOrder): Promise<void> {
  await lab.db.read((tx) => {
    const slot = tx.one<{ user: string }>(
      'SELECT booked_by AS user FROM time_slots WHERE start_time <= $at AND end_time > $at',
      { at: tx.at },
    )
    for (const qpu of tx.list(qpus)) expectQueueAsStored(tx, order, { qpu, booker: slot?.user })
    for (const { user, pending, open } of tx.all<{ user: string; pending: number; open: number }>(OPEN_OF)) {
      expect(order.mostPendingOf(user)).toBeGreaterThanOrEqual(pending)
      if (order !== lab.order) expect(order.mostPendingOf(user)).toBe(open)
    }
  })
}

const OPEN_OF = `SELECT users.id AS "user", count(CASE WHEN status = 'pending' THEN 1 END) AS pending, count(job.id) AS open
  FROM users LEFT JOIN quantum_jobs job ON job.user_id = users.id AND job.status IN ('pending', 'running')
  GROUP BY users.id`

function expectQueueAsStored(
  tx: ReadTx,
  order: JobOrder,
  { qpu, booker }: { qpu: Qpu; booker: string | undefined },
): void {
  const rows = storedQueue(tx, qpu)
  const ordered = inOrder(rows, booker ?? '')
  const firstOf = (from: readonly Row[], isMeant: (row: Row) => boolean) =>
    from.find((row) => isMeant(row) && row.funded === 1 && row.not_before <= tx.now)?.id ?? ''
  const state = readQueue(tx, qpu.id, IDLE_MS, order)
  expect([qpu.name, state?.next, state?.slot?.job, state?.job]).toEqual([
    qpu.name,
    firstOf(ordered, (row) => row.run_next > 0),
    booker === undefined ? undefined : firstOf(rows, (row) => row.user_id === booker),
    firstOf(rows, () => true),
  ])
  const head = readQueueHead(tx, qpu.id, { limit: 5, idleMs: IDLE_MS, order })
  expect(head?.jobs.map(({ id }) => id)).toEqual(ordered.slice(0, 5).map(({ id }) => id))
  const ahead = ({ id }: Row) => {
    const input = readPosition(tx, id, IDLE_MS, order)
    return input?.queues.find(({ state: { qpu: each } }) => each.id === qpu.id)?.ahead
  }
  expect(ordered.map(ahead)).toEqual([...ordered.keys()])
}

const place = (most: number) => fc.nat({ max: most - 1 })
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      user: place(USERS),
      qpu: place(3),
      needs: fc.record({
        qubits: fc.constantFrom(0, 5, 6),
        shots: fc.constantFrom(0, 100, 101),
        executions: fc.constantFrom(0, 4),
        features: fc.constantFrom(0, 1, 2),
      }),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...([
          'cancel',
          'hold',
          'release',
          'front',
          'move',
          'claim',
          'lose',
          'requeue',
          'edit',
          'unfit',
        ] as const),
      ),
      job: fc.nat(),
      qpu: place(2),
      /** Whether the intent fails after it has written. */
      fails: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(...(['describe', 'spend', 'book', 'remove', 'advance'] as const)),
      user: place(USERS),
      qpu: place(2),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

class Undone extends Error {}

/** Plays one intent; what the store refuses changes nothing. */
async function play(lab: JobLab, owners: User[], all: (Qpu & { target: DispatchTarget })[], each: Step) {
  const qpu = all[each.qpu % all.length]
  if (!qpu) throw new Error('there is no QPU')
  const owner = 'user' in each ? owners[each.user] : undefined
  if (each.do === 'submit') {
    if (owner) await lab.submit(owner, each.qpu === 2 ? '' : qpu.id, each.needs).catch(() => undefined)
    return
  }
  if (each.do === 'advance') return lab.clock.jump(40_000)
  await lab.db
    .write(each.do, (tx) => {
      change(tx, each, { lab, qpu, owner })
      if ('fails' in each && each.fails) throw new Undone()
    })
    .catch(() => undefined)
}

function change(
  tx: Tx,
  each: Exclude<Step, { do: 'submit' }>,
  it: { lab: JobLab; qpu: Qpu & { target: DispatchTarget }; owner: User | undefined },
): void {
  const { qpu, owner } = it
  const ids = tx
    .all<{ id: string }>("SELECT id FROM quantum_jobs WHERE status IN ('pending', 'running') ORDER BY seq")
    .map(({ id }) => id)
  const job = 'job' in each ? (ids[each.job % Math.max(1, ids.length)] ?? '') : ''
  const act = { job, actor: 'test', reason: '' }
  const { attempt = 0, driver = '' } = tx.find(quantumJobs, job) ?? {}
  switch (each.do) {
    case 'cancel':
      return void cancelJob(tx, job)
    case 'hold':
      return void holdJob(tx, act)
    case 'release':
      return void releaseJob(tx, act)
    case 'front':
      return void moveJobToFront(tx, act)
    case 'move':
      return void moveJob(tx, act, qpu)
    case 'claim':
      return void claimNow(tx, job, qpu.target)
    case 'lose':
      return void requeueLost(tx, { job, attempt, driver, reason: 'silent' }, { maxAttempts: 2 })
    case 'requeue':
      return void requeueJob(tx, act)
    case 'edit':
      return void tx.update(quantumJobs, job, { qpu_target: '', not_before: tx.now + 30_000 })
    case 'unfit':
      return void markUnfit(tx, job, { qpu: qpu.id, code: 'not_calibrated', reason: 'not calibrated' })
    case 'describe':
      forgetUnfit(tx, qpu.id)
      return void tx.update(qpus, qpu.id, DESCRIBED)
    case 'spend':
      tx.run('UPDATE users SET unlimited = 1 - unlimited, qpu_ms = 0 WHERE id = $id', { id: owner?.id ?? '' })
      return void tx.changed(users, owner?.id ?? '', 'update')
    case 'book':
      return void tx.insert(timeSlots, {
        booked_by: owner?.id ?? '',
        start_time: tx.at,
        end_time: toTimestamp(tx.now + 60_000),
      })
    case 'remove':
      return void tx.remove(users, owner?.id ?? '')
    default:
      throw new Error(`${each.do} is not played`)
  }
}

async function openLab() {
  const lab = await JobLab.open()
  const owners: User[] = []
  for (let at = 0; at < USERS; at += 1) owners.push(await lab.user())
  const all: (Qpu & { target: DispatchTarget })[] = []
  for (const numQubits of [1, 6]) {
    const qpu = await lab.qpu({ numQubits })
    all.push({ ...qpu, target: await lab.attach(qpu.driver) })
  }
  await lab.db.write('features', (tx) => tx.update(qpus, all[0]?.id ?? '', { missing_features: 2 }))
  return { lab, owners, all }
}

test('after random intents, some undone, the order is that of the store, and that of a restart', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      const { lab, owners, all } = await openLab()
      try {
        for (const [at, each] of steps.entries()) {
          await play(lab, owners, all, each)
          if (at % 4 === 0) await expectAsStored(lab, lab.order)
        }
        await expectAsStored(lab, lab.order)
        await expectAsStored(lab, await JobOrder.open(lab.db))
      } finally {
        await lab.db.close()
      }
    }),
    { numRuns: part(60, 8) },
  )
}, 120_000)

/** A feed that a test publishes to. */
function feed(): ChangeFeed & { publish(changes: readonly Change[]): void } {
  const listeners: ((changes: readonly Change[]) => void)[] = []
  return {
    subscribe(listener) {
      listeners.push(listener)
      return () => undefined
    },
    publish: (changes) => {
      for (const each of listeners) each(changes)
    },
  }
}

test('changes whose commit failed are read again from the store', async () => {
  await using lab = await JobLab.open()
  const [qpu, user] = [await lab.qpu(), await lab.user()]
  const [first, second] = [await lab.submit(user), await lab.submit(user)]
  const [upcoming, withdrawn] = [feed(), feed()]
  const order = await JobOrder.open({ changes: lab.db.changes, write: lab.db.write, upcoming, withdrawn })
  const next = () => lab.db.read((tx) => readQueue(tx, qpu.id, IDLE_MS, order)?.job)
  const changes: Change[] = [
    { collection: 'quantum_jobs', id: first.id, action: 'update', record: { ...first, status: 'running' } },
    { collection: 'quantum_jobs', id: 'notstored000000', action: 'create', record: first, seq: 99 },
  ]
  upcoming.publish(changes)
  expect(await next()).toBe(second.id)
  withdrawn.publish(changes)
  expect(await next()).toBe(first.id)
  const count = () => lab.db.write('count', (tx) => readQueueHead(tx, qpu.id, { limit: 9, idleMs: 0, order }))
  expect((await count())?.jobs.map(({ id }) => id)).toEqual([first.id, second.id])
})

test('a job that is read again and has ended is none of the order', async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  const [first] = [await lab.submit(user), await lab.submit(user)]
  const [upcoming, withdrawn] = [feed(), feed()]
  const order = await JobOrder.open({ changes: lab.db.changes, write: lab.db.write, upcoming, withdrawn })
  expect(order.mostPendingOf(user.id)).toBe(2)
  await lab.db.write('cancel', (tx) => cancelJob(tx, first.id))
  withdrawn.publish([{ collection: 'quantum_jobs', id: first.id, action: 'update', record: first }])
  await lab.db.write('read', (tx) => order.refresh(tx))
  expect(order.mostPendingOf(user.id)).toBe(1)
})

test('a QPU is to be looked at while a job waits for it and none runs there', async () => {
  await using lab = await JobLab.open()
  const [qpu, other, user] = [await lab.qpu(), await lab.qpu(), await lab.user()]
  const [upcoming, withdrawn] = [feed(), feed()]
  const order = await JobOrder.open({ changes: lab.db.changes, write: lab.db.write, upcoming, withdrawn })
  const mayClaim = () => [qpu, other].map(({ id }) => order.mayClaim(id))
  expect(mayClaim()).toEqual([false, false])
  const [first, second] = [await lab.submit(user, qpu.id), await lab.submit(user, qpu.id)]
  const created = [first, second].map((record, at): Change => {
    return { collection: 'quantum_jobs', id: record.id, action: 'create', record, seq: at + 1 }
  })
  upcoming.publish(created)
  expect(mayClaim()).toEqual([true, false])
  const change = (status: string): Change[] => [
    { collection: 'quantum_jobs', id: first.id, action: 'update', record: { ...first, status, qpu: qpu.id } },
  ]
  upcoming.publish(change('running'))
  expect(mayClaim()).toEqual([false, false])
  withdrawn.publish(change('running'))
  expect(mayClaim()).toEqual([true, false])
  upcoming.publish(change('running'))
  upcoming.publish(change('completed'))
  expect(mayClaim()).toEqual([true, false])
})

test('a job follows a running one while another waits for its QPU, and is next where none waits or runs', async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  const { id, driver } = await lab.qpu()
  const other = await lab.qpu()
  const target = await lab.attach(driver)
  const isNext = () => [lab.order.mayBeNext(id), lab.order.mayBeNext(other.id), lab.order.mayBeNext('')]
  expect(isNext()).toEqual([true, true, true])
  const running = await lab.submit(user, id)
  await lab.db.write('claim', (tx) => claimNow(tx, running.id, target))
  expect(isNext()).toEqual([false, true, true])
  expect(lab.order.hasNext(running.id)).toBe(false)
  const waiting = await lab.submit(user)
  expect(isNext()).toEqual([false, false, false])
  expect(lab.order.hasNext(running.id)).toBe(true)
  await lab.db.write('cancel', (tx) => cancelJob(tx, waiting.id))
  expect(lab.order.hasNext(running.id)).toBe(false)
  // As after a restart: nothing is known of it.
  expect((await JobOrder.open(lab.db)).hasNext(running.id)).toBe(true)
})

test('the removal of a user takes the jobs of that user out of the order, unless it is undone', async () => {
  await using lab = await JobLab.open()
  const [qpu, user, other] = [await lab.qpu(), await lab.user(), await lab.user()]
  const [first, second] = [await lab.submit(user), await lab.submit(other)]
  const next = () => lab.db.read((tx) => readQueue(tx, qpu.id, IDLE_MS, lab.order)?.job)
  await lab.db
    .write('remove', (tx) => {
      tx.remove(users, user.id)
      throw new Undone()
    })
    .catch(() => undefined)
  expect(await next()).toBe(first.id)
  await lab.db.write('remove', (tx) => tx.remove(users, user.id))
  expect(await next()).toBe(second.id)
})
