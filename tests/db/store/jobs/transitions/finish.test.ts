import { describe, expect, test } from 'bun:test'
import {
  type AttemptResult,
  type Claim,
  cancelJob,
  type DispatchTarget,
  markStarted,
  requeueLost,
  requeueUndelivered,
  timelineOf,
} from '../../../../../src/db/store/jobs/index.ts'
import { describeQpu } from '../../../../../src/db/store/qpus/index.ts'
import { claimNow, endNow, JobLab, RESULTS } from '../../../../support/server/job-lab.ts'
import { readPosition, readQueue } from '../../../../support/server/queue-state.ts'
import { readCharges } from '../../../../support/sums/charges.ts'

const LIMITS = { maxAttempts: 3 }

type Outcome = AttemptResult['outcome']
const COMPLETED: Outcome = { kind: 'completed', results: RESULTS }
const USER_ERROR: Outcome = {
  kind: 'failed',
  class: 'user',
  results: { error: 'no such gate', error_code: 'bad' },
}
const DEVICE_ERROR: Outcome = { kind: 'failed', class: 'device', results: { error: 'fridge is warm' } }

/** One user with 100 s, one QPU with its driver attached, one job. */
async function openCase(flags: Record<string, string> = {}) {
  const lab = await JobLab.open(flags)
  const user = await lab.user(100)
  const qpu = await lab.qpu()
  const server = await lab.attach(qpu.driver)
  const job = await lab.submit(user, qpu.id)
  const claim = async (by: DispatchTarget = server): Promise<Claim> => {
    const claimed = await lab.db.write('claim', (tx) => claimNow(tx, job.id, by))
    if (!claimed) throw new Error('not claimed')
    return claimed
  }
  const end = (attempt: number, outcome: Outcome, more: Partial<AttemptResult> = {}) =>
    lab.db.write('end', (tx) => {
      const times = { executionMs: 1_500, elapsedMs: 9_999 }
      return endNow(tx, { job: job.id, attempt, driver: server.driver, ...times, outcome, ...more }, LIMITS)
    })
  const lose = (attempt: number) =>
    lab.db.write('lose', (tx) =>
      requeueLost(tx, { job: job.id, attempt, driver: server.driver, reason: 'silence' }, LIMITS),
    )
  return {
    lab,
    user,
    qpu,
    server,
    job,
    claim,
    end,
    lose,
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

describe('applyResult()', () => {
  test('T3: completes a running job, stores its results and charges it once', async () => {
    await using it = await openCase()
    await it.claim()
    expect(await it.end(1, COMPLETED)).toEqual({ kind: 'applied', status: 'completed' })
    expect(await it.end(1, COMPLETED)).toEqual({ kind: 'stale' })
    const job = await it.lab.job(it.job.id)
    expect(job).toMatchObject({
      status: 'completed',
      results: RESULTS,
      duration: 1.5,
      attempt: 1,
      error_code: '',
    })
    expect(job.finished_at).toBe('2026-01-31 09:00:00.000Z')
    expect(await it.lab.balance(it.user)).toBe(98_500)
    expect(await it.lab.history(it.job.id)).toEqual(['submitted 0', 'claimed 1', 'started 1', 'completed 1'])
  })

  test('records the start of a job of which the driver reported only the end', async () => {
    await using it = await openCase()
    await it.claim()
    await it.lab.clock.advance(40)
    await it.end(1, COMPLETED, { executionMs: 15 })
    expect((await it.lab.job(it.job.id)).started_at).toBe('2026-01-31 09:00:00.025Z')
    const times = await it.lab.db.read((tx) => tx.read(timelineOf(it.job.id)))
    expect(times.map(({ event, at }) => `${event} ${at.slice(-7)}`)).toEqual([
      'submitted 00.000Z',
      'claimed 00.000Z',
      'started 00.025Z',
      'completed 00.040Z',
    ])
  })

  test('records no start before the claim, and none of a job that did not run', async () => {
    await using it = await openCase()
    await it.claim()
    await it.end(1, USER_ERROR, { executionMs: 0 })
    expect((await it.lab.job(it.job.id)).started_at).toBe('')
    await using other = await openCase()
    await other.claim()
    await other.end(1, USER_ERROR, { executionMs: 5_000 })
    expect((await other.lab.job(other.job.id)).started_at).toBe('2026-01-31 09:00:00.000Z')
  })

  test('charges no more than the time that the server measured', async () => {
    await using it = await openCase()
    await it.claim()
    await it.end(1, COMPLETED, { executionMs: 50_000, elapsedMs: 1_200.6 })
    expect(await it.lab.balance(it.user)).toBe(98_799)
    expect((await it.lab.job(it.job.id)).duration).toBe(1.201)
  })

  test('uses the wall clock since the claim when the claim was not timed', async () => {
    await using it = await openCase()
    await it.claim()
    await it.lab.clock.advance(700)
    await it.end(1, COMPLETED, { elapsedMs: undefined })
    expect(await it.lab.balance(it.user)).toBe(99_300)
  })

  test('an instrument that was busy before the job began is no attempt; one that failed later is', async () => {
    await using it = await openCase()
    const busy: Outcome = {
      ...{ kind: 'failed', class: 'device' },
      results: { error: 'the cluster is in use', error_code: 'instrument_busy' },
    }
    const states = () =>
      it.lab.db.read((tx) =>
        tx
          .all<{ state: string }>('SELECT state FROM job_attempts WHERE job = $job ORDER BY attempt', {
            job: it.job.id,
          })
          .map(({ state }) => state),
      )
    await it.claim()
    await it.end(1, busy, { executionMs: 0 })
    await it.claim()
    await it.end(2, busy, { executionMs: 1 })
    expect(await states()).toEqual(['undelivered', 'error'])
  })

  test("keeps the first 1,000 characters of a device's message in the timeline, of each kind of error", async () => {
    for (const outcome of [DEVICE_ERROR, USER_ERROR]) {
      await using it = await openCase()
      await it.claim()
      await it.end(1, { ...outcome, results: { error: 'x'.repeat(5_000) } } as Outcome)
      const details = await it.lab.db.read((tx) => tx.read(timelineOf(it.job.id)).map(({ detail }) => detail))
      expect(details.at(-1)).toBe('x'.repeat(1_000))
    }
  })

  test('does not charge users without a limit', async () => {
    await using it = await openCase()
    await it.lab.db.write('unlimited', (tx) =>
      tx.run('UPDATE users SET unlimited = 1 WHERE id = $id', { id: it.user.id }),
    )
    await it.claim()
    await it.end(1, COMPLETED)
    expect(await it.lab.balance(it.user)).toBe(100_000)
  })

  test("T3': accepts a late result while no other driver has the job", async () => {
    await using it = await openCase()
    await it.claim()
    expect(await it.lose(1)).toBe('pending')
    expect((await it.lab.job(it.job.id)).driver).toBe('')
    expect(await it.end(1, COMPLETED)).toEqual({ kind: 'applied', status: 'completed' })
    expect(await it.lab.job(it.job.id)).toMatchObject({ status: 'completed', driver: it.server.driver })
    expect(await it.lab.balance(it.user)).toBe(98_500)
  })

  test('a result long after the last report ends its run when it was seen last, or had taken its time', async () => {
    for (const [more, end] of [
      [{ silentMs: 60_000 }, '09:00:40.000Z'],
      [{ silentMs: 60_000, executionMs: 70_000 }, '09:01:10.000Z'],
      [{ silentMs: 9_999 }, '09:01:40.000Z'],
    ] as const) {
      await using it = await openCase()
      await it.claim()
      await it.lab.clock.advance(100_000)
      await it.end(1, COMPLETED, { elapsedMs: 100_000, ...more })
      expect((await it.lab.job(it.job.id)).finished_at).toBe(`2026-01-31 ${end}`)
    }
    await using it = await openCase()
    await it.claim()
    await it.lab.clock.advance(30_000)
    await it.lose(1)
    await it.lab.clock.advance(70_000)
    await it.end(1, COMPLETED, { silentMs: 70_000 })
    expect((await it.lab.job(it.job.id)).finished_at).toBe('2026-01-31 09:00:30.000Z')
  })

  test('does not apply the result of an older attempt', async () => {
    await using it = await openCase()
    await it.claim()
    await it.lose(1)
    await it.claim()
    expect(await it.end(1, COMPLETED)).toEqual({ kind: 'stale' })
    expect(await it.lab.job(it.job.id)).toMatchObject({ status: 'running', attempt: 2, results: null })
    expect(await it.lab.balance(it.user)).toBe(100_000)
    expect(await it.end(2, COMPLETED)).toEqual({ kind: 'applied', status: 'completed' })
  })

  test('does not apply the result of a cancelled job, and charges nothing', async () => {
    await using it = await openCase()
    await it.claim()
    await it.lose(1)
    await it.lab.db.write('cancel', (tx) => cancelJob(tx, it.job.id))
    expect(await it.end(1, COMPLETED)).toEqual({ kind: 'stale' })
    expect(await it.lab.job(it.job.id)).toMatchObject({ status: 'cancelled', results: null })
    expect(await it.lab.balance(it.user)).toBe(100_000)
  })

  test('distinguishes a result of another driver, a stale one, and one of an unknown job', async () => {
    await using it = await openCase()
    await it.claim()
    const other = await it.lab.standby(it.qpu)
    expect(await it.end(1, COMPLETED, { driver: other.id })).toEqual({ kind: 'foreign' })
    expect(await it.end(7, COMPLETED)).toEqual({ kind: 'stale' })
    expect(await it.end(1, COMPLETED, { job: '000000000000000' })).toEqual({ kind: 'unknown' })
    expect((await it.lab.job(it.job.id)).status).toBe('running')
  })

  test('T4: a fault of the job ends it; what was executed is charged', async () => {
    await using it = await openCase()
    await it.claim()
    expect(await it.end(1, USER_ERROR, { executionMs: 20 })).toEqual({ kind: 'applied', status: 'failed' })
    expect(await it.lab.job(it.job.id)).toMatchObject({
      status: 'failed',
      results: { error: 'no such gate', error_code: 'bad' },
      error_code: 'bad',
    })
    expect(await it.lab.balance(it.user)).toBe(99_980)
  })

  test('T4: a failure that is free is not charged, although the device ran', async () => {
    await using it = await openCase()
    await it.claim()
    await it.end(1, { ...USER_ERROR, isFree: true }, { executionMs: 20 })
    expect(await it.lab.job(it.job.id)).toMatchObject({ status: 'failed', duration: 0, error_code: 'bad' })
    expect(await it.lab.balance(it.user)).toBe(100_000)
  })

  test('T4: a job that was rejected before it ran is free', async () => {
    await using it = await openCase()
    await it.claim()
    await it.end(1, USER_ERROR, { executionMs: 0 })
    const charges = await it.lab.db.read(readCharges)
    expect(charges).toEqual([])
  })

  test('T5: a fault of the device pauses the job, twice as long each time, at most 60 s', async () => {
    await using it = await openCase({ maxAttempts: '0' })
    const pauses: number[] = []
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      await it.claim()
      await it.lab.db.write('end', (tx) =>
        endNow(
          tx,
          { job: it.job.id, attempt, driver: it.server.driver, executionMs: 5, outcome: DEVICE_ERROR },
          { maxAttempts: 0 },
        ),
      )
      pauses.push((await it.lab.job(it.job.id)).not_before - it.lab.clock.now())
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
    expect(await it.lab.balance(it.user)).toBe(100_000)
  })

  test('T5: an instrument that another process uses is no attempt: the job tries again, without a limit', async () => {
    await using it = await openCase()
    const busy: Outcome = {
      ...{ kind: 'failed', class: 'device' },
      results: { error: 'the instrument is in use', error_code: 'instrument_busy' },
    }
    for (let attempt = 1; attempt <= LIMITS.maxAttempts + 2; attempt += 1) {
      await it.claim()
      expect(await it.end(attempt, busy, { executionMs: 0 })).toEqual({ kind: 'applied', status: 'pending' })
      expect((await it.lab.job(it.job.id)).not_before - it.lab.clock.now()).toBe(1_000)
    }
    expect((await it.lab.history(it.job.id)).at(-1)).toBe(`undelivered ${LIMITS.maxAttempts + 2}`)
    expect(await it.lab.balance(it.user)).toBe(100_000)
  })

  const UNCALIBRATED: Outcome = {
    ...{ kind: 'failed', class: 'device' },
    results: { error: 'q1 is not calibrated', error_code: 'not_calibrated' },
  }

  test('T5: a chip that is not calibrated for the job is no attempt, and is not tried until it changes', async () => {
    await using it = await openCase()
    const { lab, job, server } = it
    const describe = () =>
      lab.db.write('describe', (tx) =>
        describeQpu(tx, server, {
          described: '{"schema":1}',
          limits: { num_qubits: 1, max_qubits: 0, max_shots: 0, max_executions: 0, missing_features: 0 },
        }),
      )
    const read = () =>
      lab.db.read((tx) => ({
        next: readQueue(tx, server.qpu, 5_000, lab.order)?.job,
        excluded: readPosition(tx, job.id, 5_000, lab.order)?.excluded.map(({ unfit }) => unfit),
      }))
    await describe()
    for (let attempt = 1; attempt <= LIMITS.maxAttempts + 2; attempt += 1) {
      expect(await read()).toEqual({ next: job.id, excluded: [] })
      await it.claim()
      expect(await it.end(attempt, UNCALIBRATED, { executionMs: 0 })).toEqual({
        kind: 'applied',
        status: 'pending',
      })
      await lab.clock.advance(3_600_000)
      expect(await read()).toEqual({
        next: '',
        excluded: [{ code: 'not_calibrated', reason: 'q1 is not calibrated' }],
      })
      await describe()
    }
    expect(await lab.balance(it.user)).toBe(100_000)
  })

  test('T5: a chip that is not described and not calibrated for the job is tried again after a minute', async () => {
    await using it = await openCase()
    for (let attempt = 1; attempt <= LIMITS.maxAttempts + 2; attempt += 1) {
      await it.claim()
      expect(await it.end(attempt, UNCALIBRATED, { executionMs: 0 })).toEqual({
        kind: 'applied',
        status: 'pending',
      })
      const { not_before } = await it.lab.job(it.job.id)
      expect(not_before - it.lab.clock.now()).toBe(60_000)
    }
    expect(await it.lab.balance(it.user)).toBe(100_000)
  })

  test('T5: a late fault of the device does not count twice', async () => {
    await using it = await openCase()
    await it.claim()
    await it.lose(1)
    expect(await it.end(1, DEVICE_ERROR)).toEqual({ kind: 'stale' })
    expect(await it.lab.history(it.job.id)).toEqual(['submitted 0', 'claimed 1', 'lost 1'])
  })

  test('T7: gives up after the allowed attempts; undelivered ones do not count', async () => {
    await using it = await openCase()
    await it.claim()
    await it.lab.db.write('back', (tx) =>
      requeueUndelivered(tx, { job: it.job.id, attempt: 1, driver: it.server.driver, reason: 'busy' }),
    )
    for (const attempt of [2, 3]) {
      await it.claim()
      expect(await it.lose(attempt)).toBe('pending')
    }
    await it.claim()
    expect(await it.end(4, DEVICE_ERROR)).toEqual({ kind: 'applied', status: 'failed' })
    expect(await it.lab.job(it.job.id)).toMatchObject({
      status: 'failed',
      error_code: 'attempts_exhausted',
      results: { error: 'Given up after 3 attempts; the last one ended with: fridge is warm' },
    })
    expect(await it.lab.balance(it.user)).toBe(100_000)
    expect(await it.end(4, COMPLETED)).toEqual({ kind: 'stale' })
  })
})

describe('requeueLost()', () => {
  test('T6: does nothing for an attempt that is not the running one', async () => {
    await using it = await openCase()
    await it.claim()
    expect(await it.lose(2)).toBeUndefined()
    expect(await it.lose(1)).toBe('pending')
    expect(await it.lose(1)).toBeUndefined()
    expect(await it.lab.history(it.job.id)).toEqual(['submitted 0', 'claimed 1', 'lost 1'])
  })
})

describe('markStarted()', () => {
  test('records the start once, and only for the driver that has the attempt', async () => {
    await using it = await openCase()
    await it.claim()
    const started = (driver: string) =>
      it.lab.db.write('started', (tx) => markStarted(tx, { job: it.job.id, attempt: 1, driver }))
    expect(await started('another driver')).toBe(false)
    await it.lab.clock.advance(40)
    expect(await started(it.server.driver)).toBe(true)
    expect(await started(it.server.driver)).toBe(false)
    expect((await it.lab.job(it.job.id)).started_at).toBe('2026-01-31 09:00:00.040Z')
    await it.end(1, COMPLETED)
    expect((await it.lab.job(it.job.id)).started_at).toBe('2026-01-31 09:00:00.040Z')
  })
})
