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
const NEWLY_COMPLETED = `(
  WITH RECURSIVE places (id) AS (
    SELECT min(qpu) FROM quantum_jobs WHERE ${COMPLETED_HERE}
    UNION ALL
    SELECT (SELECT min(qpu) FROM quantum_jobs WHERE ${COMPLETED_HERE} AND qpu > places.id)
    FROM places WHERE places.id IS NOT NULL)
  SELECT job.* FROM places CROSS JOIN quantum_jobs job WHERE job.qpu = places.id AND ${hasNewerEnd('job')})`

/** The jobs that have run: QPU, `ms` of QPU time, `charged` of them (NULL: unlimited user), and the end. */
export const newerRunsSql = ofDialect((dialect) => {
  const ms = dialect.rounded('job.duration * 1000')
  return `SELECT job.id AS job, job.user_id AS "user", job.qpu AS qpu, ${ms} AS ms,
    CASE owner.unlimited WHEN 0 THEN ${ms} END AS charged, job.finished_at AS at
  FROM ${NEWLY_COMPLETED} job LEFT JOIN users owner ON owner.id = job.user_id`
})

/** SQL for the bytes of a job in the second table. */
export function largeBytesSql(row: string, condition = ''): string {
  return `(SELECT coalesce(sum(octet_length("body")), 0) FROM ${quoted(largeTableOf(quantumJobs))}
    WHERE "record" = ${row}."id" ${condition})`
}

/** The bytes of new jobs, and of the results of those that were submitted before. */
export const NEWER_BYTES = `SELECT job.user_id AS "user", ${ownBytesSql(quantumJobs, 'job')} + ${largeBytesSql('job')} AS bytes
    FROM quantum_jobs job WHERE job.seq > ${LAST_SEQ} AND job.user_id <> ''
  UNION ALL
  SELECT job.user_id, coalesce(octet_length(job.results), 0) + ${largeBytesSql('job', `AND "field" = 'results'`)}
    FROM ${NEWLY_COMPLETED} job WHERE job.seq <= ${LAST_SEQ} AND job.user_id <> ''`

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
  return 'run' in tx ? 'newer_bytes' : `(${NEWER_BYTES})`
}
