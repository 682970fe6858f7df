import { describe, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import fc from 'fast-check'
import { newId, silentLog } from '../../../src/base/index.ts'
import { checkInvariants, openDatabase, type ReadTx } from '../../../src/db/index.ts'
import {
  chargeOf,
  listLedger,
  postLedger,
  storedBytesOf,
  type User,
} from '../../../src/db/store/accounts/index.ts'
import { applyResult, claimJob, type DispatchTarget } from '../../../src/db/store/jobs/index.ts'
import { deleteJob } from '../../../src/db/store/jobs/transitions/delete.ts'
import { requeueLost } from '../../../src/db/store/jobs/transitions/retry.ts'
import { newerRunsSql } from '../../../src/db/sums/newer.ts'
import { writeSums } from '../../../src/db/sums/write.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { JobLab, RESULTS } from '../../support/server/job-lab.ts'
import { expectNewerAsInRows } from '../../support/sums/newer-sums.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const LARGE = { ...RESULTS, metadata: { text: 'x'.repeat(100_000) } }

/** A lab with one QPU, which runs one job after the other. */
class SumsLab implements AsyncDisposable {
  readonly lab: JobLab
  readonly #target: DispatchTarget
  readonly ended: string[] = []

  private constructor(lab: JobLab, target: DispatchTarget) {
    this.lab = lab
    this.#target = target
  }

  static async open(): Promise<SumsLab> {
    const lab = await JobLab.open()
    return new SumsLab(lab, await lab.attach((await lab.qpu()).driver))
  }

  /** Runs a job to its end, for 7 ms. */
  async run(user: User, end: 'completed' | 'large' | 'failed' | 'late'): Promise<string> {
    const { lab } = this
    const { id: job } = await lab.submit(user, this.#target.qpu)
    await lab.db.write('claim', (tx) => claimJob(tx, job, this.#target))
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
    await lab.db.write('end', (tx) =>
      applyResult(tx, { ...attempt, executionMs: 7, outcome }, { maxAttempts: 0 }),
    )
    this.ended.push(job)
    return job
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab[Symbol.asyncDispose]()
  }
}

const step = fc.oneof(
  fc.record({
    do: fc.constant('run' as const),
    user: fc.nat(1),
    end: fc.constantFrom('completed' as const, 'large' as const, 'failed' as const, 'late' as const),
  }),
  fc.record({ do: fc.constant('submit' as const), user: fc.nat(1) }),
  fc.record({ do: fc.constant('delete' as const), job: fc.nat(5) }),
  fc.record({ do: fc.constant('grant' as const), user: fc.nat(1) }),
  fc.record({ do: fc.constant('write' as const) }),
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
  else {
    const [job] = it.ended.splice(each.job, 1)
    if (job !== undefined) await lab.db.write('t', (tx) => deleteJob(tx, job))
  }
}

function grant({ db }: JobLab, { id: user }: User): Promise<boolean> {
  const act = { user, kind: 'admin', sourceId: newId(Date.now()), deltaMs: 1_000 } as const
  return db.write('t', (tx) => postLedger(tx, act))
}

test('what is newer than the sums follows from the rows of jobs after every step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      await using it = await SumsLab.open()
      const users = [await it.lab.user(), await it.lab.user()] as const
      for (const each of steps) {
        await apply(it, each, users)
        await expectNewerAsInRows(it.lab.db)
      }
    }),
    { numRuns: 8 },
  )
}, 300_000)

/** All that is read of sums, by a transaction that reads. */
const sumsOf = (tx: ReadTx, users: readonly User[], job: string) => ({
  bytes: users.map(({ id }) => storedBytesOf(tx, id)()),
  ledger: users.map(({ id: user }) => listLedger(tx, { user, before: Number.MAX_SAFE_INTEGER, limit: 100 })),
  page: users.map(({ id: user }) => listLedger(tx, { user, before: 4, limit: 2 })),
  charge: chargeOf(tx, job)(),
})

/** What a kill leaves of a folder in use: its log is not emptied. */
function copyOf(dir: string) {
  const folder = temporaryFolder()
  for (const name of ['svc.db', 'svc.db-wal']) cpSync(`${dir}/${name}`, `${folder.path}/${name}`)
  return folder
}

describe('the sums', () => {
  test('are read in full before they are written, and are the same afterwards', async () => {
    await using it = await SumsLab.open()
    const { lab } = it
    const users = [await lab.user(), await lab.user()] as const
    for (let at = 0; at < 3; at += 1) await it.run(users[at % 2] as User, 'completed')
    const job = await it.run(users[1], 'large')
    const rows = (tx: ReadTx) =>
      tx.one<{ rows: number }>("SELECT count(*) AS rows FROM qpu_ledger WHERE kind = 'charge'")?.rows
    expect(await lab.db.read(rows)).toBe(0)
    const before = await lab.db.read((tx) => sumsOf(tx, users, job))
    expect(before.ledger.map((entries) => entries.map(({ deltaMs }) => deltaMs))).toEqual([
      [-7, -7, 100_000],
      [-7, -7, 100_000],
    ])
    expect(await lab.db.write('t', (tx) => sumsOf(tx, users, job))).toEqual(before)
    await lab.db.write('t', writeSums)
    expect(await lab.db.read(rows)).toBe(4)
    expect(await lab.db.read((tx) => sumsOf(tx, users, job))).toEqual(before)
  })

  test.skipIf(onlySqlite('its file'))('are completed by the next start after a kill, once', async () => {
    await using it = await SumsLab.open()
    const { lab } = it
    const user = await lab.user()
    await it.run(user, 'completed')
    await lab.db.write('t', writeSums)
    const job = await it.run(user, 'large')
    await lab.submit(user)
    const before = await lab.db.read((tx) => sumsOf(tx, [user], job))
    using killed = copyOf(lab.dir)
    for (let start = 0; start < 2; start += 1) {
      const db = await openDatabase({ dir: killed.path, clock: lab.clock, log: silentLog })
      expect(await db.read((tx) => tx.all(newerRunsSql(tx.dialect)))).toEqual([])
      expect(await db.read((tx) => sumsOf(tx, [user], job))).toEqual(before)
      expect(await db.read((tx) => checkInvariants(tx))).toEqual([])
      await db.close()
    }
  })

  test('are written at most once a second, and only when enough has changed', async () => {
    await using it = await SumsLab.open()
    const { lab } = it
    const user = await lab.user()
    const written = () =>
      lab.db.read((tx) => tx.one<{ written: number }>('SELECT written FROM sums_watermark')?.written)
    const after = async (jobs: number) => {
      for (let job = 0; job < jobs; job += 1) await it.run(user, 'completed')
      return written()
    }
    expect(await after(10)).toBe(0)
    const first = await after(10)
    expect(first).toBeGreaterThan(0)
    // 20 more jobs within the second, and one after it.
    expect(await after(20)).toBe(first)
    lab.clock.jump(1_000)
    const second = await after(1)
    expect(second).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY)
    lab.clock.jump(60_000)
    expect(await after(1)).toBe(second)
  })

  test('of a failed job, and of one that ends after the clock was set back, are written at once', async () => {
    await using it = await SumsLab.open()
    const { lab } = it
    const user = await lab.user()
    const newer = async () => (await lab.db.read((tx) => tx.all(newerRunsSql(tx.dialect)))).length
    await it.run(user, 'failed')
    await it.run(user, 'completed')
    expect(await newer()).toBe(1)
    await it.run(user, 'late')
    expect(await newer()).toBe(2)
    lab.clock.jump(-60_000)
    await it.run(user, 'completed')
    expect(await newer()).toBe(0)
    lab.clock.jump(120_000)
    await it.run(user, 'completed')
    expect(await newer()).toBe(1)
  })
})
