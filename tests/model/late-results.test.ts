import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toTimestamp } from '../../src/base/index.ts'
import { usageStatement } from '../../src/db/store/accounts/index.ts'
import { type Quote, readQuoteScore, timelineOf } from '../../src/db/store/jobs/index.ts'
import { createDriver, readJobTicks, utilizationStatement } from '../../src/db/store/qpus/index.ts'
import {
  declareRecall,
  hasUnsettledJobs,
  listOpenRecalls,
  settleJobs,
} from '../../src/db/store/recalls/index.ts'
import { writeSums } from '../../src/db/sums/write.ts'
import { DispatchBackoff } from '../../src/server/drivers/dispatch-backoff.ts'
import { createEventHandler } from '../../src/server/events/handlers.ts'
import { Heartbeats } from '../../src/server/jobs/attempts/heartbeats.ts'
import { JobRecovery } from '../../src/server/jobs/attempts/recover.ts'
import { JobDispatcher } from '../../src/server/jobs/dispatch/dispatcher.ts'
import { viewJob } from '../../src/server/jobs/view.ts'
import { JobLab, RESULTS } from '../support/server/job-lab.ts'
import { RUNS_WHOLE } from '../support/whole.ts'

const HEARTBEAT_MS = 5_000
const HEAD = 100_000
const NONE = undefined

/** A run of a job whose line is lost; times in ms, places as parts of the time from claim to delivery. */
const courses = fc.record({
  runMs: fc.integer({ min: 100, max: 45_000 }),
  /** From the end of the run to the delivery: the attempt is given up 20 s after the last heartbeat. */
  gapMs: fc.constantFrom(12_000, 21_000, 26_000, 90_000, 500_000),
  /** Which part of the run its driver reports; 0 = not even the start. */
  seen: fc.constantFrom(0, 0.3, 0.8, 1),
  outcome: fc.constantFrom('completed', 'completed', 'completed', 'user'),
  /** An attempt before, which its device ended. */
  earlierMs: fc.option(fc.integer({ min: 100, max: 9_000 }), { nil: NONE }),
  maxSeconds: fc.constantFrom(0, 5, 10, 20, 60),
  maxAttempts: fc.constantFrom(2, 5),
  giveUp: fc.option(fc.double({ min: 0.01, max: 1.1, noNaN: true }), { nil: NONE }),
  calibrations: fc.array(fc.double({ min: 0, max: 1.2, noNaN: true }), { maxLength: 2 }),
  recall: fc.option(
    fc.record({
      ofReport: fc.nat({ max: 2 }),
      from: fc.double({ min: -0.2, max: 1, noNaN: true }),
      length: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
      declared: fc.double({ min: 0.3, max: 1.2, noNaN: true }),
    }),
    { nil: NONE },
  ),
  midnight: fc.double({ min: -0.1, max: 1.1, noNaN: true }),
  writesSums: fc.boolean(),
  restarts: fc.boolean(),
})
type Course = typeof courses extends fc.Arbitrary<infer C> ? C : never

/** What every reader sees of the job at the end, when its result arrives at its end or late. */
async function observe(course: Course, isLate: boolean) {
  const { runMs, gapMs, maxSeconds, earlierMs = 0, recall } = course
  const maxMs = maxSeconds * 1_000
  const leftMs = maxMs === 0 ? runMs : Math.max(1, maxMs - earlierMs)
  const timesOut = runMs > leftMs
  const executionMs = Math.min(runMs, leftMs)
  const end = HEAD + executionMs
  const span = executionMs + gapMs
  const place = (part: number) => HEAD + Math.round(part * span)

  await using lab = await JobLab.open({ maxAttempts: String(course.maxAttempts) })
  const { db, clock } = lab
  await clock.advance(Date.UTC(2026, 1, 1) - place(course.midnight) - clock.now())
  const begin = clock.now()
  const user = await lab.user(1_000)
  const qpu = await lab.qpu()
  const target = await lab.attach(qpu.driver)
  const tuner = await createDriver(db, 'test', {
    ...{ name: 'tuner', qpu: qpu.id, operation: 'calibrate', device: 'x', enabled: true, tokenHash: 'tuner' },
  })
  const other = await lab.attach((await lab.qpu()).driver)
  const serverOf = () => {
    const heartbeats = new Heartbeats(clock, lab.config.jobTimeout)
    const parts = { ...lab.dependencies(), heartbeats, backoff: new DispatchBackoff(clock) }
    const handle = createEventHandler({ context: lab.dependencies(), ...parts })
    return { handle, dispatcher: new JobDispatcher(parts), recovery: new JobRecovery(parts) }
  }
  let server = serverOf()
  const source = { ...target, name: 'north', operation: 'process' } as const
  const send = (type: string, payload: object) =>
    server.handle(source, { type, id: 'e', ts: '2026-01-31T09:00:00.000Z', payload })
  const until = async (ms: number) => clock.advance(Math.max(0, begin + ms - clock.now()))

  const quote: Quote = {
    ...{ basis: 'recent_jobs' as const, waitMs: 500, run: { from: 1_000, to: 20_000 } },
    start: { from: begin, to: begin + HEAD + 1_000 },
  }
  const giveUpMs = course.giveUp === NONE ? 0 : place(course.giveUp)
  const { id: job } = await lab.submit(user, qpu.id, 2, { maxMs, giveUpMs, quote })
  // Both have read the forecast, and learn from what ends.
  await db.read((tx) => lab.order.forecasts.of(tx, qpu.id))
  const result = (attempt: number, execution_ms: number, failure?: object) =>
    send('JobResult', {
      ...{ job, attempt, epoch: target.epoch, execution_ms },
      ...(failure ? { status: 'failed', error: failure } : { status: 'completed', results: RESULTS }),
      provenance: { device: { name: 'scheduler_a' }, driver: { version: '27.1.0' } },
    })
  const reports: string[] = []
  const calibrate = async () => {
    await lab.calibrate({ ...target, driver: tuner.id }, {})
    const sql = 'SELECT id FROM calibration_results ORDER BY seq DESC LIMIT 1'
    reports.push((await db.read((tx) => tx.one<{ id: string }>(sql)))?.id ?? '')
  }
  const settleAll = async () => {
    const due = await db.read((tx) => listOpenRecalls(tx).filter((each) => hasUnsettledJobs(tx, each)))
    for (const each of due) while (!(await db.write('refund', (tx) => settleJobs(tx, each)))) await 0
  }
  await until(1_000)
  await calibrate()
  let attempt = 1
  if (earlierMs > 0) {
    await until(HEAD - 60_000 - earlierMs)
    await server.dispatcher.dispatchOnce()
    await send('JobStarted', { job, attempt })
    await clock.advance(earlierMs)
    await result(attempt, earlierMs, { class: 'device', message: 'warm' })
    attempt = 2
  }
  const seenMs = Math.round(course.seen * executionMs)
  const failure = timesOut
    ? { class: 'user', message: 'timed out', error_code: 'timed_out' }
    : { class: 'user', message: 'no such gate' }
  const deliver = () =>
    result(attempt, executionMs, timesOut || course.outcome === 'user' ? failure : undefined)
  const restart = () => {
    server = serverOf()
  }
  const events: [at: number, run: () => unknown][] = [[HEAD, () => server.dispatcher.dispatchOnce()]]
  if (seenMs > 0) events.push([HEAD, () => send('JobStarted', { job, attempt })])
  events.push([isLate ? place(1) : end, deliver])
  for (const part of course.calibrations) events.push([place(part), calibrate])
  for (let at = 2_500; at < span * 1.3; at += 2_500)
    events.push([HEAD + at, () => server.recovery.recoverOnce()])
  for (let at = HEARTBEAT_MS; at < (isLate ? seenMs : executionMs); at += HEARTBEAT_MS)
    events.push([HEAD + at, () => send('JobHeartbeat', { job, attempt })])
  if (course.restarts) events.push([end + 1_000, restart])
  if (course.writesSums)
    events.push([
      end + 2_000,
      async () => {
        const { id } = await lab.submit(user, other.qpu)
        await server.dispatcher.dispatchOnce(new Set([other.qpu]))
        await lab.complete(id)
        await db.write('sums', writeSums)
      },
    ])
  if (recall)
    events.push([
      place(Math.max(recall.declared, recall.from + recall.length)),
      async () => {
        const [from, report] = [begin + place(recall.from), reports[recall.ofReport - 1]]
        const to = Math.max(from + 1, Math.min(clock.now(), from + Math.round(recall.length * span)))
        const subject = report === NONE ? { qpu: qpu.id, from, to } : { report }
        const reason = 'a bad fit'
        await db.write('recall', (tx) => declareRecall(tx, subject, { actor: 'superuser:test', reason }))
        await settleAll()
      },
    ])
  for (const [at, run] of events.toSorted(([one], [next]) => one - next)) {
    await until(at)
    await run()
  }
  await until(HEAD + 2 * span)
  await server.recovery.recoverOnce()
  await settleAll()

  const view = await viewJob(lab, lab.caller(user), job)
  const { timeline, updated, ...seen } = view
  const read = () =>
    db.read((tx) => {
      const usage = usageStatement(tx, {
        ...{ from: '2026-01', to: '2026-12', user: NONE, qpu: NONE, by: 'month,user,qpu', limit: 10 },
      })
      const days = utilizationStatement(tx, { qpus: [qpu.id], from: '2026-01-01' })
      const forecast = lab.order.forecasts.of(tx, qpu.id)
      return {
        usage: tx.all(`SELECT * FROM (${usage.sql}) every ORDER BY month, "qpuName"`, usage.params),
        utilization: tx.all(`${days.sql} ORDER BY 1, 2`, days.params),
        scores: ['2026-01', '2026-02'].map((month) => readQuoteScore(tx, qpu.id, month)),
        ticks: readJobTicks(tx, qpu.id, {
          from: toTimestamp(begin),
          to: toTimestamp(clock.now()),
          most: 1_000,
        }),
        charges: tx.all(
          `SELECT kind, source_id, delta_ms, CASE kind WHEN 'charge' THEN at END AS at
           FROM qpu_ledger WHERE source_id LIKE $job ORDER BY 1, 2`,
          { job: `${job}%` },
        ),
        notices: tx.all('SELECT title, description FROM notifications ORDER BY seq'),
        forecast: [forecast.recentMs, forecast.typicalMs],
        waits: JSON.stringify(forecast.waits),
      }
    })
  const readers = await read()
  await db.write('sums', writeSums)
  const { ticks: _, ...written } = await read()
  const { ticks: __, ...before } = readers
  expect(written).toEqual(before)
  const recentUse = await db.read((tx) => tx.all('SELECT minute, ms FROM recent_use ORDER BY minute'))
  const events_ = await db.read((tx) => tx.read(timelineOf(job)).map(({ event }) => event))
  expect(events_.filter((event) => event === 'completed' || event === 'failed')).toHaveLength(1)
  // Ids are random.
  const names = new Map(
    [job, user.id, qpu.id, other.qpu, target.driver, ...reports].map((id, at) => [id, `id${at}`]),
  )
  const text = JSON.stringify({ seen, readers, recentUse, balance: await lab.balance(user) }, null, 1)
  return [...names]
    .reduce((all, [id, name]) => all.replaceAll(id, name), text)
    .replace(/"recall": "[^"]*"/, '"recall": ""')
}

/** In `check:full` other courses each time, on both stores. */
const IS_FRESH = RUNS_WHOLE || process.env['SVC_TEST_STORE'] === 'postgres'

test('a result that arrives late leaves what the same result leaves in time', async () => {
  const seed = IS_FRESH ? Date.now() % 2 ** 31 : 20_261_128
  if (IS_FRESH) console.log(`late results: seed ${seed}`)
  await fc.assert(
    fc.asyncProperty(courses, async (course) => {
      expect(await observe(course, true)).toBe(await observe(course, false))
    }),
    { seed, numRuns: RUNS_WHOLE ? 250 : IS_FRESH ? 25 : 12, interruptAfterTimeLimit: 580_000 },
  )
}, 600_000)
