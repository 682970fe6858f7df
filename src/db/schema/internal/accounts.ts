import type { Table } from '../../engine/stored-schema.ts'
import { index, internal, keyed } from '../tables.ts'

/** Tables of accounts: balances, use and addresses. */
export const ACCOUNTS_TABLES: readonly Table[] = [
  // One change of a user's balance in ms; (kind, source_id) makes it happen once. A job that has run has one
  // charge, of 0 when nobody pays for it; `qpu` ran it for `used_ms` (0 in charges before migration 15). Of a
  // job in a session that is what the session does not pay, each stretch of which has an entry of its own.
  internal(
    'qpu_ledger',
    {
      user: 'TEXT NOT NULL',
      kind: "TEXT NOT NULL CHECK (kind IN ('charge', 'grant', 'admin', 'opening', 'refund', 'session'))",
      source_id: 'TEXT NOT NULL',
      delta_ms: 'INTEGER NOT NULL',
      at: 'TEXT NOT NULL',
      qpu: "TEXT NOT NULL DEFAULT ''",
      used_ms: 'INTEGER NOT NULL DEFAULT 0',
    },
    ['UNIQUE (kind, source_id)'],
    [
      index('qpu_ledger', ['user'], false),
      index('qpu_ledger', ['user', 'qpu', 'at'], false, "kind = 'session'"),
    ],
  ),
  // The jobs of a user that one QPU ran in one month (UTC), and their time; see `store/accounts/usage.ts`.
  keyed(
    'qpu_usage',
    {
      user: 'TEXT NOT NULL',
      month: 'TEXT NOT NULL',
      qpu: 'TEXT NOT NULL',
      jobs: 'INTEGER NOT NULL',
      used_ms: 'INTEGER NOT NULL',
      charged_ms: 'INTEGER NOT NULL',
    },
    ['PRIMARY KEY (user, month, qpu)'],
    [index('qpu_usage', ['month', 'user', 'qpu'], false)],
  ),
  // The QPU time of a user's jobs by the minute (since the epoch) in which they ended; for the fair policy.
  keyed('recent_use', { minute: 'INTEGER NOT NULL', user: 'TEXT NOT NULL', ms: 'INTEGER NOT NULL' }, [
    'PRIMARY KEY (minute, user)',
  ]),
  // Up to which position of the ledger `qpu_usage`, `recent_use` and `quote_scores` are complete; one row,
  // see `src/db/sums`.
  internal('sums_watermark', {
    id: 'INTEGER PRIMARY KEY CHECK (id = 1)',
    position: 'INTEGER NOT NULL DEFAULT 0',
  }),
  // One address from which an account was used; see `store/accounts/known-addresses`.
  keyed(
    'known_addresses',
    { account: 'TEXT NOT NULL', use: 'TEXT NOT NULL', address: 'TEXT NOT NULL', at: 'TEXT NOT NULL' },
    ['PRIMARY KEY (account, use, address)'],
  ),
  // The secret address of a user's calendar, as SHA-256; `qpu` adds the calibrations of one QPU.
  keyed(
    'calendar_feeds',
    {
      user: 'TEXT NOT NULL PRIMARY KEY',
      hash: 'TEXT NOT NULL',
      qpu: "TEXT NOT NULL DEFAULT ''",
      created: 'TEXT NOT NULL',
    },
    [],
    [index('calendar_feeds', ['hash'], true)],
  ),
  // A link that opens one job or report without a login; of its secret only the SHA-256 is stored.
  internal(
    'shares',
    {
      id: 'TEXT NOT NULL PRIMARY KEY',
      hash: 'TEXT NOT NULL',
      kind: "TEXT NOT NULL CHECK (kind IN ('job', 'report'))",
      record: 'TEXT NOT NULL',
      user: 'TEXT NOT NULL',
      expires_at: 'TEXT NOT NULL',
      created: 'TEXT NOT NULL',
    },
    [],
    [index('shares', ['hash'], true), index('shares', ['record'], false), index('shares', ['user'], false)],
  ),
  // Who wants a session to last until when (UTC text), such as a batch job; '' = until it ends. `key`: the
  // Idempotency-Key, with the hash of the request.
  internal(
    'session_holders',
    {
      id: 'TEXT NOT NULL PRIMARY KEY',
      session: 'TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE',
      user: 'TEXT NOT NULL',
      kind: 'TEXT NOT NULL',
      name: 'TEXT NOT NULL',
      key: 'TEXT NOT NULL',
      body_hash: 'TEXT NOT NULL',
      ends_at: 'TEXT NOT NULL',
      ended_at: "TEXT NOT NULL DEFAULT ''",
      created: 'TEXT NOT NULL',
      // The secret was ended with what its user had given out: it does not even read.
      revoked: 'INTEGER NOT NULL DEFAULT 0',
      // While its session is queued, it ends unless its program has read it by then; '' = no program has to.
      awaited_until: "TEXT NOT NULL DEFAULT ''",
      // It ends with the last of the jobs that its secret submitted.
      leaving: 'INTEGER NOT NULL DEFAULT 0',
    },
    [],
    [
      index('session_holders', ['session', 'ended_at', 'id'], false),
      index('session_holders', ['leaving'], false, 'leaving = 1'),
      index('session_holders', ['user', 'key'], true, "key <> ''"),
    ],
  ),
  // A user whose removal has `begun` or is `done`; its id is not given again.
  internal('removed_users', {
    id: 'TEXT NOT NULL PRIMARY KEY',
    at: 'TEXT NOT NULL',
    actor: 'TEXT NOT NULL',
    state: "TEXT NOT NULL CHECK (state IN ('begun', 'done'))",
  }),
]
