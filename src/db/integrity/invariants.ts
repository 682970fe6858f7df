import { quantumJobs } from '../collections/quantum_jobs.ts'
import { INSERTION_ORDER, ofDialect } from '../engine/dialect.ts'
import type { SqlReader } from '../engine/sql.ts'
import { eventNameSql, eventsSql, isImportedSql } from '../journal/timeline.ts'
import { valueSql } from '../schema/large-values.ts'
import { ownBytesSql } from '../schema/stored-bytes.ts'
import { refundedJobSql } from '../store/accounts/ledger.ts'
import { ATTEMPTS } from '../store/jobs/attempts.ts'
import { newerCharges } from '../sums/newer.ts'
import { widenedSql } from './widened.ts'

/** An invariant that stored data violate; `rows` are examples. */
export interface Finding {
  id: string
  text: string
  rows: Record<string, unknown>[]
}

interface Invariant {
  id: string
  text: string
  /** Reads only current rows, so that it can run at every start. */
  fast?: boolean
  /** Selects the rows that violate the invariant. */
  sql: string
}

const MAX_EXAMPLES = 20

/**
 * The invariants of stored data. Those about messages (I5: no dispatch before its claim is durable; I8: an
 * acknowledged result is applied or stale) are not visible in tables; I1 is checked on the timeline.
 */
const invariantsOf = ofDialect((dialect): readonly Invariant[] => {
  // An imported job that had ended has no attempts and was charged elsewhere.
  const notImported = `NOT (${isImportedSql(dialect, 'job')})`
  return [
    {
      id: 'I1',
      text: 'The timeline of a job has no event after its end',
      sql: `SELECT job.id AS job, ${eventNameSql(dialect, 'ended')} AS event, ${eventNameSql(dialect, 'later')} AS later
          FROM quantum_jobs job, ${eventsSql(dialect, 'job')} ended, ${eventsSql(dialect, 'job')} later
          WHERE later.key > ended.key
            AND ${eventNameSql(dialect, 'ended')} IN ('completed', 'failed', 'cancelled', 'imported')`,
    },
    {
      id: 'I2',
      text: 'The attempt of a job is its number of claims',
      sql: `SELECT job.id, job.attempt, count(claim.job) AS claims, max(claim.attempt) AS last
          FROM quantum_jobs job LEFT JOIN ${ATTEMPTS} claim ON claim.job = job.id
          WHERE ${notImported}
          GROUP BY job.id HAVING job.attempt <> count(claim.job) OR job.attempt <> coalesce(max(claim.attempt), 0)`,
    },
    {
      id: 'I3',
      text: 'A completed job of a user with a balance is charged exactly once',
      sql: `SELECT job.id FROM quantum_jobs job JOIN users ON users.id = job.user_id
          WHERE job.status = 'completed' AND users.unlimited = 0 AND NOT EXISTS
            (SELECT 1 FROM qpu_ledger WHERE kind = 'charge' AND source_id = job.id)
          AND ${notImported}`,
    },
    {
      id: 'I3',
      text: 'Only a completed or failed job is charged',
      sql: `SELECT job.id, job.status FROM qpu_ledger JOIN quantum_jobs job ON job.id = qpu_ledger.source_id
          WHERE qpu_ledger.kind = 'charge' AND job.status NOT IN ('completed', 'failed')`,
    },
    {
      id: 'I3',
      text: 'No job is charged more than its own limit',
      sql: `SELECT id, duration, max_ms FROM quantum_jobs WHERE max_ms > 0 AND duration * 1000 > max_ms + 0.5`,
    },
    {
      id: 'I4',
      text: 'A completed job has the result of its last attempt',
      sql: `SELECT job.id, job.attempt FROM quantum_jobs job
          WHERE job.status = 'completed' AND job.claimed_at = '' AND ${notImported}`,
    },
    {
      id: 'I4',
      text: 'Only a completed job has an accepted attempt, and only one',
      sql: `SELECT claim.job, count(*) AS accepted FROM ${ATTEMPTS} claim JOIN quantum_jobs job ON job.id = claim.job
          WHERE claim.state = 'ok' GROUP BY claim.job, job.status HAVING count(*) > 1 OR job.status <> 'completed'`,
    },
    {
      id: 'I6',
      text: 'A cancelled job has no result',
      sql: `SELECT id FROM quantum_jobs
          WHERE status = 'cancelled' AND ${valueSql(quantumJobs, 'results')} IS NOT NULL`,
    },
    {
      id: 'I7',
      text: 'No attempt has an epoch that its lease has not reached',
      fast: true,
      sql: `SELECT job.id, job.epoch FROM quantum_jobs job
          LEFT JOIN leases ON leases.qpu = job.qpu AND leases.operation = 'process'
          WHERE job.status = 'running' AND job.epoch > coalesce(leases.epoch, 0)`,
    },
    {
      id: 'I9',
      // The limit that applied to ended jobs is not known any more.
      text: 'No job runs after its last allowed attempt',
      sql: `SELECT job.id, job.status, count(*) AS tries FROM quantum_jobs job
          JOIN job_attempts claim ON claim.job = job.id AND claim.state IN ('lost', 'error')
          WHERE $maxAttempts > 0 AND job.status = 'running'
          GROUP BY job.id HAVING count(*) >= $maxAttempts`,
    },
    {
      id: 'I10',
      text: 'A QPU runs one job at a time',
      fast: true,
      sql: `SELECT qpu, count(*) AS running FROM quantum_jobs WHERE status = 'running' GROUP BY qpu HAVING count(*) > 1`,
    },
    {
      id: 'I10',
      text: 'A tuner runs one calibration at a time',
      fast: true,
      sql: `SELECT driver, count(*) AS running FROM calibration_requests
          WHERE status = 'running' GROUP BY driver HAVING count(*) > 1`,
    },
    {
      id: 'I10',
      text: 'A calibration is done exactly if the report of its last run exists, unless it was pruned',
      sql: `SELECT request.id, request.status, report.id AS report FROM calibration_requests request
          LEFT JOIN calibration_results report ON report.run_id = request.run_id AND request.run_id <> ''
          WHERE request.status IN ('pending', 'running') AND report.id IS NOT NULL
             OR request.status = 'done' AND request.result <> '' AND request.result IS DISTINCT FROM report.id
                AND request.run_id <> ''`,
    },
    {
      id: 'I11',
      text: 'A balance is the sum of its ledger',
      sql: `SELECT users.id, users.qpu_ms, coalesce(sum(delta_ms), 0) AS ledger_ms
          FROM users LEFT JOIN qpu_ledger entry ON entry.user = users.id
          GROUP BY users.id HAVING users.qpu_ms <> coalesce(sum(delta_ms), 0)`,
    },
    {
      id: 'I11',
      text: 'The charged usage of a user in a month is that of the ledger, less the refunds of its jobs',
      sql: `SELECT "user", month, sum(ms) AS difference FROM (
            SELECT "user", month, charged_ms AS ms FROM qpu_usage
            UNION ALL
            SELECT "user", substr(at, 1, 7), 0 - delta_ms FROM ${newerCharges(dialect)} newer
            UNION ALL
            SELECT "user", substr(at, 1, 7), delta_ms FROM qpu_ledger WHERE kind IN ('charge', 'session')
            UNION ALL
            SELECT refund.user, substr(charge.at, 1, 7), refund.delta_ms FROM qpu_ledger refund
            JOIN qpu_ledger charge ON charge.kind = 'charge'
              AND charge.source_id = ${refundedJobSql('refund')}
            WHERE refund.kind = 'refund') changes
          GROUP BY "user", month HAVING sum(ms) <> 0`,
    },
    {
      id: 'I11',
      text: 'The recent use of a user in a month is not more than the usage',
      sql: `SELECT recent.user, recent.month, recent.ms, coalesce(sum(used_ms), 0) AS used_ms
          FROM (SELECT "user", ${dialect.monthOf('minute * 60')} AS month, sum(ms) AS ms FROM recent_use
                GROUP BY 1, 2) recent
          LEFT JOIN qpu_usage ON qpu_usage.user = recent.user AND qpu_usage.month = recent.month
          GROUP BY 1, 2, 3 HAVING recent.ms > coalesce(sum(used_ms), 0)`,
    },
    {
      id: 'I11',
      text: 'The watermark of the sums is a position that the ledger has reached',
      fast: true,
      sql: `SELECT position FROM sums_watermark
          WHERE position > (SELECT coalesce(max(${INSERTION_ORDER}), 0) FROM qpu_ledger)`,
    },
    {
      id: 'I11',
      text: 'The stored bytes of a user are those of the jobs',
      sql: `SELECT "user", sum(bytes) AS difference FROM (
            SELECT id AS "user", job_bytes AS bytes FROM users
            UNION ALL
            SELECT job.user_id, -(${ownBytesSql(quantumJobs, 'job')}) FROM quantum_jobs job JOIN users ON users.id = job.user_id
            UNION ALL
            SELECT job.user_id, -octet_length(body) FROM quantum_jobs_large JOIN quantum_jobs job ON job.id = record
            JOIN users ON users.id = job.user_id) changes
          GROUP BY "user" HAVING sum(bytes) <> 0`,
    },
    {
      id: 'I12',
      text: 'A time request is granted exactly if it is approved, with the granted seconds',
      fast: true,
      sql: `SELECT request.id, request.status, entry.delta_ms FROM qpu_time_requests request
          LEFT JOIN qpu_ledger entry ON entry.kind = 'grant' AND entry.source_id = request.id
          WHERE (request.status = 'approved') <> (entry.source_id IS NOT NULL)
             OR entry.delta_ms <> ${dialect.rounded('coalesce(nullif(request.granted_seconds, 0), request.seconds) * 1000')}`,
    },
    {
      id: 'I13',
      text: 'Slots of the same QPU do not overlap',
      sql: `SELECT one.id, other.id AS other FROM time_slots one
          JOIN time_slots other ON other.start_time < one.end_time AND other.start_time >= one.start_time
            AND other.end_time > one.start_time AND other.id <> one.id
            AND (other.start_time > one.start_time OR other.id > one.id)
          WHERE one.qpu = other.qpu OR one.qpu = '' OR other.qpu = ''`,
    },
    {
      id: 'I14',
      text: 'A running job has a claim',
      fast: true,
      sql: `SELECT id, attempt FROM quantum_jobs WHERE status = 'running' AND claimed_at = ''`,
    },
    {
      id: 'I14',
      text: 'The last event of a timeline matches the state of its job',
      sql: `SELECT job.id, job.status, job.event FROM
            (SELECT id, status, ${dialect.jsonAt("('[' || history || ']')", "'$[#-1][1]'")} AS event FROM quantum_jobs) job
          WHERE job.status IS DISTINCT FROM CASE job.event
            WHEN 'submitted' THEN 'pending' WHEN 'undelivered' THEN 'pending' WHEN 'lost' THEN 'pending'
            WHEN 'device_error' THEN 'pending' WHEN 'requeued' THEN 'pending' WHEN 'held' THEN 'pending'
            WHEN 'released' THEN 'pending' WHEN 'moved_to_front' THEN 'pending' WHEN 'moved' THEN 'pending'
            WHEN 'claimed' THEN 'running' WHEN 'started' THEN 'running'
            WHEN 'imported' THEN CASE WHEN job.status IN ('pending', 'running') THEN '' ELSE job.status END
            ELSE job.event END`,
    },
    {
      id: 'I15',
      text: 'Only a pending job is held',
      sql: `SELECT id, status FROM quantum_jobs WHERE held = 1 AND status <> 'pending'`,
    },
    {
      id: 'I16',
      text: 'What an attempt ran with is stored, and nothing that no attempt refers to',
      sql: `SELECT coalesce(job, '') AS job, coalesce(claim.provenance, stored.id) AS provenance
          FROM (SELECT job, provenance FROM ${ATTEMPTS} tried WHERE provenance > 0
                UNION SELECT id, provenance FROM quantum_jobs WHERE provenance > 0) claim
          FULL JOIN job_provenance stored ON stored.id = claim.provenance
          WHERE job IS NULL OR stored.id IS NULL`,
    },
    {
      id: 'I18',
      text: 'A session has an entry of the ledger for each of its charges, which add up to the time that it was held',
      sql: `SELECT held.id, held.charges, held.held_ms, count(entry.source_id) AS entries
          FROM sessions held LEFT JOIN qpu_ledger entry ON entry.kind = 'session'
            AND entry.source_id > held.id || ':' AND entry.source_id < held.id || ';'
          WHERE held.charges > 0 GROUP BY held.id, held.charges, held.held_ms
          HAVING count(entry.source_id) <> held.charges OR coalesce(sum(entry.used_ms), 0) <> held.held_ms`,
    },
    {
      id: 'I17',
      text: 'No removal of a QPU or a user has left records for all of them; svc doctor --repair repairs it',
      fast: true,
      sql: `SELECT collection, id FROM (${widenedSql(dialect)}) widened`,
    },
  ]
})

/**
 * Returns the violated invariants, each with up to 20 rows; empty when there are none. `fast` checks only
 * what running work touches. `maxAttempts` is the configured limit, 0 = none.
 */
export function checkInvariants(tx: SqlReader, { fast = false, maxAttempts = 0 } = {}): Finding[] {
  return invariantsOf(tx.dialect)
    .filter((each) => !fast || each.fast === true)
    .map(({ id, text, sql }) => ({
      id,
      text,
      rows: tx.all<Record<string, unknown>>(`${sql} LIMIT ${MAX_EXAMPLES}`, { maxAttempts }),
    }))
    .filter((finding) => finding.rows.length > 0)
}
