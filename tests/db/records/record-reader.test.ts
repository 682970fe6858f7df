import { expect, test } from 'bun:test'
import { createRecordReader } from '../../../src/db/records/record-reader.ts'
import { createPlans } from '../../../src/db/schema/plan.ts'
import { users } from '../../../src/db/store/accounts/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { openTestDatabase } from '../../support/database.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'

test.skipIf(onlySqlite('its plans'))(
  'records by id are found by their ids, however many records the other conditions fit',
  async () => {
    await using test = await openTestDatabase()
    const { owner, ids } = await test.db.write('jobs of one user', (tx) => {
      const owner = tx.insert(users, { email: 'ada@example.org', username: 'ada' }).id
      const jobs = Array.from({ length: 5 }, () => tx.insert(quantumJobs, { user_id: owner }).id)
      return { owner, ids: jobs.slice(1, 3) }
    })
    const plans = await test.db.read((tx) => {
      const steps: string[] = []
      const reader = createRecordReader(
        {
          ...tx,
          all: (sql, params) => {
            steps.push(...tx.explain(sql, params))
            return tx.all(sql, params)
          },
        },
        createPlans(),
      )
      expect(reader.list(quantumJobs, { ids, where: { user_id: owner } }).map(({ id }) => id)).toEqual(ids)
      expect(reader.list(quantumJobs, { ids, where: { user_id: 'somebodyelse123' } })).toEqual([])
      return steps.filter((step) => /\bquantum_jobs USING\b/.test(step))
    })
    expect(plans.length).toBeGreaterThanOrEqual(2)
    for (const step of plans) expect(step).toMatch(/^SEARCH .* \(id=\?\)$/)
  },
)
