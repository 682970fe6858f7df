import { describe, expect, test } from 'bun:test'
import { toTimestamp } from '../../../../src/base/index.ts'
import type { Database, Tx } from '../../../../src/db/index.ts'
import { notifications, type Usage, usageStatement } from '../../../../src/db/store/accounts/index.ts'
import { calibrationResults } from '../../../../src/db/store/calibrations/index.ts'
import {
  declareRecall,
  hasUnsettledJobs,
  listOpenRecalls,
  type RecallSubject,
  recallOf,
  settleJobs,
  undoRecall,
} from '../../../../src/db/store/recalls/index.ts'
import { writeSums } from '../../../../src/db/sums/write.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { claimNow, JobLab } from '../../../support/server/job-lab.ts'
import { part } from '../../../support/whole.ts'

const ORDER = { actor: 'superuser:test', reason: 'a bad fit' }

/** Recalls with jobs to settle at this time. */
const dueRecalls = (db: Database) =>
  db.read((tx) => listOpenRecalls(tx).filter((recall) => hasUnsettledJobs(tx, recall)))

/** Runs the pass until no job is left at this time; the number of its transactions. */
async function refundAll(db: Database): Promise<number> {
  let steps = 0
  for (const recall of await dueRecalls(db)) {
    while (!(await db.write('refund', (tx) => settleJobs(tx, recall)))) steps += 1
    steps += 1
  }
  return steps
}

const refundsBy = (db: Database) =>
  db.read((tx) =>
    tx.all<{ job: string; ms: number; count: number }>(
      `SELECT substr(source_id, 1, length(source_id) - 7) AS job, sum(delta_ms) AS ms, count(*) AS count
       FROM qpu_ledger WHERE kind = 'refund' GROUP BY 1`,
    ),
  )

/** A generator with a seed, so that a failure can be repeated. */
function randomFrom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface Job {
  id: string
  qpu: string
  user: string
  status: 'completed' | 'failed'
  start: number
  end: number
  before: string
  after: string
  ms: number
}

const QPUS = ['qpu0', 'qpu1', 'qpu2']
const USERS = Array.from({ length: 7 }, (_, at) => `user${at}`)
/** Its jobs are not charged. */
const UNLIMITED = 'user0'

/** A random history of QPUs that run one job at a time, between calibrations. */
function history(jobs: number, from: number, random: (below: number) => number) {
  const reports: { id: string; qpu: string; at: number }[] = []
  const ran: Job[] = []
  for (const qpu of QPUS) {
    let now = from
    let report = ''
    for (let n = 0; n < jobs / QPUS.length; n += 1) {
      now += random(3) === 0 ? 0 : random(50)
      const start = now
      now += 1 + random(200)
      const before = report
      if (random(40) === 0) {
        report = `${qpu}report${reports.length}`
        // At times during the job, which then ends with another report than it began with.
        reports.push({ id: report, qpu, at: start + random(now - start) + 1 })
      }
      const id = `${qpu}job${String(n).padStart(8, '0')}`
      const status = random(10) === 0 ? 'failed' : 'completed'
      ran.push({
        ...{ id, qpu, status, start, end: now, before, after: report, ms: now - start },
        user: USERS[random(USERS.length)] ?? '',
      })
    }
  }
  return { reports, jobs: ran }
}

/** The numbers of what jobs ran with, by their reports before and after. */
function storeProvenance(tx: Tx, jobs: readonly Job[]): ReadonlyMap<string, number> {
  const known = new Map<string, number>()
  for (const { before, after } of jobs) {
    const key = `${before} ${after}`
    if (key === ' ' || known.has(key)) continue
    known.set(key, known.size + 1)
    tx.run(
      'INSERT INTO job_provenance (id, hash, report, report_after, body) VALUES ($id, $key, $before, $after, $body)',
      { id: known.size, key, before, after, body: '{}' },
    )
  }
  return known
}

async function store(db: Database, { reports, jobs }: ReturnType<typeof history>): Promise<void> {
  await db.write('history', (tx) => {
    for (const id of USERS)
      tx.run(
        `INSERT INTO users (id, email, unlimited, created, updated)
         VALUES ($id, $id || '@example.org', $unlimited, $at, $at)`,
        { id, unlimited: id === UNLIMITED ? 1 : 0, at: tx.at },
      )
    for (const { id, qpu, at } of reports)
      tx.run(
        `INSERT INTO calibration_results (id, driver, qpu, mode, status, started_at, finished_at, run_id, created, updated)
         VALUES ($id, '', $qpu, 'full', 'success', $at, $at, $id, $at, $at)`,
        { id, qpu, at: toTimestamp(at) },
      )
    const known = storeProvenance(tx, jobs)
    // The driver of one in 20 reported only the end.
    for (const [n, job] of jobs.entries())
      storeJob(tx, job, { isShort: n % 20 === 0, provenance: known.get(`${job.before} ${job.after}`) ?? 0 })
  })
}

function storeJob(tx: Tx, job: Job, { isShort, provenance }: { isShort: boolean; provenance: number }): void {
  const { id, user, status, qpu, ms } = job
  const [start, end] = [toTimestamp(job.start), toTimestamp(job.end)]
  tx.run(
    `INSERT INTO quantum_jobs (id, user_id, status, qpu, attempt, claimed_at, started_at, finished_at, provenance, created, updated)
     VALUES ($id, $user, $status, $qpu, 1, $claimed, $started, $end, $provenance, $start, $end)`,
    {
      ...{ id, user, status, qpu, start, end, provenance },
      claimed: status === 'completed' ? start : '',
      started: isShort ? '' : start,
    },
  )
  if (user !== UNLIMITED)
    tx.run(
      `INSERT INTO qpu_ledger ("user", kind, source_id, delta_ms, at)
       VALUES ($user, 'charge', $id, 0 - $ms, $end)`,
      { id, user, ms, end },
    )
}

/** What a recall touches, as its declaration says it. */
function touches(subject: RecallSubject, job: Job): boolean {
  if (job.status !== 'completed') return false
  if ('report' in subject) return [job.before, job.after].includes(subject.report)
  return job.qpu === subject.qpu && job.end >= subject.from && job.start <= subject.to
}

const JOBS = part(100_000, 3_000)

test(`marks and refunds of ${JOBS} jobs are those of the recalls in force, in each order of events`, async () => {
  await using lab = await openTestDatabase()
  const { db, clock } = lab
  const from = clock.now()
  const random = randomFrom(20_261_127)
  const past = history(JOBS, from, random)
  await store(db, past)
  const end = Math.max(...past.jobs.map((job) => job.end))
  await clock.advance(end - from + 1_000)

  const declared: { id: string; subject: RecallSubject; isUndone: boolean }[] = []
  const declare = async () => {
    const qpu = QPUS[random(QPUS.length)] ?? ''
    const start = from + random(end - from)
    const report = past.reports[random(past.reports.length)]?.id ?? ''
    const subject =
      random(2) === 0 ? { report } : { qpu, from: start, to: start + 1 + random((end - start) / 4) }
    await db
      .write('recall', (tx) => declareRecall(tx, subject, ORDER))
      .then(({ id }) => declared.push({ id, subject, isUndone: false }))
      // A report at most once at a time.
      .catch((error: unknown) => expect(error).toMatchObject({ reason: 'already_recalled' }))
  }
  for (let round = 0; round < 12; round += 1) {
    for (let n = random(4); n >= 0; n -= 1) await declare()
    const inForce = declared.filter(({ isUndone }) => !isUndone)
    const chosen = inForce[random(inForce.length * 2)]
    if (chosen) {
      await db.write('undo', (tx) => undoRecall(tx, chosen.id, ORDER))
      chosen.isUndone = true
    }
    // Some rounds interrupt the pass in the middle.
    if (round % 3 === 0) {
      const [first = ''] = await dueRecalls(db)
      await db.write('refund', (tx) => settleJobs(tx, first))
    } else await refundAll(db)
    await clock.advance(10)
  }
  await refundAll(db)

  const inForce = declared.filter(({ isUndone }) => !isUndone)
  const expected = past.jobs.filter((job) => inForce.some(({ subject }) => touches(subject, job)))
  expect(expected.length).toBeGreaterThan(JOBS / 20)
  const marked = await db.read((tx) =>
    past.jobs.filter(({ id }) => tx.read(recallOf(id))).map(({ id }) => id),
  )
  expect(marked).toEqual(expected.map(({ id }) => id))
  const charged = expected.filter(({ user }) => user !== UNLIMITED)
  const refunded = (await refundsBy(db)).filter(({ ms }) => ms !== 0)
  expect(Object.fromEntries(refunded.map(({ job, ms }) => [job, ms]))).toEqual(
    Object.fromEntries(charged.map(({ id, ms }) => [id, ms])),
  )
  const balances = await db.read((tx) =>
    tx.all<{ id: string; ms: number }>('SELECT id, qpu_ms AS ms FROM users'),
  )
  for (const { id, ms } of balances)
    expect([id, ms]).toEqual([
      id,
      charged.filter(({ user }) => user === id).reduce((sum, job) => sum + job.ms, 0),
    ])
}, 300_000)

describe('refunds', () => {
  async function calibrated(lab: JobLab) {
    const qpu = await lab.qpu()
    const target = await lab.attach(qpu.driver)
    const user = await lab.user()
    await lab.clock.advance(1_000)
    const at = toTimestamp(lab.clock.now())
    const row = {
      qpu: qpu.id,
      driver: '',
      mode: 'full',
      status: 'success',
      started_at: at,
      finished_at: at,
      run_id: 'run1',
    } as const
    const report = await lab.db.write('report', (tx) => tx.insert(calibrationResults, row))
    await lab.clock.advance(1_000)
    const run = async () => {
      const job = await lab.submit(user, qpu.id)
      await lab.db.write('claim', (tx) => claimNow(tx, job.id, target))
      await lab.clock.advance(10)
      await lab.complete(job.id)
      await lab.clock.advance(1_000)
      return job.id
    }
    return { qpu, user, report: report.id, run }
  }

  test('a job that ends after the declaration is marked and refunded, until a newer report is in force', async () => {
    await using lab = await JobLab.open()
    const { qpu, user, report, run } = await calibrated(lab)
    const first = await run()
    const charged = await lab.balance(user)
    const recall = await lab.db.write('recall', (tx) => declareRecall(tx, { report }, ORDER))
    await refundAll(lab.db)
    expect(await lab.balance(user)).toBe(charged + 10)
    const second = await run()
    await refundAll(lab.db)
    expect(await refundsBy(lab.db)).toEqual([
      { job: first, ms: 10, count: 1 },
      { job: second, ms: 10, count: 1 },
    ])
    const at = toTimestamp(lab.clock.now())
    const newer = {
      qpu: qpu.id,
      driver: '',
      mode: 'full',
      status: 'success',
      started_at: at,
      finished_at: at,
      run_id: 'run2',
    } as const
    await lab.db.write('report', (tx) => tx.insert(calibrationResults, newer))
    await lab.clock.advance(1_000)
    const third = await run()
    await refundAll(lab.db)
    expect(await lab.db.read((tx) => [second, third].map((job) => tx.read(recallOf(job))?.recall))).toEqual([
      recall.id,
      undefined,
    ])
    expect(await refundsBy(lab.db)).toHaveLength(2)
    expect(await dueRecalls(lab.db)).toEqual([])
  })

  test('the accounting is less what was refunded, in the month of the job, and the charge again when it is undone', async () => {
    await using lab = await JobLab.open()
    await lab.clock.advance(Date.UTC(2026, 0, 31, 23, 59, 50) - lab.clock.now())
    const { user, report, run } = await calibrated(lab)
    const usage = () =>
      lab.db.read((tx) => {
        const everything = { from: '2026-01', to: '2026-12', user: user.id, qpu: undefined, limit: 10 }
        const { sql, params } = usageStatement(tx, { ...everything, by: 'month' })
        return tx
          .all<Usage>(sql, params)
          .map(({ month, jobs, usedMs, chargedMs }) => [...[month, jobs, usedMs, chargedMs]])
      })
    await run()
    await lab.clock.advance(10_000)
    await run()
    expect(await usage()).toEqual([
      ['2026-02', 1, 10, 10],
      ['2026-01', 1, 10, 10],
    ])
    const recall = await lab.db.write('recall', (tx) => declareRecall(tx, { report }, ORDER))
    await refundAll(lab.db)
    const refunded = [
      ['2026-02', 1, 10, 0],
      ['2026-01', 1, 10, 0],
    ]
    expect(await usage()).toEqual(refunded)
    await lab.db.write('sums', writeSums)
    expect(await usage()).toEqual(refunded)
    await lab.db.write('undo', (tx) => undoRecall(tx, recall.id, ORDER))
    await refundAll(lab.db)
    expect(await usage()).toEqual([
      ['2026-02', 1, 10, 10],
      ['2026-01', 1, 10, 10],
    ])
  })

  test('owners are notified once of a recall, and once that it was withdrawn', async () => {
    await using lab = await JobLab.open()
    const { report, run } = await calibrated(lab)
    const before = await run()
    await run()
    const recall = await lab.db.write('recall', (tx) => declareRecall(tx, { report }, ORDER))
    await refundAll(lab.db)
    await refundAll(lab.db)
    const titles = () => lab.db.read((tx) => tx.list(notifications).map(({ title }) => title))
    expect(await titles()).toEqual(['Results were recalled'])
    await lab.db.write('undo', (tx) => undoRecall(tx, recall.id, ORDER))
    await refundAll(lab.db)
    expect((await titles()).toSorted()).toEqual([
      'A recall of results was withdrawn',
      'Results were recalled',
    ])
    expect((await refundsBy(lab.db)).find(({ job }) => job === before)).toEqual({
      job: before,
      ms: 0,
      count: 2,
    })
  })
})

describe('declareRecall()', () => {
  test('refuses what it cannot mean, with the reason', async () => {
    await using lab = await openTestDatabase({})
    const { db, clock } = lab
    const declare = (subject: RecallSubject) => db.write('recall', (tx) => declareRecall(tx, subject, ORDER))
    const now = clock.now()
    await expect(declare({ report: 'none' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(declare({ qpu: 'q', from: now, to: now })).rejects.toMatchObject({ code: 'invalid' })
    await expect(declare({ qpu: 'q', from: now, to: now + 1 })).rejects.toMatchObject({ code: 'invalid' })
    await declare({ qpu: 'q', from: now - 2, to: now })
    await expect(declare({ qpu: 'q', from: now - 2, to: now })).rejects.toMatchObject({
      reason: 'already_recalled',
    })
    await db.write('many', (tx) => {
      for (let n = 1; n < 1_000; n += 1) declareRecall(tx, { qpu: 'q', from: now - 2 - n, to: now }, ORDER)
    })
    await expect(declare({ qpu: 'q', from: now - 5_000, to: now })).rejects.toMatchObject({
      reason: 'too_many_recalls',
    })
  })
})
