/**
 * Sums over jobs: the charges in `qpu_ledger`, `qpu_usage`, `recent_use` and `user_bytes`. The job path does
 * not write them: `write.ts` adds up in memory what jobs changed and writes it together, with a watermark.
 * What is newer than the watermark follows from the rows of the jobs: it is read from there at a start, by
 * `svc doctor` and by every connection but the one that writes.
 */
import { COMPLETED_HERE, quantumJobs } from '../collections/quantum_jobs.ts'
import { ofDialect } from '../engine/dialect.ts'
import { quoted, type SqlReader } from '../engine/sql.ts'
import { largeTableOf } from '../schema/large-values.ts'
import { ownBytesSql } from '../schema/stored-bytes.ts'

/** The last job and the last end of one whose bytes and time are in the sums. */
const LAST_SEQ = '(SELECT seq FROM sums_watermark)'
const LAST_END = '(SELECT at FROM sums_watermark)'

/** The condition of a completed job whose time is not in the sums, for the alias of its row. */
export function hasNewerEnd(row: string): string {
  return `${row}.status = 'completed' AND ${row}.claimed_at <> '' AND ${row}.finished_at > ${LAST_END}`
}

/** The condition of a job whose bytes are not all in the sums. */
export function hasNewerBytes(row: string): string {
  return `(${row}.seq > ${LAST_SEQ} OR ${hasNewerEnd(row)})`
}

/** Finds each QPU by one step in the index of completed jobs, and then its newer ones only. */
const newlyCompletedSql = ofDialect(
  ({ joinByIndex }) => `(
  WITH RECURSIVE places (id) AS (
    SELECT min(qpu) FROM quantum_jobs WHERE ${COMPLETED_HERE}
    UNION ALL
    SELECT (SELECT min(qpu) FROM quantum_jobs WHERE ${COMPLETED_HERE} AND qpu > places.id)
    FROM places WHERE places.id IS NOT NULL)
  SELECT job.* FROM places ${joinByIndex({
    table: quantumJobs.name,
    alias: 'job',
    condition: `job.qpu = places.id AND ${hasNewerEnd('job')}`,
    order: 'job.qpu, job.finished_at',
  })})`,
)

/** Whether the estimates of a job were right, and how wide they were in ms. */
export const QUOTE_COLUMNS = [
  'run_quoted',
  'run_right',
  'run_width',
  'start_quoted',
  'start_right',
  'start_width',
] as const

/** An assumed range was measured on nothing, so that it says nothing about the others. */
const RUN_QUOTED = "job.status = 'completed' AND job.quote_basis NOT IN ('', 'assumed')"
/** The first claim of a job is known of one that was claimed once. */
const START_QUOTED =
  "job.status = 'completed' AND job.claimed_at <> '' AND job.attempt = 1 AND job.quote_start_from <> ''"

const quoteSql = ofDialect(({ rounded, millisecondsBetween }) => {
  const count = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`
  const ms = rounded('job.duration * 1000')
  const startWidth = rounded(millisecondsBetween('job.quote_start_from', 'job.quote_start_to'))
  const sql: Record<(typeof QUOTE_COLUMNS)[number], string> = {
    run_quoted: count(RUN_QUOTED),
    run_right: count(`${RUN_QUOTED} AND ${ms} BETWEEN job.quote_run_from AND job.quote_run_to`),
    run_width: `CASE WHEN ${RUN_QUOTED} THEN job.quote_run_to - job.quote_run_from ELSE 0 END`,
    start_quoted: count(START_QUOTED),
    start_right: count(
      `${START_QUOTED} AND job.claimed_at BETWEEN job.quote_start_from AND job.quote_start_to`,
    ),
    start_width: `CASE WHEN ${START_QUOTED} THEN ${startWidth} ELSE 0 END`,
  }
  return QUOTE_COLUMNS.map((name) => `${sql[name]} AS ${name}`).join(', ')
})

/** Adds a job that has just ended and run to those that are not in the sums. */
export const addNewerRunSql = ofDialect(
  (dialect) => `INSERT INTO newer_runs (job, "user", qpu, ms, charged, at, ${QUOTE_COLUMNS.join(', ')})
  SELECT job.id, $user, $qpu, $ms, $charged, $at, ${quoteSql(dialect)} FROM quantum_jobs job WHERE job.id = $id`,
)

/** The jobs that have run: QPU, `ms` of QPU time, `charged` of them (NULL: unlimited user), and the end. */
export const newerRunsSql = ofDialect((dialect) => {
  const ms = dialect.rounded('job.duration * 1000')
  return `SELECT job.id AS job, job.user_id AS "user", job.qpu AS qpu, ${ms} AS ms,
    CASE owner.unlimited WHEN 0 THEN ${ms} END AS charged, job.finished_at AS at,
    ${quoteSql(dialect)}
  FROM ${newlyCompletedSql(dialect)} job LEFT JOIN users owner ON owner.id = job.user_id`
})

/** The charge of `$job` that is not in the sums; no row without one. */
export function newerChargeSql(tx: SqlReader): string {
  if ('run' in tx) return 'SELECT charged FROM newer_runs WHERE job = $job AND charged IS NOT NULL'
  return `SELECT ${tx.dialect.rounded('job.duration * 1000')} AS charged
    FROM quantum_jobs job JOIN users owner ON owner.id = job.user_id AND owner.unlimited = 0
    WHERE job.id = $job AND ${hasNewerEnd('job')}`
}

/** SQL for the bytes of a job in the second table. */
export function largeBytesSql(row: string, condition = ''): string {
  return `(SELECT coalesce(sum(octet_length("body")), 0) FROM ${quoted(largeTableOf(quantumJobs))}
    WHERE "record" = ${row}."id" ${condition})`
}

/** The bytes of new jobs, and of the results of those that were submitted before. */
export const newerBytesSql = ofDialect(
  (
    dialect,
  ) => `SELECT job.user_id AS "user", ${ownBytesSql(quantumJobs, 'job')} + ${largeBytesSql('job')} AS bytes
    FROM quantum_jobs job WHERE job.seq > ${LAST_SEQ} AND job.user_id <> ''
  UNION ALL
  SELECT job.user_id, coalesce(octet_length(job.results), 0) + ${largeBytesSql('job', `AND "field" = 'results'`)}
    FROM ${newlyCompletedSql(dialect)} job WHERE job.seq <= ${LAST_SEQ} AND job.user_id <> ''`,
)

/** The whole ledger: its rows, and the charges that follow them. */
export const ledgerSql = ofDialect(
  (dialect) => `(SELECT "user", kind, source_id, delta_ms, at FROM qpu_ledger
  UNION ALL
  SELECT "user", 'charge', job, 0 - charged, at FROM (${newerRunsSql(dialect)}) newer WHERE charged IS NOT NULL)`,
)

/** The source of the runs that are not in the sums: memory for the connection that writes. */
export function newerRuns(tx: SqlReader): string {
  return 'run' in tx ? 'newer_runs' : `(${newerRunsSql(tx.dialect)})`
}

/** The source of the bytes that are not in the sums: memory for the connection that writes. */
export function newerBytes(tx: SqlReader): string {
  return 'run' in tx ? 'newer_bytes' : `(${newerBytesSql(tx.dialect)})`
}
