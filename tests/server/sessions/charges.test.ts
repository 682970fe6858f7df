import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromTimestamp } from '../../../src/base/index.ts'
import { holdJob, requeueJob, requeueLost } from '../../../src/db/store/jobs/index.ts'
import { declareRecall, listOpenRecalls, settleJobs } from '../../../src/db/store/recalls/index.ts'
import { closeSession, type HeldSession, resumeSessions } from '../../../src/db/store/sessions/index.ts'
import { endNow, RESULTS } from '../../support/server/job-lab.ts'
import { SessionLab } from '../../support/sessions/session-lab.ts'
import { part } from '../../support/whole.ts'

const LIMITS = { maxAttempts: 0 }
const BY = { actor: 'superuser:test', reason: 'a bad fit' }

/** The attempt that a driver runs, with the time at which it began. */
interface Run {
  job: string
  attempt: number
  driver: string
  since: number
}

/** The attempt that runs; undefined without one. */
function running({ lab }: SessionLab): Promise<Run | undefined> {
  return lab.db.read((tx) => {
    const row = tx.one<Omit<Run, 'since'> & { at: string }>(
      "SELECT id AS job, attempt, driver, claimed_at AS at FROM quantum_jobs WHERE status = 'running'",
    )
    return (
      row && { job: row.job, attempt: row.attempt, driver: row.driver, since: fromTimestamp(row.at) ?? 0 }
    )
  })
}

async function runOf(lab: SessionLab): Promise<Run> {
  const run = await running(lab)
  if (!run) throw new Error('no job runs')
  return run
}

/** The result of a run that took so long, whether it arrives in time or late. */
function deliver({ lab }: SessionLab, { since: _, ...run }: Run, executionMs: number, silentMs = 0) {
  const outcome = { kind: 'completed', results: RESULTS } as const
  const result = { ...run, executionMs, silentMs, outcome }
  return lab.db.write('result', (tx) => endNow(tx, result, LIMITS))
}

/** The driver of a run is lost: its result may arrive later. */
function lose({ lab }: SessionLab, { since: _, ...run }: Run, silentMs = 0) {
  const lost = { ...run, reason: 'silence', silentMs, mayDeliver: true }
  return lab.db.write('lose', (tx) => requeueLost(tx, lost, LIMITS))
}

function close({ lab }: SessionLab, { session }: HeldSession) {
  return lab.db.write('end', (tx) => closeSession(tx, session.id, { end: 'ended', rate: 1 }))
}

/** An exclusive session of ada with a job that has run for 10 s and whose driver is lost then. */
async function openLost() {
  const lab = await SessionLab.open()
  const held = await lab.start(lab.ada, { idleSeconds: 600 })
  await lab.pass()
  await lab.lab.submit(lab.ada)
  await lab.pass()
  const run = await runOf(lab)
  await lab.pass(10)
  await lab.lab.setQpu(lab.qpu.id, { maintenance: true })
  await lose(lab, run)
  await lab.pass()
  expect(await lab.stateOf(held)).toBe('paused maintenance')
  return { lab, held, run, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() }
}

test('a result that arrives after its session was paused and activated again is paid by the session', async () => {
  await using it = await openLost()
  const { lab, held, run } = it
  await lab.pass(5)
  await lab.lab.db.write('hold', (tx) => tx.run('UPDATE quantum_jobs SET held = 1'))
  await lab.lab.setQpu(lab.qpu.id, { maintenance: false })
  await lab.pass()
  expect(await lab.stateOf(held)).toBe('active')
  await lab.pass(3)
  // It ran for 12 s: 10 in the first stretch, 2 while the session was paused.
  await deliver(lab, run, 12_000)
  expect(await lab.paid(lab.ada)).toBe(10_000 + 2_000)
  await close(lab, held)
  expect(await lab.paid(lab.ada)).toBe(10_000 + 2_000 + 3_000)
})

test('the late result of an attempt before the session that is open is paid by both, each for its time', async () => {
  await using it = await openLost()
  const { lab, held, run } = it
  await close(lab, held)
  await lab.pass(5)
  await lab.lab.db.write('hold', (tx) => tx.run('UPDATE quantum_jobs SET held = 1'))
  const next = await lab.start(lab.ada, { idleSeconds: 600 })
  await lab.lab.setQpu(lab.qpu.id, { maintenance: false })
  await lab.pass()
  expect(await lab.stateOf(next)).toBe('active')
  await lab.pass(4)
  // It ran without a break until now: 10 s in the first session, 5 s in none, 4 s in the second.
  await deliver(lab, run, 19_000)
  expect(await lab.paid(lab.ada)).toBe(15_000)
  await close(lab, next)
  expect(await lab.paid(lab.ada)).toBe(19_000)
})

test('a recall refunds what a job was charged, and nothing of the session that paid the rest', async () => {
  await using it = await openLost()
  const { lab, held, run } = it
  await lab.pass(2)
  await deliver(lab, run, 12_000)
  expect(await lab.paid(lab.ada)).toBe(12_000)
  const { db, clock } = lab.lab
  await clock.advance(10)
  await db.write('recall', (tx) =>
    declareRecall(tx, { qpu: lab.qpu.id, from: run.since, to: clock.now() }, BY),
  )
  for (const recall of await db.read(listOpenRecalls))
    while (!(await db.write('refund', (tx) => settleJobs(tx, recall)))) await 0
  expect(await lab.paid(lab.ada)).toBe(10_000)
  await close(lab, held)
})

const ACTS = [
  ...([
    'start',
    'start',
    'batch',
    'end',
    'submit',
    'submit',
    'submit',
    'foreign',
    'kill',
    'close',
    'close',
  ] as const),
  ...(['complete', 'complete', 'lose', 'lose', 'lose', 'deliver', 'deliver', 'deliver', 'requeue'] as const),
]

const steps = fc.array(
  fc.record({
    act: fc.constantFrom(...ACTS),
    ms: fc.integer({ min: 0, max: 20_000 }),
    part: fc.double({ min: 0.05, max: 1, noNaN: true }),
  }),
  { minLength: 20, maxLength: 40 },
)
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never

/** A history of sessions, jobs and faults on one QPU. */
class History {
  readonly lab: SessionLab
  kills = 0
  #lost: Run[] = []
  #held: HeldSession | undefined

  constructor(lab: SessionLab) {
    this.lab = lab
  }

  async step(step: Step): Promise<void> {
    await this.#act(step)
    // The clock of sessions may be late.
    if (step.ms % 2 === 0) await this.lab.lab.clock.advance(step.ms)
    else await this.lab.pass(step.ms / 1_000)
  }

  async #act({ act, ms, part }: Step): Promise<void> {
    const { lab } = this
    const { db } = lab.lab
    if (act === 'submit') await lab.lab.submit(lab.ada)
    else if (act === 'foreign') await lab.lab.submit(lab.bob)
    else if (act === 'start' || act === 'batch') await this.#start(act, ms, part)
    else if (act === 'end') await this.end()
    else if (act === 'close') await this.#toggle()
    else if (act === 'kill') {
      await lab.pass()
      await db.write('resume', resumeSessions)
      this.kills += 1
    } else await this.#endRun(act, part)
  }

  async #start(act: 'start' | 'batch', ms: number, part: number): Promise<void> {
    const mode = act === 'batch' ? 'batch' : 'exclusive'
    const wanted = { mode, seconds: 20 + Math.round(200 * part), idleSeconds: 1 + (ms % 60) } as const
    this.#held = (await this.lab.start(this.lab.ada, wanted).catch(() => undefined)) ?? this.#held
  }

  async #toggle(): Promise<void> {
    const { lab, qpu } = this.lab
    const row = await lab.db.read((tx) => tx.one<{ maintenance: number }>('SELECT maintenance FROM qpus'))
    await lab.setQpu(qpu.id, { maintenance: !row?.maintenance })
  }

  async #endRun(act: Step['act'], part: number): Promise<void> {
    const { lab } = this
    const { db, clock } = lab.lab
    const run = act === 'deliver' ? this.#lost.shift() : await running(lab)
    if (!run) return
    const ranMs = clock.now() - run.since
    if (act === 'complete') await deliver(lab, run, ranMs * part)
    else if (act === 'deliver') await deliver(lab, run, ranMs * part, Number.POSITIVE_INFINITY)
    else if (act === 'requeue') await db.write('requeue', (tx) => requeueJob(tx, { job: run.job, ...BY }))
    else if (act === 'lose') {
      await lose(lab, run, Math.round(ranMs * (1 - part)))
      // Held, so that no other attempt makes its result stale.
      await db.write('hold', (tx) => holdJob(tx, { job: run.job, ...BY }))
      this.#lost.push(run)
    }
  }

  /** What ada's jobs are charged, and what they should be: their time outside of what sessions paid. */
  async compare(): Promise<{ charged: number; due: number }[]> {
    const { lab } = this
    const rows = await lab.lab.db.read((tx) => ({
      held: tx.all<{ at: string; ms: number }>(
        `SELECT at, used_ms AS ms FROM qpu_ledger WHERE kind = 'session'`,
      ),
      jobs: tx.all<{ at: string; seconds: number; charged: number }>(
        `SELECT finished_at AS at, duration AS seconds, 0 - delta_ms AS charged FROM quantum_jobs
         JOIN qpu_ledger ON kind = 'charge' AND source_id = quantum_jobs.id WHERE user_id = $user`,
        { user: lab.ada.id },
      ),
    }))
    const held = rows.held.map(({ at, ms }) => ({
      from: (fromTimestamp(at) ?? 0) - ms,
      to: fromTimestamp(at) ?? 0,
    }))
    for (const one of held)
      for (const other of held)
        expect(one === other || one.to <= other.from || other.to <= one.from).toBe(true)
    return rows.jobs.map(({ at, seconds, charged }) => {
      const to = fromTimestamp(at) ?? 0
      const ms = Math.round(seconds * 1_000)
      const paid = held.map((each) => Math.max(0, Math.min(to, each.to) - Math.max(to - ms, each.from)))
      return { charged, due: ms - paid.reduce((sum, each) => sum + each, 0) }
    })
  }

  async end(): Promise<void> {
    if (this.#held) await close(this.lab, this.#held)
  }
}

test('over random histories a job is charged for its time outside of what sessions pay, no more and no less', async () => {
  const keepsPromise = async (history: readonly Step[]) => {
    await using lab = await SessionLab.open(1e6)
    const course = new History(lab)
    for (const step of history) await course.step(step)
    await course.end()
    const jobs = await course.compare()
    // A kill loses the charge of at most a minute, in which jobs may have ended.
    const lost = jobs.reduce((sum, { charged, due }) => sum + due - charged, 0)
    for (const { charged, due } of jobs) expect(charged).toBeLessThanOrEqual(due)
    expect(lost).toBeLessThanOrEqual(60_000 * course.kills)
  }
  await fc.assert(fc.asyncProperty(steps, keepsPromise), { numRuns: part(1_000, 25) })
}, 600_000)
