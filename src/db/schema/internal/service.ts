import type { Table } from '../../engine/stored-schema.ts'
import { index, internal } from '../tables.ts'

/** Tables of the service itself. */
export const SERVICE_TABLES: readonly Table[] = [
  // One action of an administrator or use of an account, chained by hashes; `personal` can be erased.
  internal(
    'audit_log',
    {
      seq: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      id: 'TEXT NOT NULL UNIQUE',
      at: 'TEXT NOT NULL',
      actor: 'TEXT NOT NULL',
      act: 'TEXT NOT NULL',
      subject: 'TEXT NOT NULL',
      detail: "TEXT NOT NULL DEFAULT ''",
      hash: 'TEXT NOT NULL',
      previous_hash: 'TEXT NOT NULL',
      personal: "TEXT NOT NULL DEFAULT ''",
      personal_hash: "TEXT NOT NULL DEFAULT ''",
    },
    [],
    // For erasing what is stored about one account.
    [
      index('audit_log', ['actor'], false, "personal <> ''"),
      index('audit_log', ['subject'], false, "personal <> ''"),
    ],
  ),
  // One migration that this database has run.
  internal('migrations', {
    id: 'INTEGER NOT NULL PRIMARY KEY',
    name: 'TEXT NOT NULL',
    hash: 'TEXT NOT NULL',
    at: 'TEXT NOT NULL',
  }),
  // One value of the service itself, such as its id.
  internal('meta', { key: 'TEXT NOT NULL PRIMARY KEY', value: 'TEXT NOT NULL' }),
]
