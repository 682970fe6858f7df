import { describe, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import fc from 'fast-check'
import { newId, silentLog, toTimestamp } from '../../../src/base/index.ts'
import { checkInvariants, type Database, openDatabase, type ReadTx } from '../../../src/db/index.ts'
import { postLedger, type User, usageStatement } from '../../../src/db/store/accounts/index.ts'
import { listRecentUse } from '../../../src/db/store/accounts/recent-use-rows.ts'
import { type DispatchTarget, readQuoteScore } from '../../../src/db/store/jobs/index.ts'
import { deleteJob } from '../../../src/db/store/jobs/transitions/delete.ts'
import { requeueLost } from '../../../src/db/store/jobs/transitions/retry.ts'
import { newerScores } from '../../../src/db/sums/newer.ts'
import { writeSums } from '../../../src/db/sums/write.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { claimNow, endNow, JobLab, RESULTS } from '../../support/server/job-lab.ts'
import { readCharges } from '../../support/sums/charges.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const LARGE = { ...RESULTS, metadata: { text: 'x'.repeat(100_000) } }
const ENDS = ['completed', 'large', 'failed', 'late', 'quoted'] as const

/** A lab with one QPU, which runs one job after the other, and what its sums must be. */
class SumsLab implements AsyncDisposable {
  readonly lab: JobLab
  readonly #target: DispatchTarget
  /** Ended jobs that are stored, and all that have run, by id. */
  readonly ended: string[] = []
  readonly #charges = new Map<string, number>()
  /** Right estimates of the run, of all that were made, by month. */
  readonly #scores = new Map<string, { right: number; all: number }>()

  private constructor(lab: JobLab, target: DispatchTarget) {
    this.lab = lab
    this.#target = target
  }

  static async open(): Promise<SumsLab> {
    const lab = await JobLab.open()
    return new SumsLab(lab, await lab.attach((await lab.qpu()).driver))
  }

  /** Runs a job to its end, for 7 ms. */
  async run(user: User, end: (typeof ENDS)[number]): Promise<string> {
    const { lab } = this
    const { id: job } = await lab.submit(user, this.#target.qpu)
    if (end === 'quoted') await this.#quote(job)
    await lab.db.write('claim', (tx) => claimNow(tx, job, this.#target))
    lab.clock.jump(7)
    const attempt = { job, attempt: 1, driver: this.#target.driver }
    if (end === 'late') {
      await lab.db.write('lose', (tx) =>
        requeueLost(tx, { ...attempt, reason: 'silence' }, { maxAttempts: 0 }),
      )
      lab.clock.jump(30_000)
    }
    const outcome =
      end === 'failed'
        ? ({ kind: 'failed', class: 'user', results: { error: 'no' } } as const)
        : ({ kind: 'completed', results: end === 'large' ? LARGE : RESULTS } as const)
    await lab.db.write('end', (tx) => endNow(tx, { ...attempt, executionMs: 7, outcome }, { maxAttempts: 0 }))
    this.ended.push(job)
    this.#charges.set(job, user.unlimited ? 0 : -7)
    if (end === 'quoted') {
      const month = toTimestamp(lab.clock.now()).slice(0, 'YYYY-MM'.length)
      const { right, all } = this.#scores.get(month) ?? { right: 0, all: 0 }
      this.#scores.set(month, { right: right + (all % 2), all: all + 1 })
    }
    return job
  }

  /** Every second estimate is right. */
  async #quote(job: string): Promise<void> {
    const month = toTimestamp(this.lab.clock.now()).slice(0, 'YYYY-MM'.length)
    const isRight = (this.#scores.get(month)?.all ?? 0) % 2 === 1
    await this.lab.db.write('quote', (tx) =>
      tx.run(
        "UPDATE quantum_jobs SET quote_basis = 'program', quote_run_from = $from, quote_run_to = 9 WHERE id = $job",
        { job, from: isRight ? 6 : 8 },
      ),
    )
  }

  /** Fails unless each sum is what a full count gives: in `db`, as its readers see it. */
  async expectCounted(db: Database = this.lab.db): Promise<void> {
    const { qpu } = this.#target
    await db.read((tx) => {
      const charges = new Map(readCharges(tx).map(({ source_id, delta_ms }) => [source_id, delta_ms]))
      expect(charges).toEqual(this.#charges)
      expect(usageOf(tx)).toEqual(
        tx.all(`SELECT substr(at, 1, 7) AS month, "user", qpu, count(*) AS jobs, sum(used_ms) AS "usedMs",
            0 - sum(delta_ms) AS "chargedMs" FROM qpu_ledger WHERE kind = 'charge' GROUP BY 1, 2, 3
          ORDER BY 1 DESC, 2, 3`),
      )
      expect(new Set(listRecentUse(tx, 0, Number.MAX_SAFE_INTEGER))).toEqual(
        new Set(
          tx.all(`SELECT ${tx.dialect.unixSeconds('at')} / 60 AS minute, "user", sum(used_ms) AS ms FROM qpu_ledger
          WHERE kind = 'charge' GROUP BY 1, 2`),
        ),
      )
      for (const [month, { right, all }] of this.#scores) {
        const { run_quoted, run_right, run_ms } = readQuoteScore(tx, qpu, month)
        expect({ run_quoted, run_right, run_ms }).toEqual({
          run_quoted: all,
          run_right: right,
          run_ms: 7 * all,
        })
      }
      expect(checkInvariants(tx)).toEqual([])
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab[Symbol.asyncDispose]()
  }
}

function usageOf(tx: ReadTx): object[] {
  const every = {
    from: '',
    to: '9',
    user: undefined,
    qpu: undefined,
    by: 'month,user,qpu',
    limit: 100,
  } as const
  const { sql, params } = usageStatement(tx, every)
  return tx
    .all<Record<string, unknown>>(sql, params)
    .map(({ month, user, qpu, jobs, usedMs, chargedMs }) => ({ month, user, qpu, jobs, usedMs, chargedMs }))
}

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('run' as const), user: fc.nat(1), end: fc.constantFrom(...ENDS) }),
  },
  fc.record({ do: fc.constant('submit' as const), user: fc.nat(1) }),
  fc.record({ do: fc.constant('delete' as const), job: fc.nat(5) }),
  fc.record({ do: fc.constant('grant' as const), user: fc.nat(1) }),
  fc.record({ do: fc.constant('write' as const) }),
  fc.record({ do: fc.constant('kill' as const) }),
  // The clock of a machine may be set back.
  fc.record({ do: fc.constant('clock' as const), ms: fc.integer({ min: -5_000, max: 5_000 }) }),
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function apply(it: SumsLab, each: Step, users: readonly [User, User]): Promise<void> {
  const { lab } = it
  if (each.do === 'run') await it.run(users[each.user as 0 | 1], each.end)
  else if (each.do === 'submit') await lab.submit(users[each.user as 0 | 1])
  else if (each.do === 'clock') lab.clock.jump(each.ms)
  else if (each.do === 'write') await lab.db.write('t', writeSums)
  else if (each.do === 'grant') await grant(lab, users[each.user as 0 | 1])
  else if (each.do === 'kill') await afterKill(it)
  else {
    const [job] = it.ended.splice(each.job, 1)
    if (job !== undefined) await lab.db.write('t', (tx) => deleteJob(tx, job))
  }
}

function grant({ db }: JobLab, { id: user }: User): Promise<boolean> {
  const act = { user, kind: 'admin', sourceId: newId(Date.now()), deltaMs: 1_000 } as const
  return db.write('t', (tx) => postLedger(tx, act))
}

/** What the next start makes of what a kill leaves of a folder in use: its log is not emptied. */
async function afterKill(it: SumsLab): Promise<void> {
  if (onlySqlite('its file')) return
  const { lab } = it
  using folder = temporaryFolder()
  for (const name of ['svc.db', 'svc.db-wal']) cpSync(`${lab.dir}/${name}`, `${folder.path}/${name}`)
  for (let start = 0; start < 2; start += 1) {
    const db = await openDatabase({ dir: folder.path, clock: lab.clock, log: silentLog })
    await it.expectCounted(db)
    const newer = await db.read((tx) => tx.one<{ rows: number }>(NEWER)?.rows)
    expect(newer).toBe(0)
    await db.close()
  }
}

const NEWER = `SELECT count(*) AS rows FROM qpu_ledger
  WHERE kind = 'charge' AND rowid > (SELECT position FROM sums_watermark)`

test('each sum is what a full count gives after every step, kills included', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await using it = await SumsLab.open()
      const users = [await it.lab.user(), await it.lab.user()] as const
      for (const each of steps) {
        await apply(it, each, users)
        await it.expectCounted()
      }
    }),
    { numRuns: 8 },
  )
}, 300_000)

describe('the sums', () => {
  test('are complete for readers before they are written, and are the same afterwards', async () => {
    await using it = await SumsLab.open()
    const { lab } = it
    for (const end of ENDS) await it.run(await lab.user(), end)
    const newer = () => lab.db.read((tx) => tx.one<{ rows: number }>(NEWER)?.rows)
    expect(await newer()).toBe(ENDS.length)
    await it.expectCounted()
    await lab.db.write('t', writeSums)
    expect(await newer()).toBe(0)
    await it.expectCounted()
  })

  test('are written by the commit, at most once a second, and only when enough is newer', async () => {
    await using it = await SumsLab.open()
    const { lab } = it
    const user = await lab.user()
    const newer = () => lab.db.read((tx) => tx.one<{ rows: number }>(NEWER)?.rows)
    const after = async (jobs: number, ms: number) => {
      for (let job = 0; job < jobs; job += 1) await it.run(user, 'completed')
      await lab.clock.advance(ms)
      await lab.submit(user)
      return newer()
    }
    // With the balance that the user began with, 31 entries of the ledger.
    expect(await after(30, 1_000)).toBe(30)
    expect(await after(1, 0)).toBe(31)
    expect(await after(0, 1_000)).toBe(0)
    expect(await after(40, 0)).toBe(40)
    expect(await after(0, 1_000)).toBe(0)
    await it.expectCounted()
  })
})

test.skipIf(onlySqlite('its plans'))(
  'what is newer is found by its position, whatever is asked of it',
  async () => {
    await using it = await SumsLab.open()
    const [user, qpu] = ['ada', 'north']
    const plans = await it.lab.db.read((tx) => {
      const all = { from: '', to: '9', by: 'month,user,qpu', limit: 9 } as const
      const asked = [
        { user, qpu: undefined },
        { user: undefined, qpu },
        { user: undefined, qpu: undefined },
      ]
      const statements = asked.map((each) => usageStatement(tx, { ...all, ...each }))
      const scores = {
        sql: `SELECT * FROM ${newerScores(tx.dialect)} score WHERE qpu = $qpu`,
        params: { qpu },
      }
      return [...statements, scores].map(({ sql, params }) =>
        tx.explain(sql, params).filter((step) => step.includes(' entry ')),
      )
    })
    for (const [step] of plans) expect(step).toMatch(/^SEARCH entry USING .*rowid>\?\)$/)
  },
)

test('a job of an unlimited user has a charge of 0, and its use counts', async () => {
  await using it = await SumsLab.open()
  const { id, ...user } = await it.lab.user()
  await it.lab.db.write('t', (tx) => {
    tx.run('UPDATE users SET unlimited = 1, qpu_ms = 0')
    tx.run('DELETE FROM qpu_ledger')
  })
  await it.run({ ...user, id, unlimited: true }, 'completed')
  await it.expectCounted()
  expect(await it.lab.db.read(usageOf)).toMatchObject([{ user: id, jobs: 1, usedMs: 7, chargedMs: 0 }])
})
