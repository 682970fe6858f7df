import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../../../src/base/index.ts'
import { chargeableMs } from '../../../../../src/db/store/accounts/ledger.ts'
import {
  type AttemptResult,
  markStarted,
  requeueJob,
  requeueLost,
} from '../../../../../src/db/store/jobs/index.ts'
import { capEnd, usedMs } from '../../../../../src/db/store/jobs/transitions/time-cap.ts'
import { seeded } from '../../../../support/fitting/seeded.ts'
import { claimNow, endNow, JobLab, RESULTS } from '../../../../support/server/job-lab.ts'
import { part } from '../../../../support/whole.ts'

const LIMITS = { maxAttempts: 0 }
const NO_TIME = {
  kind: 'failed',
  class: 'user',
  results: { error: 'timed out', error_code: 'timed_out' },
} as const

/** A job of a user with 1,000 s that may use `maxMs`, and what its driver does. */
async function openCase(maxMs: number) {
  const lab = await JobLab.open()
  const user = await lab.user(1_000)
  const qpu = await lab.qpu()
  const target = await lab.attach(qpu.driver)
  const { id: job } = await lab.submit(user, qpu.id, 2, { maxMs })
  const { driver } = target
  const claim = () => lab.db.write('claim', (tx) => claimNow(tx, job, target))
  const start = (attempt: number) => lab.db.write('start', (tx) => markStarted(tx, { job, attempt, driver }))
  const end = (attempt: number, executionMs: number, outcome: AttemptResult['outcome']) =>
    lab.db.write('end', (tx) =>
      endNow(tx, { job, attempt, driver, executionMs, elapsedMs: executionMs, outcome }, LIMITS),
    )
  const lose = (attempt: number, mayDeliver = false) =>
    lab.db.write('lose', (tx) =>
      requeueLost(tx, { job, attempt, driver, reason: 'silence', mayDeliver }, LIMITS),
    )
  const charged = async () => 1_000_000 - (await lab.balance(user))
  return {
    ...{ lab, job, claim, start, end, lose, charged },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

const COMPLETED = { kind: 'completed', results: RESULTS } as const
const DEVICE_ERROR = { kind: 'failed', class: 'device', results: { error: 'fridge is warm' } } as const

test('max_seconds holds over all attempts: a later one has what is left, and is charged no more', async () => {
  await using it = await openCase(10_000)
  expect((await it.claim())?.limitMs).toBe(10_000)
  await it.start(1)
  await it.lab.clock.advance(4_000)
  await it.end(1, 4_000, DEVICE_ERROR)
  await it.lab.clock.advance(2_000)
  expect((await it.claim())?.limitMs).toBe(6_000)
  await it.lab.db.write('requeue', (tx) => requeueJob(tx, { job: it.job, actor: 'test', reason: '' }))
  expect((await it.claim())?.limitMs).toBe(6_000)
  await it.lab.clock.advance(7_000)
  await it.end(3, 7_000, COMPLETED)
  expect(await it.lab.job(it.job)).toMatchObject({ status: 'completed', duration: 6 })
  expect(await it.charged()).toBe(6_000)
})

test('the end at max_seconds is max_seconds_reached; an earlier one at the limit of the driver is not', async () => {
  await using it = await openCase(2_000)
  await it.claim()
  await it.lab.clock.advance(2_010)
  await it.end(1, 2_010, NO_TIME)
  const error_code = 'max_seconds_reached'
  expect(await it.lab.job(it.job)).toMatchObject({ status: 'failed', error_code, duration: 2 })
  expect(await it.charged()).toBe(2_000)
  // Timers may be early by 20 ms.
  for (const [ms, code] of [
    [19_980, error_code],
    [19_979, 'timed_out'],
  ] as const) {
    await using other = await openCase(20_000)
    await other.claim()
    await other.end(1, ms, NO_TIME)
    expect(await other.lab.job(other.job)).toMatchObject({ status: 'failed', error_code: code })
  }
})

test('a job that has lost all its time fails when it would run again, and costs nothing', async () => {
  await using it = await openCase(5_000)
  await it.claim()
  await it.start(1)
  await it.lab.clock.advance(20_000)
  expect(await it.lose(1, true)).toBe('pending')
  expect(await it.claim()).toBeUndefined()
  expect(await it.lab.job(it.job)).toMatchObject({
    ...{ status: 'failed', error_code: 'max_seconds_reached' },
    results: { error: 'The job was stopped after 5 s of QPU time, its max_seconds' },
  })
  expect(await it.charged()).toBe(0)
  await using other = await openCase(5_000)
  await other.claim()
  await other.start(1)
  await other.lab.clock.advance(20_000)
  expect(await other.lose(1)).toBe('failed')
})

test('no random course of attempts charges more than max_seconds', () => {
  const random = seeded(20_261_127)
  const upTo = (most: number) => Math.floor(random() * (most + 1))
  const states = ['lost', 'error', 'undelivered', 'requeued']
  for (let round = 0; round < part(1_000_000, 20_000); round += 1) {
    const maxMs = 1 + upTo(10_000)
    let at = Date.UTC(2026, 0, 31)
    const attempts = Array.from({ length: upTo(3) }, () => {
      const claimed = at + upTo(1_000)
      const started = random() < 0.7 ? claimed + upTo(500) : 0
      at = claimed + upTo(4_000)
      const state = states[upTo(states.length - 1)] ?? ''
      return {
        ...{ state, claimed_at: toTimestamp(claimed), ended_at: toTimestamp(at) },
        started_at: started === 0 ? '' : toTimestamp(started),
      }
    })
    const leftMs = Math.max(0, maxMs - usedMs(attempts))
    const outcome = [COMPLETED, NO_TIME, DEVICE_ERROR][upTo(2)] ?? COMPLETED
    const result = { job: 'j', attempt: 1, driver: 'd', executionMs: random() * 15_000, outcome }
    const end = capEnd(result, maxMs, leftMs)
    const charge = chargeableMs(end.executionMs, random() * 15_000)
    if (charge > maxMs || charge > leftMs)
      throw new Error(JSON.stringify({ maxMs, leftMs, attempts, result }))
    if (outcome === COMPLETED && end.outcome !== COMPLETED) throw new Error('results are kept')
  }
}, 60_000)
