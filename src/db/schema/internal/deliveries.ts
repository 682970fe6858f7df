import type { Table } from '../../engine/stored-schema.ts'
import { index, internal, keyed } from '../tables.ts'

/** Tables of what is sent to users. */
export const DELIVERIES_TABLES: readonly Table[] = [
  // One event for one webhook: pending, or among its newest that ended; see `journal/webhook-events`.
  internal(
    'webhook_deliveries',
    {
      seq: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      id: 'TEXT NOT NULL UNIQUE',
      webhook: 'TEXT NOT NULL',
      kind: 'TEXT NOT NULL',
      body: 'TEXT NOT NULL',
      state: "TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed'))",
      at: 'TEXT NOT NULL',
      attempts: 'INTEGER NOT NULL DEFAULT 0',
      next_at: 'INTEGER NOT NULL',
      attempted_at: "TEXT NOT NULL DEFAULT ''",
      status: 'INTEGER NOT NULL DEFAULT 0',
      error: "TEXT NOT NULL DEFAULT ''",
      duration_ms: 'INTEGER NOT NULL DEFAULT 0',
      response: "TEXT NOT NULL DEFAULT ''",
    },
    [],
    [
      index('webhook_deliveries', ['webhook', 'next_at'], false, "state = 'pending'"),
      index('webhook_deliveries', ['webhook'], false),
    ],
  ),
  // One fact that a user is mailed in the next digest; see `journal/mail-items`.
  internal(
    'mail_items',
    {
      seq: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      user: 'TEXT NOT NULL',
      kind: 'TEXT NOT NULL',
      detail: 'TEXT NOT NULL',
      at: 'TEXT NOT NULL',
    },
    [],
    [index('mail_items', ['user'], false)],
  ),
  // The digests of one user; `upto` is the last item of one that is being sent, 0 = none.
  keyed(
    'mail_digests',
    {
      user: 'TEXT NOT NULL PRIMARY KEY',
      next_at: 'INTEGER NOT NULL',
      upto: 'INTEGER NOT NULL DEFAULT 0',
      failures: 'INTEGER NOT NULL DEFAULT 0',
      dropped: 'INTEGER NOT NULL DEFAULT 0',
    },
    [],
    [index('mail_digests', ['next_at'], false)],
  ),
]
