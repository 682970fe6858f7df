import type { SqlReader } from '../../../src/db/index.ts'

/** The steps of SQLite's plan for a statement, such as `SCAN b`. */
export function planOf(
  tx: Pick<SqlReader, 'all'>,
  sql: string,
  params: Parameters<SqlReader['all']>[1] = {},
): string[] {
  return tx.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params).map(({ detail }) => detail)
}
