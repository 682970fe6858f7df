import { quoted } from '../sqlite/sql.ts'
import { type AnyCollection, columnOf } from './collection.ts'
import type { Field } from './field.ts'
import { largeFieldsOf, largeTableOf } from './large-values.ts'
import { countingTriggers, type Trigger } from './stored-bytes.ts'

/** The required form of a table: columns and constraints as SQL text, in order. */
export interface Table {
  name: string
  columns: readonly { name: string; sql: string; addable: boolean }[]
  constraints: readonly string[]
  indexes: readonly { name: string; sql: string }[]
  triggers?: readonly Trigger[]
  /** Stores rows in the order of the primary key instead of storing the key a second time. */
  isKeyed?: boolean
}

/** The main table of a collection. */
function tableOf(collection: AnyCollection): Table {
  const fields = Object.entries(collection.fields)
  return {
    name: collection.name,
    columns: [
      column('seq', 'INTEGER PRIMARY KEY AUTOINCREMENT'),
      column('id', 'TEXT NOT NULL UNIQUE'),
      ...fields.map(([name, field]) => fieldColumn(columnOf(name, field), field)),
      column('created', 'TEXT NOT NULL'),
      column('updated', 'TEXT NOT NULL'),
    ],
    constraints: [],
    indexes: [
      ...fields.flatMap(([name, field]) =>
        field.unique
          ? // A required value is never '', so the index serves every query, also without `<> ''`.
            [index(collection.name, [name], true, field.required ? undefined : `${quoted(name)} <> ''`)]
          : [],
      ),
      ...fields.flatMap(([name, field]) =>
        needsRelationIndex(collection, name, field) ? [index(collection.name, [name], false)] : [],
      ),
      ...collection.indexes.map((each) =>
        'on' in each
          ? index(collection.name, each.on, each.unique === true, each.where)
          : index(collection.name, each, false),
      ),
    ],
  }
}

/** The tables of a collection: its main table, and a second one if it has large values. */
export function tablesOf(collection: AnyCollection): Table[] {
  const own = tableOf(collection)
  if (largeFieldsOf(collection).length === 0) return [own]
  const large = internal(
    largeTableOf(collection),
    {
      record: `TEXT NOT NULL REFERENCES ${quoted(collection.name)} ("id") ON DELETE CASCADE`,
      field: 'TEXT NOT NULL',
      body: 'TEXT NOT NULL',
    },
    ['PRIMARY KEY ("record", "field")'],
  )
  return [{ ...own, triggers: countingTriggers(collection) }, large]
}

/** Whether an index finds the records whose field `name` has a value. */
export function isFoundByIndex(collection: AnyCollection, name: string): boolean {
  const field = collection.fields[name]
  const isFirst = collection.indexes.some((each) => !('on' in each) && each[0] === name)
  return isFirst || (field !== undefined && needsRelationIndex(collection, name, field))
}

/** Removing a record searches for the records that refer to it, which must not scan their table. */
function needsRelationIndex(collection: AnyCollection, name: string, field: Field): boolean {
  const { reference } = field
  // An index cannot serve a list, and references that are kept are not searched.
  if (!reference || reference.isList || reference.onRemove === 'keep') return false
  return !collection.indexes.some((each) => !('on' in each) && each[0] === name)
}

function column(name: string, sql: string) {
  // ALTER TABLE can add a column only if the value for stored rows is known.
  const addable = !/\bNOT NULL(?! DEFAULT)|\bPRIMARY KEY/.test(sql)
  return { name, sql: `${quoted(name)} ${sql}`, addable }
}

function fieldColumn(name: string, field: Field) {
  const type = field.kind.columnType(field)
  return column(name, `${type} ${field.kind.columnConstraints(field, quoted(name))}`.trimEnd())
}

function index(table: string, columns: readonly string[], unique: boolean, where?: string) {
  const name = `${table}_${columns.join('_')}${unique ? '_unique' : ''}`
  const on = `${quoted(table)} (${columns.map(quoted).join(', ')})`
  const condition = where === undefined ? '' : ` WHERE ${where}`
  return { name, sql: `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${quoted(name)} ON ${on}${condition}` }
}

function internal(
  name: string,
  columns: Record<string, string>,
  constraints: readonly string[] = [],
  indexes: Table['indexes'] = [],
): Table {
  return {
    name,
    columns: Object.entries(columns).map(([each, sql]) => column(each, sql)),
    constraints,
    indexes,
  }
}

/**
 * Tables that are not collections: no API exposes them as records.
 *
 * | table | one row is |
 * |---|---|
 * | `job_attempts` | one claim of a job for a driver; `epoch` is that of the lease at that time |
 * | `qpu_ledger` | one change of a user's balance in ms; (kind, source_id) makes it happen once |
 * | `user_bytes` | the bytes that a user has stored; see `stored-bytes.ts` |
 * | `leases` | the right of one driver to serve one operation of a QPU; driver '' = free; `epoch` only grows |
 * | `job_timeline` | one event of a job |
 * | `idempotency_keys` | the response to a keyed request, returned again when it is repeated |
 * | `audit_log` | one action of an administrator or use of an account, chained by hashes; `personal` can be erased |
 * | `removed_users` | a user whose removal has `begun` or is `done`; its id is not given again |
 * | `known_addresses` | one address from which an account was used; see `store/accounts/known-addresses` |
 * | `change_log` | one change of a record, the newest 100,000 |
 * | `reading_series` | one channel of a driver in one unit; `last` is the time of its newest reading, s since the epoch |
 * | `reading_buckets` | the readings of a channel in the `step` s from `start` (s since the epoch); see `store/readings` |
 */
export const INTERNAL_TABLES: readonly Table[] = [
  internal(
    'job_attempts',
    {
      id: 'TEXT NOT NULL PRIMARY KEY',
      job: 'TEXT NOT NULL',
      attempt: 'INTEGER NOT NULL',
      driver: 'TEXT NOT NULL',
      qpu: 'TEXT NOT NULL',
      epoch: 'INTEGER NOT NULL',
      state: "TEXT NOT NULL CHECK (state IN ('open', 'ok', 'error', 'lost', 'undelivered', 'requeued'))",
      claimed_at: 'TEXT NOT NULL',
      started_at: "TEXT NOT NULL DEFAULT ''",
      ended_at: "TEXT NOT NULL DEFAULT ''",
      execution_ms: 'INTEGER NOT NULL DEFAULT 0',
    },
    ['UNIQUE (job, attempt)'],
    [
      index('job_attempts', ['state'], false),
      index('job_attempts', ['qpu'], true, "state = 'open'"),
      index('job_attempts', ['qpu', 'ended_at'], false),
    ],
  ),
  internal(
    'qpu_ledger',
    {
      id: 'TEXT NOT NULL PRIMARY KEY',
      user: 'TEXT NOT NULL',
      kind: "TEXT NOT NULL CHECK (kind IN ('charge', 'grant', 'admin', 'opening'))",
      source_id: 'TEXT NOT NULL',
      delta_ms: 'INTEGER NOT NULL',
      at: 'TEXT NOT NULL',
    },
    ['UNIQUE (kind, source_id)'],
    [index('qpu_ledger', ['user'], false)],
  ),
  {
    ...internal('user_bytes', { user: 'TEXT NOT NULL PRIMARY KEY', bytes: 'INTEGER NOT NULL' }),
    isKeyed: true,
  },
  internal(
    'leases',
    {
      qpu: 'TEXT NOT NULL',
      operation: "TEXT NOT NULL CHECK (operation IN ('process', 'monitor', 'calibrate'))",
      driver: "TEXT NOT NULL DEFAULT ''",
      epoch: 'INTEGER NOT NULL DEFAULT 0',
      state: "TEXT NOT NULL DEFAULT 'granted' CHECK (state IN ('granted', 'attached'))",
      granted_at: "TEXT NOT NULL DEFAULT ''",
    },
    ['PRIMARY KEY (qpu, operation)'],
    [index('leases', ['driver'], true, "driver <> ''")],
  ),
  internal(
    'job_timeline',
    {
      id: 'TEXT NOT NULL PRIMARY KEY',
      job: 'TEXT NOT NULL',
      at: 'TEXT NOT NULL',
      event: 'TEXT NOT NULL',
      attempt: 'INTEGER NOT NULL DEFAULT 0',
      detail: "TEXT NOT NULL DEFAULT ''",
    },
    [],
    [index('job_timeline', ['job'], false)],
  ),
  internal(
    'idempotency_keys',
    {
      user: 'TEXT NOT NULL',
      key: 'TEXT NOT NULL',
      route: 'TEXT NOT NULL',
      body_hash: 'TEXT NOT NULL',
      status: 'INTEGER NOT NULL',
      response: 'TEXT NOT NULL',
      at: 'TEXT NOT NULL',
    },
    ['PRIMARY KEY (user, key)'],
    [index('idempotency_keys', ['at'], false)],
  ),
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
  {
    ...internal(
      'known_addresses',
      { account: 'TEXT NOT NULL', use: 'TEXT NOT NULL', address: 'TEXT NOT NULL', at: 'TEXT NOT NULL' },
      ['PRIMARY KEY (account, use, address)'],
    ),
    isKeyed: true,
  },
  internal('removed_users', {
    id: 'TEXT NOT NULL PRIMARY KEY',
    at: 'TEXT NOT NULL',
    actor: 'TEXT NOT NULL',
    state: "TEXT NOT NULL CHECK (state IN ('begun', 'done'))",
  }),
  internal('change_log', {
    seq: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    collection: 'TEXT NOT NULL',
    record: 'TEXT NOT NULL',
    action: "TEXT NOT NULL CHECK (action IN ('create', 'update', 'delete'))",
    at: 'TEXT NOT NULL',
  }),
  internal(
    'reading_series',
    {
      id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      driver: 'TEXT NOT NULL',
      channel: 'TEXT NOT NULL',
      unit: 'TEXT NOT NULL',
      last: 'INTEGER NOT NULL',
    },
    ['UNIQUE (driver, channel, unit)'],
  ),
  // The driver comes first: an event then changes one page per step, and a driver's chart reads one range.
  {
    ...internal(
      'reading_buckets',
      {
        driver: 'TEXT NOT NULL',
        step: 'INTEGER NOT NULL',
        start: 'INTEGER NOT NULL',
        series: 'INTEGER NOT NULL',
        low: 'REAL NOT NULL',
        high: 'REAL NOT NULL',
        total: 'REAL NOT NULL',
        readings: 'INTEGER NOT NULL',
      },
      ['PRIMARY KEY (driver, step, start, series)'],
    ),
    isKeyed: true,
  },
  internal('migrations', {
    id: 'INTEGER NOT NULL PRIMARY KEY',
    name: 'TEXT NOT NULL',
    hash: 'TEXT NOT NULL',
    at: 'TEXT NOT NULL',
  }),
  internal('meta', { key: 'TEXT NOT NULL PRIMARY KEY', value: 'TEXT NOT NULL' }),
]

/** A condition on the name of a table: SQLite and the replicator Litestream keep these for themselves. */
export const FOREIGN_TABLES = "(name GLOB 'sqlite_*' OR name GLOB '_litestream_*')"
