import { quantumJobs } from '../collections/quantum_jobs.ts'
import type { Connection } from '../engine/connection.ts'
import { type Dialect, ofDialect } from '../engine/dialect.ts'
import { quoted, type SqlWriter } from '../engine/sql.ts'
import type { Trigger } from '../engine/table.ts'
import { largeFieldsOf, largeTableOf } from '../schema/large-values.ts'
import { lengthOf, ownBytesSql } from '../schema/stored-bytes.ts'
import { keyed } from '../schema/tables.ts'
import {
  hasNewerBytes,
  hasNewerEnd,
  largeBytesSql,
  newerBytesSql,
  newerRunsSql,
  QUOTE_COLUMNS,
} from './newer.ts'
import { removeOldUse } from './old-use.ts'

/** Sums are written at most this often, and not for fewer jobs that were submitted or have run. */
const WRITE_INTERVAL_MS = 1_000
const MIN_NEWER_JOBS = 32

/** Temporary tables, so that a rolled back transaction takes its changes with it. */
const MEMORY = [
  keyed('newer_runs', {
    job: 'TEXT NOT NULL PRIMARY KEY',
    user: 'TEXT NOT NULL',
    qpu: 'TEXT NOT NULL',
    ms: 'INTEGER NOT NULL',
    charged: 'INTEGER',
    at: 'TEXT NOT NULL',
    ...Object.fromEntries(QUOTE_COLUMNS.map((name) => [name, 'INTEGER NOT NULL'])),
  }),
  keyed('newer_bytes', {
    user: 'TEXT NOT NULL PRIMARY KEY',
    bytes: 'INTEGER NOT NULL',
    at: 'TEXT NOT NULL',
  }),
]

const HAS_NEWER = '(EXISTS (SELECT 1 FROM newer_runs) OR EXISTS (SELECT 1 FROM newer_bytes))'

/** Adds memory to the stored sums. Unqualified names, as triggers require. */
const writeOf = ofDialect(({ greatest, unixSeconds }) => [
  `INSERT INTO user_bytes ("user", bytes) SELECT "user", bytes FROM newer_bytes WHERE bytes <> 0
   ON CONFLICT ("user") DO UPDATE SET bytes = user_bytes.bytes + excluded.bytes`,
  // In the order in which readers number them before.
  `INSERT INTO qpu_ledger (id, "user", kind, source_id, delta_ms, at)
   SELECT job, "user", 'charge', job, 0 - charged, at FROM newer_runs WHERE charged IS NOT NULL ORDER BY at, job
   ON CONFLICT (kind, source_id) DO NOTHING`,
  `INSERT INTO qpu_usage ("user", month, qpu, jobs, used_ms, charged_ms)
   SELECT "user", substr(at, 1, 7), qpu, count(*), sum(ms), sum(coalesce(charged, 0)) FROM newer_runs
   WHERE true GROUP BY 1, 2, 3
   ON CONFLICT ("user", month, qpu) DO UPDATE SET jobs = qpu_usage.jobs + excluded.jobs,
     used_ms = qpu_usage.used_ms + excluded.used_ms, charged_ms = qpu_usage.charged_ms + excluded.charged_ms`,
  `INSERT INTO quote_scores (qpu, month, run_ms, ${QUOTE_COLUMNS.join(', ')})
   SELECT qpu, substr(at, 1, 7), sum(CASE run_quoted WHEN 1 THEN ms ELSE 0 END),
     ${QUOTE_COLUMNS.map((name) => `sum(${name})`).join(', ')}
   FROM newer_runs WHERE run_quoted = 1 OR start_quoted = 1 GROUP BY 1, 2
   ON CONFLICT (qpu, month) DO UPDATE SET run_ms = quote_scores.run_ms + excluded.run_ms,
     ${QUOTE_COLUMNS.map((name) => `${name} = quote_scores.${name} + excluded.${name}`).join(', ')}`,
  `INSERT INTO recent_use (minute, "user", ms)
   SELECT ${unixSeconds('at')} / 60, "user", sum(ms) FROM newer_runs WHERE true GROUP BY 1, 2
   ON CONFLICT (minute, "user") DO UPDATE SET ms = recent_use.ms + excluded.ms`,
  `UPDATE sums_watermark SET seq = ${greatest('seq', 'coalesce((SELECT max(seq) FROM quantum_jobs), 0)')},
     at = ${greatest('at', "coalesce((SELECT max(at) FROM newer_runs), '')", "coalesce((SELECT max(at) FROM newer_bytes), '')")}
   WHERE ${HAS_NEWER}`,
  'DELETE FROM newer_runs',
  'DELETE FROM newer_bytes',
])

/**
 * Triggers that keep the bytes of each user, so that no statement that changes a job can miss it. What
 * `newerBytesSql` finds again is added in memory. Every other change is written at once, and after what is in
 * memory when it changes a job that `newerBytesSql` or `newerRunsSql` may find.
 */
export function countingTriggers(dialect: Dialect): readonly Trigger[] {
  const write = writeOf(dialect)
  const { greatest } = dialect
  const [table, large] = [quantumJobs.name, largeTableOf(quantumJobs)]
  const all = (row: string) => `${ownBytesSql(quantumJobs, row)} + ${largeBytesSql(row)}`
  const remember = (row: string, bytes: string, from: string) =>
    `INSERT INTO newer_bytes ("user", bytes, at) SELECT ${row}.user_id, ${bytes}, ${row}.finished_at ${from}
     ON CONFLICT ("user") DO UPDATE SET bytes = newer_bytes.bytes + excluded.bytes,
       at = ${greatest('newer_bytes.at', 'excluded.at')}`
  const add = (user: string, bytes: string, condition = '') =>
    `UPDATE user_bytes SET bytes = bytes + (${bytes}) WHERE "user" = ${user} ${condition}`
  const trigger = (
    name: string,
    [event, table, when]: [string, string, string?],
    body: readonly string[],
  ): Trigger => ({ name: `count_${name}`, event, table, ...(when && { when }), body })
  const growth = (field: string) => `${lengthOf('NEW', field)} - ${lengthOf('OLD', field)}`
  const owner = (row: string) => `(SELECT user_id FROM quantum_jobs job WHERE job.id = ${row}."record")`
  return [
    trigger(
      'insert',
      ['AFTER INSERT', table],
      [remember('NEW', ownBytesSql(quantumJobs, 'NEW'), `WHERE NEW.user_id <> ''`)],
    ),
    trigger(
      'results',
      ['AFTER UPDATE OF results', table, 'OLD.user_id = NEW.user_id'],
      [
        remember('NEW', growth('results'), `WHERE NEW.user_id <> '' AND ${hasNewerBytes('NEW')}`),
        add('NEW.user_id', growth('results'), `AND NOT ${hasNewerBytes('NEW')}`),
      ],
    ),
    ...largeFieldsOf(quantumJobs)
      .filter((field) => field !== 'results')
      .map((field) =>
        trigger(
          field,
          [`AFTER UPDATE OF ${quoted(field)}`, table, 'OLD.user_id = NEW.user_id'],
          [...write, add('NEW.user_id', growth(field))],
        ),
      ),
    // Before, because SQLite removes the large values with their record.
    trigger('delete', ['BEFORE DELETE', table], [...write, add('OLD.user_id', `0 - (${all('OLD')})`)]),
    trigger(
      'owner',
      ['AFTER UPDATE OF user_id', table, 'OLD.user_id <> NEW.user_id'],
      [
        ...write,
        add('OLD.user_id', `0 - (${all('OLD')})`),
        `INSERT INTO user_bytes ("user", bytes) SELECT NEW.user_id, ${all('NEW')} WHERE NEW.user_id <> ''
       ON CONFLICT ("user") DO UPDATE SET bytes = user_bytes.bytes + excluded.bytes`,
      ],
    ),
    trigger(
      'large_insert',
      ['AFTER INSERT', large],
      [
        remember(
          'job',
          'octet_length(NEW."body")',
          `FROM quantum_jobs job WHERE job.id = NEW."record" AND job.user_id <> '' AND ${hasNewerBytes('job')}`,
        ),
        add(
          owner('NEW'),
          'octet_length(NEW."body")',
          `AND NOT EXISTS (SELECT 1 FROM quantum_jobs job WHERE job.id = NEW."record" AND ${hasNewerBytes('job')})`,
        ),
      ],
    ),
    // Charges keep their place before other entries.
    trigger('entry', ['BEFORE INSERT', 'qpu_ledger', "NEW.kind <> 'charge'"], write),
    // Whether the jobs of a user were charged cannot be read without the user.
    trigger('user', ['BEFORE DELETE', 'users'], [...write, 'DELETE FROM user_bytes WHERE "user" = OLD.id']),
    // Reads the length from the table: OLD would read all of the value.
    trigger(
      'large_delete',
      ['BEFORE DELETE', large],
      [
        ...write,
        add(
          owner('OLD'),
          `0 - (SELECT octet_length("body") FROM ${quoted(large)} WHERE "record" = OLD."record" AND "field" = OLD."field")`,
        ),
      ],
    ),
    trigger(
      'large_update',
      ['AFTER UPDATE OF "body"', large],
      [...write, add(owner('NEW'), 'octet_length(NEW."body") - octet_length(OLD."body")')],
    ),
  ]
}

/**
 * Prepares the connection that writes: adds to the sums what is newer than their watermark, and counts from
 * there in memory. Call it inside a transaction, once the tables and `countingTriggers` are as declared.
 */
export function prepareSums(writer: Connection): void {
  const { dialect } = writer
  writer.run("INSERT INTO sums_watermark (id, seq, at, written) VALUES (1, 0, '', 0) ON CONFLICT DO NOTHING")
  for (const table of MEMORY) writer.run(dialect.temporaryTable(table))
  writer.run(`INSERT INTO newer_runs ${newerRunsSql(dialect)}`)
  writer.run(
    `INSERT INTO newer_bytes SELECT "user", sum(bytes), '' FROM (${newerBytesSql(dialect)}) newer WHERE true GROUP BY "user"`,
  )
  for (const sql of writeOf(dialect)) writer.run(sql)
}

/** Writes all sums now, for a change that cannot be read again from the rows of jobs. */
export function writeSums(tx: SqlWriter): void {
  if (!tx.one(`SELECT 1 WHERE ${HAS_NEWER}`)) return
  for (const sql of writeOf(tx.dialect)) tx.post(sql)
  tx.post('UPDATE sums_watermark SET written = $now', { now: tx.now })
  removeOldUse(tx)
}

/**
 * Begins to ask whether it is time to write all sums, or whether the run of `job`, which has just been added
 * in memory, cannot be read again from its row: that of a job that has failed, or that the clock puts before
 * the watermark. The returned function writes them then.
 */
export function beginSums(tx: SqlWriter, job = ''): () => void {
  const due = tx.ahead(
    `SELECT 1 FROM sums_watermark WHERE abs($now - written) >= ${WRITE_INTERVAL_MS} AND
       (SELECT count(*) FROM newer_runs) + (SELECT coalesce(max(seq), 0) FROM quantum_jobs) - seq >= ${MIN_NEWER_JOBS}
     OR $job <> '' AND NOT EXISTS (SELECT 1 FROM quantum_jobs job WHERE job.id = $job AND ${hasNewerEnd('job')})`,
    { now: tx.now, job },
  )
  return () => {
    if (due().length > 0) writeSums(tx)
  }
}
