import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ReadTx } from '../../../src/db/index.ts'
import { isSmall } from '../../../src/db/query/access-path.ts'
import { type OwnJobsFilter, planOwnJobs } from '../../../src/db/query/own-jobs.ts'
import { cancelJob, deleteJob, quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { JobLab } from '../../support/server/job-lab.ts'
import { part } from '../../support/whole.ts'

test("planOwnJobs() pages through a user's jobs, and knows which pages an index finds", async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  await lab.submit(await lab.user())
  const submitted: string[] = []
  for (let n = 0; n < 3; n += 1) submitted.push((await lab.submit(user)).id)
  const page = (skip: number, limit: number, sort: string) =>
    lab.db.read((tx) => {
      const { ids } = planOwnJobs(lab.db, user.id, { skip, limit, sort })
      return tx.all<{ id: string }>(ids.sql, ids.params).map(({ id }) => id)
    })
  expect(await page(0, 10, 'created')).toEqual(submitted)
  expect(await page(1, 1, '-created')).toEqual(submitted.slice(1, 2))
  expect(await page(0, 10, '-status')).toEqual(submitted.toReversed())
  const isIndexed = (skip: number, sort: string) =>
    planOwnJobs(lab.db, user.id, { skip, limit: 100, sort }).isIndexed
  expect([isIndexed(900, '-created'), isIndexed(901, '-created')]).toEqual([true, false])
  expect([isIndexed(0, 'created'), isIndexed(0, 'duration')]).toEqual([true, false])
  expect(() => planOwnJobs(lab.db, user.id, { skip: 0, limit: 1, sort: 'id; --' })).toThrow(TypeError)
})

/** Jobs of two users in all states, with tags and QPUs in turn. */
async function fill(lab: JobLab, users: readonly string[], count: number): Promise<void> {
  await lab.db.write('many', (tx) => {
    tx.run(
      `INSERT INTO job_provenance (id, hash, report, report_after, body)
       VALUES (1, 'a', 'first', 'first', ''), (2, 'b', 'first', 'second', ''), (3, 'c', 'third', 'third', '')`,
    )
    for (const [index, user] of users.entries()) {
      tx.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $count)
         INSERT INTO quantum_jobs (id, user_id, status, finished_at, qpu, qpu_target, tags, provenance, created, updated)
         SELECT printf('many%d%010d', $index, i), $user,
           CASE i % 3 WHEN 0 THEN 'completed' WHEN 1 THEN 'failed' ELSE 'cancelled' END, '2026-01-31',
           CASE i % 2 WHEN 0 THEN 'qpu_a' ELSE '' END, CASE i % 5 WHEN 0 THEN 'qpu_b' ELSE '' END,
           CASE i % 1000 WHEN 0 THEN '["rare"]' END,
           CASE WHEN i % 1000 = 0 THEN 1 WHEN i % 1500 = 0 THEN 2 ELSE 3 END, printf('2026-01-%02d', 1 + i % 28), '' FROM n`,
        { user, index, count },
      )
    }
  })
}

const FILTERS: OwnJobsFilter[] = [
  { status: ['completed', 'failed'] },
  { qpu: 'qpu_a' },
  { qpu: 'qpu_b' },
  { qpuTarget: 'qpu_b' },
  { createdFrom: '2026-01-03', createdTo: '2026-01-05' },
  { before: 'many00000000150' },
  { tag: 'rare' },
  { tag: 'rare', status: ['failed'], before: 'many00000009000' },
  {
    status: ['cancelled'],
    qpu: 'qpu_a',
    qpuTarget: 'qpu_b',
    createdFrom: '2026-01-02',
    before: 'many00000009000',
  },
]

test.skipIf(onlySqlite('its plans'))(
  'every filter reads one index of the user, in order, among many',
  async () => {
    const lab = await JobLab.open()
    const [user, other] = [await lab.user(), await lab.user()]
    await fill(lab, [user.id, other.id], part(100_000, 10_000))
    for (const filter of FILTERS) {
      await lab.db.read((tx) => {
        const { ids } = planOwnJobs(lab.db, user.id, { skip: 0, limit: 50, sort: '-created', filter })
        const steps = tx.explain(ids.sql, ids.params)
        const [jobs] = steps.filter((step) => /^(SEARCH|SCAN) (job|tagged) /.test(step))
        expect(jobs).toMatch(
          /^SEARCH (job USING INDEX quantum_jobs_user_id_(seq|status_seq) |tagged USING PRIMARY KEY)/,
        )
        expect(steps.filter((step) => /TEMP B-TREE|SCAN/.test(step))).toEqual([])
        const found = tx.all<{ id: string }>(ids.sql, ids.params).map(({ id }) => id)
        expect(found).toEqual(expected(tx, user.id, filter).slice(0, 50))
        expect(found.length).toBeGreaterThan(0)
      })
    }
    const isIndexed = (filter: OwnJobsFilter) =>
      planOwnJobs(lab.db, user.id, { skip: 0, limit: 50, sort: '-created', filter }).isIndexed
    const [before, tag] = ['many00000000150', 'rare']
    expect([{}, { before }, { tag }].map((filter) => isIndexed(filter))).toEqual([true, true, true])
    expect(
      [{ before, tag }, { status: ['failed'] }, { text: 'x' }].map((filter) => isIndexed(filter)),
    ).toEqual([false, true, false])
    const ofAll = (filter: OwnJobsFilter) =>
      planOwnJobs(lab.db, undefined, { skip: 0, limit: 50, sort: '-created', filter })
    const everybody = [{}, { status: ['failed'], before }, { status: ['completed'] }, { tag }].map(ofAll)
    expect(everybody.map((plan) => plan.isIndexed)).toEqual([true, true, false, false])
    // The jobs of a user who has few are all read at once, whatever the filter; those of everybody are not.
    const few = await lab.user()
    await lab.submit(few)
    const small = (of: string | undefined, sort = '-created') =>
      lab.db.read((tx) =>
        isSmall(tx, planOwnJobs(tx, of, { skip: 0, limit: 50, sort, filter: { text: 'x' } })),
      )
    expect([await small(few.id), await small(user.id), await small(undefined)]).toEqual([true, false, false])
    expect(await small(few.id, 'duration')).toBe(false)
    // Not with `await using`: jobs without history would break the invariants that the lab checks at its end.
    await lab.db.close()
  },
)

test.skipIf(onlySqlite('its plans'))('pages of any filters are those of a scan of all jobs', async () => {
  const lab = await JobLab.open()
  const [user, other] = [await lab.user(), await lab.user()]
  await fill(lab, [user.id, other.id], 3_000)
  const day = fc.integer({ min: 1, max: 28 }).map((at) => `2026-01-${String(at).padStart(2, '0')}`)
  const filters = fc.record(
    {
      status: fc.subarray(['pending', 'completed', 'failed', 'cancelled'], { minLength: 1 }),
      qpu: fc.constantFrom('qpu_a', 'qpu_b', 'nowhere'),
      qpuTarget: fc.constantFrom('qpu_b', 'qpu_a'),
      tag: fc.constantFrom('rare', 'rar'),
      before: fc.integer({ min: 0, max: 3_100 }).map((at) => `many0${String(at).padStart(10, '0')}`),
      createdFrom: day,
      createdTo: day,
    },
    { requiredKeys: [] },
  )
  const check = async (filter: OwnJobsFilter, skip: number, limit: number) =>
    lab.db.read((tx) => {
      const page = { skip, limit, sort: '-created', filter, isCounted: true }
      const { ids, count } = planOwnJobs(lab.db, user.id, page)
      const found = tx.all<{ id: string }>(ids.sql, ids.params).map(({ id }) => id)
      const all = expected(tx, user.id, filter)
      expect(found).toEqual(all.slice(skip, skip + limit))
      if (count) expect(tx.one<{ n: number }>(count.sql, count.params)?.n).toBe(all.length)
    })
  const limits = fc.integer({ min: 1, max: 200 })
  await fc.assert(fc.asyncProperty(filters, fc.nat(400), limits, check), { numRuns: part(400, 60) })
  await lab.db.close()
})

test.skipIf(onlySqlite('its plans'))(
  'the jobs of everybody with one status are all found, in order of submission',
  async () => {
    const lab = await JobLab.open()
    await fill(lab, [(await lab.user()).id, (await lab.user()).id], 500)
    for (const status of ['pending', 'running', 'completed', 'failed', 'cancelled']) {
      for (const more of [{}, { before: 'many10000000250' }, { tag: 'rare' }, { qpu: 'qpu_b' }]) {
        await lab.db.read((tx) => {
          const filter = { status: [status], ...more }
          const { ids } = planOwnJobs(lab.db, undefined, { skip: 3, limit: 40, sort: '-created', filter })
          const found = tx.all<{ id: string }>(ids.sql, ids.params).map(({ id }) => id)
          // Two statuses are compared row by row.
          const both = { ...filter, status: [status, status] }
          const all = planOwnJobs(lab.db, undefined, {
            skip: 0,
            limit: 1_000,
            sort: '-created',
            filter: both,
          }).ids
          expect(found).toEqual(
            tx
              .all<{ id: string }>(all.sql, all.params)
              .slice(3, 43)
              .map(({ id }) => id),
          )
        })
      }
    }
    await lab.db.close()
  },
)

/** The same by a scan of all jobs. */
function expected(tx: ReadTx, user: string, filter: OwnJobsFilter): string[] {
  return tx
    .all<Record<'id' | 'status' | 'qpu' | 'qpu_target' | 'tags' | 'created', string>>(
      'SELECT * FROM quantum_jobs WHERE +user_id = $user ORDER BY seq DESC',
      { user },
    )
    .filter(
      (job) =>
        (filter.status?.includes(job.status) ?? true) &&
        (filter.qpu === undefined || (job.qpu || job.qpu_target) === filter.qpu) &&
        (filter.qpuTarget === undefined || job.qpu_target === filter.qpuTarget) &&
        (filter.tag === undefined || (job.tags ?? '').includes(`"${filter.tag}"`)) &&
        (filter.before === undefined || job.id < filter.before) &&
        (filter.createdFrom === undefined || job.created >= filter.createdFrom) &&
        (filter.createdTo === undefined || job.created < filter.createdTo),
    )
    .map(({ id }) => id)
}

test.skipIf(onlySqlite('its plans'))(
  'the jobs of a calibration are found by what they ran with, before and after, whoever owns them',
  async () => {
    const lab = await JobLab.open()
    const [user, other] = [await lab.user(), await lab.user()]
    await fill(lab, [user.id, other.id], part(100_000, 10_000))
    const isOf = { first: [1, 2], second: [2], none: [] as number[] }
    for (const [calibration, ids] of Object.entries(isOf)) {
      for (const more of [{}, { status: ['failed'] }, { before: 'many00000006500' }, { tag: 'rare' }]) {
        for (const owner of [user.id, undefined]) {
          const filter = { ...more, calibration }
          const plan = planOwnJobs(lab.db, owner, {
            skip: 0,
            limit: 1_000,
            sort: '-created',
            filter,
            isCounted: true,
          })
          expect(plan.isIndexed).toBe(false)
          await lab.db.read((tx) => {
            const found = tx.all<{ id: string }>(plan.ids.sql, plan.ids.params).map(({ id }) => id)
            const all = planOwnJobs(lab.db, owner, {
              skip: 0,
              limit: 1_000_000,
              sort: '-created',
              filter: more,
            }).ids
            const expected = tx.all<{ id: string }>(all.sql, all.params).filter(({ id }) => {
              const of = tx.one<{ n: number }>('SELECT provenance AS n FROM quantum_jobs WHERE id = $id', {
                id,
              })
              return ids.includes(of?.n ?? 0)
            })
            expect(found).toEqual(expected.map(({ id }) => id))
            if (Object.keys(more).length === 0) expect(found.length > 0).toBe(ids.length > 0)
            expect(tx.one<{ n: number }>(plan.count?.sql ?? '', plan.count?.params)?.n).toBe(found.length)
            if ('tag' in more) return
            const steps = tx.explain(plan.ids.sql, plan.ids.params)
            expect(steps.join()).toContain('SEARCH job USING INDEX quantum_jobs_provenance (provenance=?')
            expect(steps.filter((step) => step.startsWith('SCAN job'))).toEqual([])
          })
        }
      }
    }
    await lab.db.close()
  },
)

test('the job to page from may have been deleted', async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  // Ids sort by their millisecond.
  const submitLater = async () => {
    await lab.clock.advance(2)
    return lab.submit(user)
  }
  const [first, second, third] = [await submitLater(), await submitLater(), await submitLater()]
  await lab.db.write('delete', (tx) => {
    tx.update(quantumJobs, second.id, { tags: ['a', 'b'] })
    expect(tx.all('SELECT entry FROM quantum_jobs_tags')).toEqual([{ entry: 'a' }, { entry: 'b' }])
    cancelJob(tx, second.id)
    deleteJob(tx, second.id)
  })
  const page = (before: string) =>
    lab.db.read((tx) => {
      const { ids } = planOwnJobs(lab.db, user.id, {
        skip: 0,
        limit: 9,
        sort: '-created',
        filter: { before },
      })
      return tx.all<{ id: string }>(ids.sql, ids.params).map(({ id }) => id)
    })
  expect(await page(second.id)).toEqual([first.id])
  expect(await lab.db.read((tx) => tx.all('SELECT entry FROM quantum_jobs_tags'))).toEqual([])
  expect(await page(third.id)).toEqual([first.id])
  expect(await page('000000000000000')).toEqual([])
})

test('each name finds itself, in upper and lower case of its letters, whatever they are', async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  const names = [
    'Übung 7',
    'ärger ÄRGER',
    'Straße',
    'ΟΔΟΣ',
    'İstanbul',
    'ǅungla',
    'дом Дом',
    '\u{10428}\u{10400}',
    '実験',
    'K',
  ]
  for (const name of names) await lab.submit(user, '', 2, { name, tags: [name] })
  const found = (text: string) =>
    lab.db.read((tx) => {
      const plan = planOwnJobs(lab.db, user.id, { skip: 0, limit: 99, sort: 'created', filter: { text } })
      const sql = `SELECT name FROM quantum_jobs WHERE id IN (SELECT id FROM (${plan.ids.sql}) found)`
      return tx.all<{ name: string }>(sql, plan.ids.params).map(({ name }) => name)
    })
  for (const name of names) expect([name, await found(name)]).toEqual([name, expect.arrayContaining([name])])
  for (const text of ['übung', 'ÜBUNG', 'Bung', 'STRAßE', 'ÄrGeR är', 'ДОМ ДОМ', 'istanbul'.slice(1), 'οδοσ'])
    expect([text, (await found(text)).length]).toEqual([text, 1])
  expect(await found('Ö')).toEqual([])
})

test('a text finds what has it in its name or in one tag, and nothing by the JSON of the tags', async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  const word = fc.string({
    unit: fc.constantFrom(...'[]",\\%_: aBéÉß5🎉'),
    minLength: 1,
    maxLength: 4,
  })
  const jobs: { name: string; tags: string[] }[] = []
  const tags = fc.uniqueArray(word, { maxLength: 3 })
  for (const each of fc.sample(fc.record({ name: word, tags }), 25)) {
    await lab.submit(user, '', 2, each)
    jobs.push(each)
  }
  const lower = (all: string) => Array.from(all, (letter) => letter.toLowerCase()).join('')
  const search = async (text: string) => {
    const found = await lab.db.read((tx) => {
      const { ids } = planOwnJobs(tx, user.id, { skip: 0, limit: 99, sort: 'created', filter: { text } })
      return tx.all<{ id: string }>(ids.sql, ids.params).map(({ id }) => tx.find(quantumJobs, id)?.name)
    })
    const has = ({ name, tags }: (typeof jobs)[number]) =>
      [name, ...tags].some((each) => lower(each).includes(lower(text)))
    expect([text, found]).toEqual([text, jobs.filter(has).map(({ name }) => name)])
  }
  await fc.assert(
    fc.asyncProperty(
      word.filter((text) => !/^[\da-b]+$/i.test(text)),
      search,
    ),
  )
})
