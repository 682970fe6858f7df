import { expect, test } from 'bun:test'
import { planOwnJobs } from '../../../src/db/query/own-jobs.ts'
import { JobLab } from '../../support/server/job-lab.ts'

test("planOwnJobs() pages through a user's jobs, and knows which pages are costly", async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  await lab.submit(await lab.user())
  const submitted: string[] = []
  for (let n = 0; n < 3; n += 1) submitted.push((await lab.submit(user)).id)
  const page = (skip: number, limit: number, sort: string) =>
    lab.db.read((tx) => {
      const { ids } = planOwnJobs(user.id, { skip, limit, sort })
      return tx.all<{ id: string }>(ids.sql, ids.params).map(({ id }) => id)
    })
  expect(await page(0, 10, 'created')).toEqual(submitted)
  expect(await page(1, 1, '-created')).toEqual(submitted.slice(1, 2))
  expect(await page(0, 10, '-status')).toEqual(submitted.toReversed())
  const isCostly = (skip: number, sort: string) =>
    lab.db.read((tx) => planOwnJobs(user.id, { skip, limit: 100, sort }).isCostly(tx))
  expect([await isCostly(4_900, '-created'), await isCostly(4_901, '-created')]).toEqual([false, true])
  expect(await isCostly(0, 'duration')).toBe(false)
  await lab.db.write('many', (tx) =>
    tx.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       INSERT INTO quantum_jobs (id, user_id, status, created, updated)
       SELECT printf('many%011d', i), $user, 'completed', '', '' FROM n`,
      { user: user.id },
    ),
  )
  expect([await isCostly(0, 'duration'), await isCostly(0, 'created')]).toEqual([true, false])
  // Jobs without history would break the invariants that the lab checks at its end.
  await lab.db.write('few', (tx) => tx.run("DELETE FROM quantum_jobs WHERE id LIKE 'many%'"))
  expect(() => planOwnJobs(user.id, { skip: 0, limit: 1, sort: 'id; --' })).toThrow(TypeError)
})
