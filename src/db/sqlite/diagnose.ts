import type { SqlReader } from '../engine/sql.ts'
import { diagnoseRecords, findingOf, MAX_EXAMPLES } from '../integrity/doctor.ts'
import type { Finding } from '../integrity/invariants.ts'
import { SQLITE } from './sql/dialect.ts'

/**
 * All problems of a database: those of its file, if it is in one, and of its records. Empty when there are
 * none. Reads the whole database. `maxAttempts` is the configured limit, 0 = none.
 */
export function diagnose(tx: SqlReader, limits: { maxAttempts: number }): Finding[] {
  return [...(tx.dialect === SQLITE ? diagnoseFile(tx) : []), ...diagnoseRecords(tx, limits)]
}

/** Problems of a database of any version: its structure and its foreign keys. */
export function diagnoseFile(tx: SqlReader): Finding[] {
  return [
    findingOf(
      'file',
      'The structure of the file is intact',
      tx
        .all<{ integrity_check: string }>(`PRAGMA integrity_check(${MAX_EXAMPLES})`)
        .filter((row) => row.integrity_check !== 'ok'),
    ),
    findingOf(
      'keys',
      'Required relations name an existing record',
      tx.all<Record<string, unknown>>('PRAGMA foreign_key_check').slice(0, MAX_EXAMPLES),
    ),
  ].flat()
}
