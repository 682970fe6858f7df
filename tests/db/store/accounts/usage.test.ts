import { describe, expect, test } from 'bun:test'
import { qpuUsage } from '../../../../src/db/schema/migrations/earlier/0004-qpu-usage.ts'
import {
  type Usage,
  type UsageQuery,
  usageStatement,
  users,
} from '../../../../src/db/store/accounts/index.ts'
import { writeSums } from '../../../../src/db/sums/write.ts'
import { onlySqlite } from '../../../support/postgres/only-sqlite.ts'
import { claimNow, endNow, JobLab, RESULTS } from '../../../support/server/job-lab.ts'

const EVERYTHING = {
  from: '2000-01',
  to: '2999-12',
  user: undefined,
  qpu: undefined,
  skip: 0,
  limit: 1_000,
  by: 'month,user,qpu' as const,
}

const usage = (lab: JobLab, query: Partial<UsageQuery> = {}) =>
  lab.db.read((tx) => {
    const { sql, params } = usageStatement(tx, { ...EVERYTHING, ...query })
    return tx.all<Usage>(sql, params)
  })

/** A lab with two QPUs, and a function that runs a job on one of them. */
async function openLab() {
  const lab = await JobLab.open()
  const targets = [
    await lab.attach((await lab.qpu()).driver),
    await lab.attach((await lab.qpu()).driver),
  ] as const
  const run = async (user: Awaited<ReturnType<JobLab['user']>>, on: 0 | 1, executionMs: number) => {
    const { driver, qpu, epoch } = targets[on]
    const { id: job } = await lab.submit(user, qpu)
    await lab.db.write('claim', (tx) => claimNow(tx, job, { driver, qpu, epoch }))
    await lab.clock.advance(executionMs)
    const outcome = { kind: 'completed', results: RESULTS } as const
    await lab.db.write('end', (tx) =>
      endNow(tx, { job, attempt: 1, driver, executionMs, outcome }, { maxAttempts: 0 }),
    )
    return job
  }
  return { lab, run, qpus: [targets[0].qpu, targets[1].qpu] as const }
}

describe('usageStatement()', () => {
  test('adds up the jobs of a user, a QPU and a month', async () => {
    const { lab, run, qpus } = await openLab()
    await using _ = lab
    const [one, other] = [await lab.user(), await lab.user()]
    await lab.clock.advance(Date.UTC(2026, 0, 31, 23, 59) - lab.clock.now())
    await run(one, 0, 1_500)
    await run(one, 0, 500)
    await run(one, 1, 10)
    await run(other, 0, 20)
    await lab.clock.advance(60_000)
    await run(one, 0, 7)
    const rows = (await usage(lab)).map((row) => [row.month, row.user, row.qpu, row.jobs, row.usedMs])
    const expected = [
      ['2026-02', one.id, qpus[0], 1, 7],
      ['2026-01', one.id, qpus[0], 2, 2_000],
      ['2026-01', one.id, qpus[1], 1, 10],
      ['2026-01', other.id, qpus[0], 1, 20],
    ]
    expect(rows.toSorted()).toEqual(expected.toSorted())
    expect(rows.map(([month]) => month)).toEqual(['2026-02', '2026-01', '2026-01', '2026-01'])
    expect(await usage(lab, { user: other.id })).toMatchObject([{ usedMs: 20, chargedMs: 20 }])
    expect(await usage(lab, { qpu: qpus[1], from: '2026-01', to: '2026-01' })).toHaveLength(1)
    expect(await usage(lab, { to: '2025-12' })).toEqual([])
    const pages = [await usage(lab, { limit: 3 }), await usage(lab, { limit: 3, skip: 3 })]
    expect(pages.flat()).toEqual(await usage(lab))
  })

  test('lists the time of unlimited users, which is not charged', async () => {
    const { lab, run } = await openLab()
    await using _ = lab
    const user = await lab.user()
    await lab.db.write('t', (tx) => tx.update(users, user.id, { unlimited: true, username: 'superuser_x' }))
    await run(user, 0, 90)
    expect(await usage(lab)).toMatchObject([{ jobs: 1, usedMs: 90, chargedMs: 0, username: 'superuser_x' }])
  })
})

test.skipIf(onlySqlite('its file'))(
  'the migration adds up the jobs of an older database as the server would have done',
  async () => {
    const { lab, run } = await openLab()
    await using _ = lab
    const [one, other] = [await lab.user(), await lab.user()]
    await lab.db.write('t', (tx) => tx.update(users, other.id, { unlimited: true, username: 'superuser_x' }))
    for (const [user, qpu, ms] of [
      [other, 1, 8],
      [one, 0, 5],
      [one, 0, 6],
      [one, 1, 7],
    ] as const) {
      await run(user, qpu, ms)
    }
    const before = await usage(lab)
    expect(before).toHaveLength(3)
    await lab.db.write('migrate', (tx) => {
      writeSums(tx)
      tx.run('DELETE FROM qpu_usage')
      // In the older database, nobody was charged 0 and all attempts are in their table.
      tx.run('DELETE FROM qpu_ledger WHERE delta_ms = 0')
      tx.run(`INSERT INTO job_attempts (job, attempt, driver, qpu, epoch, state, claimed_at, started_at, ended_at)
      SELECT id, attempt, driver, qpu, epoch, 'ok', claimed_at, started_at, finished_at
      FROM quantum_jobs WHERE claimed_at <> ''`)
      for (const statement of qpuUsage.statements.slice(1)) tx.run(String(statement))
      tx.run('DELETE FROM job_attempts')
    })
    expect(await usage(lab)).toEqual(before)
  },
)
