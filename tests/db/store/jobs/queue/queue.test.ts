import { describe, expect, test } from 'bun:test'
import { toTimestamp } from '../../../../../src/base/index.ts'
import { postLedger } from '../../../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../../../src/db/store/bookings/index.ts'
import {
  cancelJob,
  type QueueState,
  quantumJobs,
  requeueLost,
} from '../../../../../src/db/store/jobs/index.ts'
import { ALL_PENDING } from '../../../../../src/db/store/jobs/queue/job-order.ts'
import { mayRun } from '../../../../../src/db/store/jobs/queue/queue.ts'
import { countPendingSql } from '../../../../../src/db/store/jobs/transitions/insert.ts'
import { onlySqlite } from '../../../../support/postgres/only-sqlite.ts'
import { claimNow, endNow, JobLab } from '../../../../support/server/job-lab.ts'
import { readPosition, readQueue } from '../../../../support/server/queue-state.ts'

const IDLE_MS = 5_000
const HOUR_MS = 3_600_000

async function queueOf(lab: JobLab, qpu: string): Promise<QueueState> {
  const state = await lab.db.read((tx) => readQueue(tx, qpu, IDLE_MS, lab.order))
  if (!state) throw new Error('no such QPU')
  return state
}

/** Books the time from one hour ago to one hour from now. */
async function book(lab: JobLab, user: string, qpu = ''): Promise<void> {
  const now = lab.clock.now()
  await lab.db.write('book', (tx) =>
    tx.insert(timeSlots, {
      booked_by: user,
      qpu,
      start_time: toTimestamp(now - HOUR_MS),
      end_time: toTimestamp(now + HOUR_MS),
    }),
  )
}

describe('queueStateOf()', () => {
  test('finds the first job for a QPU among its own and those for any', async () => {
    await using lab = await JobLab.open()
    const [qpu, other] = [await lab.qpu(), await lab.qpu()]
    const user = await lab.user()
    await lab.submit(user, other.id)
    const any = await lab.submit(user)
    const own = await lab.submit(user, qpu.id)
    expect((await queueOf(lab, qpu.id)).job).toBe(any.id)
    await lab.db.write('cancel', (tx) => cancelJob(tx, any.id))
    expect((await queueOf(lab, qpu.id)).job).toBe(own.id)
  })

  test('skips jobs whose owner has no balance, that are paused, or that need more qubits', async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu({ numQubits: 5 })
    const [poor, user] = [await lab.user(1), await lab.user()]
    await lab.submit(poor)
    const paused = await lab.submit(user)
    await lab.submit(user, '', 6)
    const small = await lab.submit(user, '', 5)
    await lab.db.write('spend', (tx) => {
      postLedger(tx, { user: poor.id, kind: 'admin', sourceId: 'spent', deltaMs: -1_000 })
      tx.update(quantumJobs, paused.id, { not_before: tx.now + 1 })
    })
    expect((await queueOf(lab, qpu.id)).job).toBe(small.id)
    await lab.clock.advance(1)
    expect((await queueOf(lab, qpu.id)).job).toBe(paused.id)
  })

  test('ends a pause that a clock set back has made longer than the maximum', async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    const job = await lab.submit(await lab.user())
    await lab.db.write('pause', (tx) => tx.update(quantumJobs, job.id, { not_before: tx.now + 60_000 }))
    expect((await queueOf(lab, qpu.id)).job).toBe('')
    lab.clock.jump(-HOUR_MS)
    expect((await queueOf(lab, qpu.id)).job).toBe(job.id)
  })

  test('finds a job behind more than a hundred that may not run', async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    const [poor, user] = [await lab.user(1), await lab.user()]
    for (let n = 0; n < 120; n += 1) await lab.submit(poor, qpu.id)
    await lab.db.write('spend', (tx) =>
      postLedger(tx, { user: poor.id, kind: 'admin', sourceId: 'spent', deltaMs: -1_000 }),
    )
    expect((await queueOf(lab, qpu.id)).job).toBe('')
    const late = await lab.submit(user, qpu.id)
    expect((await queueOf(lab, qpu.id)).job).toBe(late.id)
  })

  test('reads the current booking, for this QPU or for all', async () => {
    await using lab = await JobLab.open()
    const [qpu, other] = [await lab.qpu(), await lab.qpu()]
    const [booker, guest] = [await lab.user(), await lab.user()]
    await lab.submit(guest)
    await book(lab, booker.id, qpu.id)
    expect((await queueOf(lab, other.id)).slot).toBeUndefined()
    expect((await queueOf(lab, qpu.id)).slot).toMatchObject({ user: booker.id, job: '', activeAt: undefined })
    const job = await lab.submit(booker)
    const { slot } = await queueOf(lab, qpu.id)
    expect(slot).toMatchObject({ job: job.id, activeAt: lab.clock.now() })
    await lab.clock.advance(HOUR_MS)
    expect((await queueOf(lab, qpu.id)).slot).toBeUndefined()
  })

  test("reads when the booker's last job here ended", async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    const server = await lab.attach(qpu.driver)
    const booker = await lab.user()
    await book(lab, booker.id)
    const { id } = await lab.submit(booker)
    await lab.db.write('claim', (tx) => claimNow(tx, id, server))
    await lab.clock.advance(IDLE_MS + 1)
    expect((await queueOf(lab, qpu.id)).slot?.activeAt).toBeUndefined()
    await lab.db.write('end', (tx) =>
      endNow(
        tx,
        {
          job: id,
          attempt: 1,
          driver: server.driver,
          executionMs: 1,
          outcome: { kind: 'completed', results: {} },
        },
        { maxAttempts: 1 },
      ),
    )
    const endedAt = lab.clock.now()
    await lab.clock.advance(IDLE_MS)
    expect((await queueOf(lab, qpu.id)).slot?.activeAt).toBe(endedAt)
    await lab.clock.advance(1)
    expect((await queueOf(lab, qpu.id)).slot?.activeAt).toBeUndefined()
  })

  test('reads when an attempt of the booker ended here, although its job waits for another one', async () => {
    await using lab = await JobLab.open()
    const [qpu, other] = [await lab.qpu(), await lab.qpu()]
    const { driver, ...target } = await lab.attach(qpu.driver)
    const booker = await lab.user()
    await book(lab, booker.id)
    const { id: job } = await lab.submit(booker)
    await lab.db.write('claim', (tx) => claimNow(tx, job, { driver, ...target }))
    await lab.clock.advance(IDLE_MS + 1)
    const lost = { job, attempt: 1, driver, reason: 'silent' }
    await lab.db.write('lose', (tx) => requeueLost(tx, lost, { maxAttempts: 3 }))
    expect((await queueOf(lab, qpu.id)).slot?.activeAt).toBe(lab.clock.now())
    expect((await queueOf(lab, other.id)).slot?.activeAt).toBeUndefined()
  })

  test.skipIf(onlySqlite('its plans'))(
    'reads the order at the start, and counts pending jobs, in an index only',
    async () => {
      await using lab = await JobLab.open()
      for (const sql of [ALL_PENDING, countPendingSql(lab.db.dialect)]) {
        const params = Object.fromEntries([...sql.matchAll(/\$(\w+)/g)].map(([, name]) => [name ?? '', 1]))
        const plan = await lab.db.read((tx) => tx.explain(sql, params))
        const jobs = plan.filter((step) => step.includes('quantum_jobs'))
        expect(jobs.length).toBeGreaterThan(0)
        for (const step of jobs) expect(step).toContain('USING COVERING INDEX')
      }
    },
  )
})

describe('queuePositionOf()', () => {
  test("counts the jobs ahead: all before it, only the owner's in the owner's slot, and later ones of a booker", async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    const [one, other] = [await lab.user(), await lab.user()]
    await lab.submit(one)
    await lab.submit(other, qpu.id)
    const mine = await lab.submit(one, qpu.id)
    await lab.submit(other)
    const ahead = async () =>
      (await lab.db.read((tx) => readPosition(tx, mine.id, IDLE_MS, lab.order)))?.queues.map(
        (queue) => queue.ahead,
      )
    expect(await ahead()).toEqual([2])
    await book(lab, other.id)
    expect(await ahead()).toEqual([3])
    await lab.db.write('unbook', (tx) => tx.run('UPDATE time_slots SET booked_by = $user', { user: one.id }))
    expect(await ahead()).toEqual([1])
  })

  test('states whether the running job belongs to the booker', async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    const server = await lab.attach(qpu.driver)
    const [booker, other] = [await lab.user(), await lab.user()]
    const { id } = await lab.submit(booker)
    const mine = await lab.submit(other)
    const running = async () =>
      (await lab.db.read((tx) => readPosition(tx, mine.id, IDLE_MS, lab.order)))?.queues[0]?.isBookerRunning
    await book(lab, booker.id)
    expect(await running()).toBe(false)
    await lab.db.write('claim', (tx) => claimNow(tx, id, server))
    expect(await running()).toBe(true)
    await lab.db.write('unbook', (tx) =>
      tx.run('UPDATE time_slots SET booked_by = $user', { user: other.id }),
    )
    expect(await running()).toBe(false)
  })

  test('returns the queues of a job for any QPU, except those of QPUs that are too small', async () => {
    await using lab = await JobLab.open()
    await lab.qpu({ numQubits: 4 })
    const [exact, undescribed] = [await lab.qpu({ numQubits: 5 }), await lab.qpu({ numQubits: 1 })]
    await lab.qpu({ numQubits: 9, enabled: false })
    const job = await lab.submit(await lab.user(), '', 5)
    const input = await lab.db.read((tx) => readPosition(tx, job.id, IDLE_MS, lab.order))
    expect(input?.queues.map(({ state }) => state.qpu.id)).toEqual([exact.id, undescribed.id])
    await lab.db.write('cancel', (tx) => cancelJob(tx, job.id))
    expect(await lab.db.read((tx) => readPosition(tx, job.id, IDLE_MS, lab.order))).toBeUndefined()
  })
})

describe('mayRun()', () => {
  const job = {
    target: '',
    needs: { qubits: 2, shots: 1, executions: 1, features: 0 },
    notBefore: 0,
    owner: { unlimited: false, balanceMs: 1 },
  }
  const qpu = {
    id: 'north',
    num_qubits: 2,
    described_at: '',
    max_qubits: 0,
    max_shots: 0,
    max_executions: 0,
    missing_features: 0,
  }

  test.each([
    ['a job for any QPU', {}, true],
    ['one for this QPU', { target: 'north' }, true],
    ['one for another QPU', { target: 'south' }, false],
    ['one that is too wide', { needs: { ...job.needs, qubits: 3 } }, false],
    ['one that pauses', { notBefore: 101 }, false],
    ['one whose pause ends now', { notBefore: 100 }, true],
    ['one whose owner has no balance', { owner: { unlimited: false, balanceMs: 0 } }, false],
    ['one whose owner needs none', { owner: { unlimited: true, balanceMs: 0 } }, true],
  ])('%s', (_, change, expected) => {
    expect(mayRun({ ...job, ...change }, qpu, 100)).toBe(expected)
  })
})
