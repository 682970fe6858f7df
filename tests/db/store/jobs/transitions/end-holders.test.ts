import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Params } from '../../../../../src/db/engine/sql.ts'
import { DUE } from '../../../../../src/db/store/jobs/transitions/end-holders.ts'
import { openTestDatabase } from '../../../../support/database.ts'
import { onlySqlite } from '../../../../support/postgres/only-sqlite.ts'

test.skipIf(onlySqlite('its plans'))(
  'jobs of ended sessions are found without looking at other pending jobs',
  async () => {
    await using opened = await openTestDatabase()
    using file = new Sqlite(join(opened.dir, 'svc.db'), { strict: true })
    const plan = file
      .prepare<{ detail: string }, [Params]>(`EXPLAIN QUERY PLAN ${DUE}`)
      .all({ at: '', limit: 1 })
      .map(({ detail }) => detail)
    expect(plan[0]).toContain('(status=? AND holder>?)')
    expect(plan.filter((detail) => detail.includes('SCAN'))).toEqual([])
  },
)
