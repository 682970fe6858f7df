import { describe, expect, test } from 'bun:test'
import * as v from 'valibot'
import { recordProgress, requeueLost } from '../../../src/db/store/jobs/index.ts'
import { jobProgress } from '../../../src/protocol/events/job_progress.ts'
import { type CircuitResult, expectedResultsOf, jobPayload } from '../../../src/protocol/index.ts'
import { DispatchBackoff } from '../../../src/server/drivers/dispatch-backoff.ts'
import { createEventHandler } from '../../../src/server/events/handlers.ts'
import { Heartbeats } from '../../../src/server/jobs/attempts/heartbeats.ts'
import { viewPartialResults } from '../../../src/server/jobs/partial-results.ts'
import { claimNow, JobLab, PAYLOAD, RESULTS } from '../../support/server/job-lab.ts'

const [ONE] = RESULTS.circuit_results
if (!ONE) throw new Error('no result')
const THREE = { ...PAYLOAD, circuits: [1, 2, 3].flatMap(() => PAYLOAD.circuits) }
const EXPECTED = JSON.stringify(expectedResultsOf(v.parse(jobPayload, THREE), [2, 2, 2]))

/** A result with this share of its 100 shots in `11`. */
function resultWith(ones: number): CircuitResult {
  return { ...(ONE as CircuitResult), counts: { '00': 100 - ones, '11': ones } }
}

/** A running job of three circuits, and what its driver reports. */
async function openCase() {
  const lab = await JobLab.open()
  const heartbeats = new Heartbeats(lab.clock, lab.config.jobTimeout)
  const handle = createEventHandler({
    context: lab.dependencies(),
    heartbeats,
    backoff: new DispatchBackoff(lab.clock),
  })
  const user = await lab.user()
  const qpu = await lab.qpu()
  const target = await lab.attach(qpu.driver)
  const { id: job } = await lab.submit(user, qpu.id, 2, { payload: THREE, expected: EXPECTED })
  const claim = () => lab.db.write('claim', (tx) => claimNow(tx, job, target))
  await claim()
  const send = (type: string, payload: object, driver = qpu.driver.id) =>
    handle(
      { driver, name: 'north', qpu: qpu.id, operation: 'process', epoch: target.epoch },
      { type, id: `${job}.1`, ts: '2026-01-31T09:05:00.000Z', payload },
    )
  return {
    lab,
    job,
    target,
    claim,
    send,
    report: (found: Record<number, CircuitResult>, { attempt = 1, driver = qpu.driver.id } = {}) => {
      const results = Object.entries(found).map(([index, result]) => ({ index: Number(index), result }))
      const payload = v.parse(jobProgress.payload, { job, attempt, progress: results.length / 3, results })
      return send('JobProgress', { ...payload, summary: jobProgress.summarize?.(payload) }, driver)
    },
    fail: (error: object) =>
      send('JobResult', { job, attempt: 1, epoch: 1, execution_ms: 5, status: 'failed', error }),
    view: async (after = 0) => {
      const { results, ...rest } = await viewPartialResults(lab, lab.caller(user), { id: job, after })
      const each = results.map(({ index, result }) => [index, (result.value as CircuitResult).counts?.['11']])
      return { ...rest, results: each }
    },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

describe('results before the end of a job', () => {
  test('are shown while it runs, in the order of their arrival, each once', async () => {
    await using it = await openCase()
    await it.report({ 2: resultWith(7) })
    await it.report({ 0: resultWith(5), 2: resultWith(9) })
    const seen = { status: 'running' as const, attempt: 1, progress: 2 / 3, complete: false }
    expect(await it.view()).toEqual({
      ...seen,
      results: [
        [2, 7],
        [0, 5],
      ],
      next: 2,
    })
    expect(await it.view(1)).toEqual({ ...seen, results: [[0, 5]], next: 2 })
    expect((await it.lab.job(it.job)).progress).toBe(2 / 3)
  })

  test('remain when it fails, and are replaced by the whole results when it completes', async () => {
    await using it = await openCase()
    await it.report({ 1: resultWith(5) })
    await it.fail({ class: 'user', message: 'no such gate', error_code: 'bad' })
    const kept = { attempt: 1, progress: 1 / 3, complete: false, results: [[1, 5]], next: 1 }
    expect(await it.view()).toEqual({ status: 'failed' as const, ...kept })
    await it.report({ 0: resultWith(5) })
    expect((await it.view()).next).toBe(1)
    await using other = await openCase()
    await other.report({ 1: resultWith(5) })
    await other.lab.complete(other.job)
    expect(await other.view()).toEqual({
      ...{ status: 'completed', attempt: 1, progress: 1, complete: true, results: [], next: 0 },
    })
  })

  test('of a lost attempt remain until another one begins; a late report of it is dropped', async () => {
    await using it = await openCase()
    await it.report({ 1: resultWith(5) })
    const lost = { job: it.job, attempt: 1, driver: it.target.driver, reason: 'silent' }
    await it.lab.db.write('lose', (tx) => requeueLost(tx, lost, { maxAttempts: 3 }))
    expect(await it.view()).toMatchObject({ status: 'pending', attempt: 1, results: [[1, 5]] })
    await it.claim()
    const begun = { status: 'running', attempt: 2, progress: 0, results: [] }
    expect(await it.view()).toMatchObject(begun)
    await it.report({ 0: resultWith(5) })
    expect(await it.view()).toMatchObject(begun)
    await it.report({ 0: resultWith(6) }, { attempt: 2 })
    expect(await it.view()).toMatchObject({ results: [[0, 6]] })
    // Whoever knows one of the first attempt knows none of the second.
    const { next, results } = await it.view(1)
    expect(results).toEqual([[0, 6]])
    expect(await it.view(next)).toMatchObject({ results: [], next })
  })

  test('are refused from another driver, and if they contradict the job', async () => {
    await using it = await openCase()
    await it.report({ 0: resultWith(5) }, { driver: 'driver000000000' })
    expect(await it.view()).toMatchObject({ progress: 0, results: [] })
    const more = { ...resultWith(5), counts: { '00': 105 } }
    expect(await it.report({ 0: resultWith(5), 1: more })).toMatchObject({
      message: 'results of single circuits refused',
      fields: { reason: 'circuit_results.1.counts add up to 105 of 100 shots' },
    })
    expect(await it.report({ 3: resultWith(5) })).toMatchObject({
      fields: { reason: 'circuit_results.3 is not expected of 3 results' },
    })
    expect(await it.view()).toMatchObject({ results: [] })
  })

  test('of a device that reports no progress are removed, too', async () => {
    await using it = await openCase()
    const results = [{ index: 1, text: JSON.stringify(resultWith(5)) }]
    const attempt = { job: it.job, attempt: 1, driver: it.target.driver, progress: 0 }
    for (const found of [results, []])
      await it.lab.db.write('note', (tx) => recordProgress(tx, { ...attempt, results: found }, 1_000))
    expect((await it.view()).results).toEqual([[1, 5]])
    await it.lab.complete(it.job)
    expect(await it.lab.db.read((tx) => tx.all('SELECT position FROM partial_results'))).toEqual([])
  })

  test('are removed with their job', async () => {
    await using it = await openCase()
    await it.report({ 1: resultWith(5) })
    await it.fail({ class: 'user', message: 'no' })
    await it.lab.db.write('remove', (tx) => tx.run('DELETE FROM quantum_jobs WHERE id = $id', { id: it.job }))
    const rows = await it.lab.db.read((tx) => tx.all('SELECT position FROM partial_results'))
    expect(rows).toEqual([])
  })
})
