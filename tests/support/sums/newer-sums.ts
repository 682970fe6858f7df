import { expect } from 'bun:test'
import type { Database } from '../../../src/db/index.ts'
import { NEWER_BYTES, NEWER_RUNS } from '../../../src/db/sums/newer.ts'

/** Fails unless what is newer than the sums is the same in memory and in the rows of jobs. */
export async function expectNewerAsInRows(db: Database): Promise<void> {
  const [memory, rows] = await db.write('compare', (tx) =>
    [
      ['temp.newer_runs', 'temp.newer_bytes'],
      [`(${NEWER_RUNS})`, `(${NEWER_BYTES})`],
    ].map(([runs, bytes]) => ({
      runs: tx.all(`SELECT job, user, qpu, ms, charged, at FROM ${runs} ORDER BY job`),
      bytes: tx.all(
        `SELECT user, sum(bytes) AS bytes FROM ${bytes} GROUP BY user HAVING sum(bytes) <> 0 ORDER BY user`,
      ),
    })),
  )
  expect(memory).toEqual(rows)
}
