import { describe, expect, test } from 'bun:test'
import { checkInvariants, type Tx } from '../../../../../src/db/index.ts'
import { readAuditChain } from '../../../../../src/db/journal/index.ts'
import { timeSlots } from '../../../../../src/db/store/bookings/index.ts'
import {
  cancelJob,
  findJob,
  holdJob,
  moveJob,
  moveJobToFront,
  quantumJobs,
  releaseJob,
  requeueDisturbed,
  requeueJob,
  requeueLost,
  requeueUndelivered,
} from '../../../../../src/db/store/jobs/index.ts'
import { claimNow, endNow, JobLab, RESULTS } from '../../../../support/server/job-lab.ts'
import { readPosition, readQueue } from '../../../../support/server/queue-state.ts'

type Work = (tx: Tx, act: Parameters<typeof holdJob>[1]) => unknown

async function openLab() {
  const lab = await JobLab.open()
  const qpu = await lab.qpu()
  const server = await lab.attach(qpu.driver)
  const user = await lab.user()
  const act = (work: Work, job: string, reason = '') =>
    lab.db.write('act', (tx) => work(tx, { job, actor: 'superuser:root', reason }))
  const claim = (job: string) => lab.db.write('claim', (tx) => claimNow(tx, job, server))
  const queue = async () => {
    const state = await lab.db.read((tx) => readQueue(tx, qpu.id, 5_000, lab.order))
    return [state?.next, state?.slot?.job, state?.job]
  }
  const ahead = (job: string) =>
    lab.db.read((tx) => readPosition(tx, job, 5_000, lab.order)?.queues.map(({ ahead }) => ahead))
  const refused = (work: Work, job: string, reason: string, message: string) =>
    expect(act(work, job)).rejects.toMatchObject({ code: 'conflict', reason, message })
  return { lab, qpu, server, user, act, claim, queue, ahead, refused }
}

const result = (job: string, driver: string, attempt = 1) => ({
  job,
  attempt,
  driver,
  executionMs: 40,
  outcome: { kind: 'completed' as const, results: RESULTS },
})

describe('holdJob() and releaseJob()', () => {
  test('take a job from every queue, and return it to its position', async () => {
    const it = await openLab()
    await using lab = it.lab
    const [first, second] = [await lab.submit(it.user), await lab.submit(it.user)]
    await it.act(holdJob, first.id, 'check the qubits')
    expect(await it.queue()).toEqual(['', undefined, second.id])
    expect(await it.ahead(second.id)).toEqual([0])
    expect(await it.claim(first.id)).toBeUndefined()
    expect(await lab.job(first.id)).toMatchObject({ status: 'pending', held: true })
    await it.act(releaseJob, first.id)
    expect(await it.queue()).toEqual(['', undefined, first.id])
    expect(await lab.job(first.id)).toMatchObject({ held: false, hold_reason: '' })
    expect(await lab.history(first.id)).toEqual(['submitted 0', 'held 0', 'released 0'])
  })

  test('a held job can be cancelled, and accepts the late result of its lost attempt', async () => {
    const it = await openLab()
    await using lab = it.lab
    const [cancelled, late] = [await lab.submit(it.user), await lab.submit(it.user)]
    await it.act(holdJob, cancelled.id)
    await lab.db.write('cancel', (tx) => cancelJob(tx, cancelled.id))
    expect(await lab.job(cancelled.id)).toMatchObject({ status: 'cancelled', held: false })
    await it.claim(late.id)
    const { driver } = it.server
    await lab.db.write('lose', (tx) =>
      requeueLost(tx, { job: late.id, attempt: 1, driver, reason: 'silence' }, { maxAttempts: 3 }),
    )
    await it.act(holdJob, late.id)
    await lab.db.write('result', (tx) => endNow(tx, result(late.id, driver), { maxAttempts: 3 }))
    expect(await lab.job(late.id)).toMatchObject({ status: 'completed', held: false })
  })

  test('are refused with the reason if the state does not allow them', async () => {
    const it = await openLab()
    await using lab = it.lab
    const [running, held] = [await lab.submit(it.user), await lab.submit(it.user)]
    await it.claim(running.id)
    await it.act(holdJob, held.id)
    await it.refused(
      holdJob,
      running.id,
      'not_pending',
      'Only pending jobs can be held; this one is running; requeue it with "hold": true to stop it and keep it from running again',
    )
    await it.refused(holdJob, held.id, 'already_held', 'The job is held already; release it to let it run')
    await it.refused(
      releaseJob,
      running.id,
      'not_held',
      'Only held jobs can be released; this one is running and not held',
    )
    await expect(it.act(holdJob, 'aaaaaaaaaaaaaaa')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('moveJobToFront()', () => {
  test('puts a job before all others and the booker, the last one moved first, until an attempt has ended', async () => {
    const it = await openLab()
    await using lab = it.lab
    const booker = await lab.user()
    await lab.db.write('book', (tx) =>
      tx.insert(timeSlots, {
        booked_by: booker.id,
        qpu: '',
        start_time: '2026-01-31 08:00:00.000Z',
        end_time: '2026-01-31 10:00:00.000Z',
      }),
    )
    const [old, booked, urgent] = [
      await lab.submit(it.user),
      await lab.submit(booker),
      await lab.submit(it.user),
    ]
    await it.act(moveJobToFront, urgent.id)
    expect(await it.queue()).toEqual([urgent.id, booked.id, old.id])
    expect([await it.ahead(urgent.id), await it.ahead(booked.id), await it.ahead(old.id)]).toEqual([
      [0],
      [1],
      [2],
    ])
    await it.act(moveJobToFront, old.id)
    expect(await it.queue()).toEqual([old.id, booked.id, old.id])
    expect([await it.ahead(urgent.id), await it.ahead(booked.id), await it.ahead(old.id)]).toEqual([
      [1],
      [2],
      [0],
    ])
    await it.claim(old.id)
    await lab.db.write('lose', (tx) =>
      requeueLost(
        tx,
        { job: old.id, attempt: 1, driver: it.server.driver, reason: 'silence' },
        { maxAttempts: 3 },
      ),
    )
    expect(await it.queue()).toEqual([urgent.id, booked.id, old.id])
  })

  test('puts a job before one that returns because its command was not delivered', async () => {
    const it = await openLab()
    await using lab = it.lab
    const [urgent, undelivered] = [await lab.submit(it.user), await lab.submit(it.user)]
    await it.act(moveJobToFront, undelivered.id)
    await it.claim(undelivered.id)
    await it.act(moveJobToFront, urgent.id)
    const attempt = { job: undelivered.id, attempt: 1, driver: it.server.driver, reason: 'full' }
    await lab.db.write('return', (tx) => requeueUndelivered(tx, attempt))
    expect((await it.queue())[0]).toBe(urgent.id)
  })

  test('ends the pause after a device error; a hold removes it from the front', async () => {
    const it = await openLab()
    await using lab = it.lab
    const job = await lab.submit(it.user)
    await lab.db.write('pause', (tx) => tx.update(quantumJobs, job.id, { not_before: tx.now + 30_000 }))
    expect(await it.queue()).toEqual(['', undefined, ''])
    await it.act(moveJobToFront, job.id)
    expect(await it.queue()).toEqual([job.id, undefined, job.id])
    await it.act(holdJob, job.id)
    await it.refused(moveJobToFront, job.id, 'held', 'The job is held; release it first')
    await it.act(releaseJob, job.id)
    expect(await it.queue()).toEqual(['', undefined, job.id])
  })
})

test('requeueDisturbed() returns the job of a QPU to the queue, with the reason, and no other one', async () => {
  const it = await openLab()
  await using lab = it.lab
  const job = await lab.submit(it.user)
  const disturb = () =>
    lab.db.write('disturb', (tx) => requeueDisturbed(tx, it.qpu.id, 'a calibration began'))
  expect(await disturb()).toBeUndefined()
  await it.claim(job.id)
  expect(await disturb()).toEqual({ job: job.id, attempt: 1, driver: it.server.driver })
  expect(await disturb()).toBeUndefined()
  expect((await lab.job(job.id)).status).toBe('pending')
  const [last] = (await lab.timeline(job.id)).slice(-1)
  expect(last).toMatchObject({ event: 'requeued', attempt: 1, detail: 'a calibration began' })
})

describe('requeueJob()', () => {
  test('ends the attempt without a charge: its result is stale, and it does not count', async () => {
    const it = await openLab()
    await using lab = it.lab
    const job = await lab.submit(it.user)
    await it.claim(job.id)
    const { driver } = it.server
    await lab.clock.advance(100)
    expect(await it.act(requeueJob, job.id, 'wrong device file')).toMatchObject({
      ended: { job: job.id, attempt: 1, driver },
    })
    const late = await lab.db.write('late', (tx) => endNow(tx, result(job.id, driver), { maxAttempts: 1 }))
    expect(late).toEqual({ kind: 'stale' })
    expect(await lab.job(job.id)).toMatchObject({ status: 'pending', attempt: 1, driver: '', results: null })
    expect(await lab.balance(it.user)).toBe(100_000)
    await it.claim(job.id)
    await lab.clock.advance(100)
    const again = await lab.db.write('result', (tx) =>
      endNow(tx, result(job.id, driver, 2), { maxAttempts: 1 }),
    )
    expect(again).toEqual({ kind: 'applied', status: 'completed' })
    expect(await lab.balance(it.user)).toBe(100_000 - 40)
    expect(await lab.history(job.id)).toEqual([
      'submitted 0',
      'claimed 1',
      'requeued 1',
      'claimed 2',
      'started 2',
      'completed 2',
    ])
  })

  test('never affects jobs that wait or have ended', async () => {
    const it = await openLab()
    await using lab = it.lab
    const [waits, ended] = [await lab.submit(it.user), await lab.submit(it.user)]
    await lab.db.write('cancel', (tx) => cancelJob(tx, ended.id))
    const before = await lab.db.read((tx) => findJob(tx, ended.id))
    await it.refused(
      requeueJob,
      waits.id,
      'not_running',
      'Only running jobs can be requeued; this one is pending, in the queue already',
    )
    await it.refused(
      requeueJob,
      ended.id,
      'not_running',
      'Only running jobs can be requeued; this one is cancelled, and what has ended never changes: submit it again as a new job',
    )
    expect(await lab.db.read((tx) => findJob(tx, ended.id))).toEqual(before)
  })
})

describe('moveJob()', () => {
  test('moves a pending job to another QPU, in its place, and names both; not to its own', async () => {
    const it = await openLab()
    await using lab = it.lab
    const other = await lab.qpu()
    const job = await lab.submit(it.user)
    const to =
      ({ id, name }: { id: string; name: string }): Work =>
      (tx, act) =>
        moveJob(tx, act, { id, name })
    await it.act(to(it.qpu), job.id)
    await it.refused(to(it.qpu), job.id, 'same_qpu', `The job waits for ${it.qpu.name} already`)
    await it.act(to(other), job.id, 'cold')
    expect((await lab.job(job.id)).qpu_target).toBe(other.id)
    const moves = (await lab.timeline(job.id)).filter(({ event }) => event === 'moved')
    expect(moves.map(({ detail }) => detail)).toEqual([
      expect.stringContaining(`to ${it.qpu.name}`),
      expect.stringContaining(`from ${it.qpu.name} to ${other.name}`),
    ])
    await it.act(to(it.qpu), job.id)
    await it.claim(job.id)
    await it.refused(to(other), job.id, 'not_pending', 'Only pending jobs can be moved; this one is running')
  })
})

test('every action is in the audit log, whose chain is intact, and no rejected one', async () => {
  const it = await openLab()
  await using lab = it.lab
  const job = await lab.submit(it.user)
  await it.act(holdJob, job.id, 'check')
  await it.act(releaseJob, job.id)
  await it.act(moveJobToFront, job.id)
  await it.claim(job.id)
  await it.act(requeueJob, job.id, 'again')
  await it.refused(
    releaseJob,
    job.id,
    'not_held',
    'Only held jobs can be released; this one is pending and not held',
  )
  const entries = await lab.db.read((tx) =>
    tx.all<{ act: string; actor: string; detail: string }>(
      'SELECT act, actor, detail FROM audit_log WHERE subject = $job ORDER BY seq',
      { job: job.id },
    ),
  )
  expect(entries.map(({ act, detail }) => [act, JSON.parse(detail)])).toEqual([
    ['job.hold', { reason: 'check' }],
    ['job.release', {}],
    ['job.run_next', {}],
    ['job.requeue', { reason: 'again' }],
  ])
  expect((await lab.db.read(readAuditChain)).broken).toBeUndefined()
  expect(await lab.db.read((tx) => checkInvariants(tx))).toEqual([])
})
