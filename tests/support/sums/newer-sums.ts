import { expect } from 'bun:test'
import type { Database } from '../../../src/db/index.ts'
import { newerBytesSql, newerRunsSql } from '../../../src/db/sums/newer.ts'

/** Fails unless what is newer than the sums is the same in memory and in the rows of jobs. */
export async function expectNewerAsInRows(db: Database): Promise<void> {
  const [memory, rows] = await db.write('compare', (tx) =>
    [
      ['newer_runs', 'newer_bytes'],
      [`(${newerRunsSql(tx.dialect)})`, `(${newerBytesSql(tx.dialect)})`],
    ].map(([runs, bytes]) => ({
      runs: tx.all(`SELECT job, "user", qpu, ms, charged, at FROM ${runs} run ORDER BY job`),
      bytes: tx.all(
        `SELECT "user", sum(bytes) AS bytes FROM ${bytes} entry GROUP BY "user" HAVING sum(bytes) <> 0 ORDER BY "user"`,
      ),
    })),
  )
  expect(memory).toEqual(rows)
}
