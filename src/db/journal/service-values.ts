import type { SqlReader, SqlWriter } from '../engine/sql.ts'

/** What the service has stored under a key; undefined before the first time. */
export function readServiceValue(tx: SqlReader, key: string): string | undefined {
  return tx.one<{ value: string }>('SELECT value FROM meta WHERE key = $key', { key })?.value
}

export function storeServiceValue(tx: SqlWriter, key: string, value: string): void {
  const sql =
    'INSERT INTO meta (key, value) VALUES ($key, $value) ON CONFLICT (key) DO UPDATE SET value = $value'
  tx.run(sql, { key, value })
}
