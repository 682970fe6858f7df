import { QUEUED, quantumJobs } from '../../../collections/quantum_jobs.ts'
import { INSERTION_ORDER } from '../../../engine/dialect.ts'
import { allOf, firstOf, type Query } from '../../../engine/query.ts'
import { appendedSql, entrySql, keepShort, SHORT_ATTEMPTS } from '../../../journal/timeline.ts'
import { largeTextOf, MAX_HELD_BYTES } from '../../../records/stored-values.ts'
import type { Tx } from '../../../records/tx.ts'
import { JsonText } from '../../../schema/json-text.ts'
import { isLeftOut, shortValueSql } from '../../../schema/large-values.ts'
import { labelsSql } from '../labels.ts'
import { removePartialResults } from '../partial-results.ts'
import { cancelJob } from './cancel.ts'
import { OF_ENDED_HOLDER } from './end-holders.ts'
import { failUsedUp, type RetryLimits } from './retry.ts'
import { remainingMs } from './time-cap.ts'

/** A QPU whose process driver is attached according to the database. */
export interface DispatchTarget {
  qpu: string
  driver: string
  epoch: number
  /** The session in which its next job starts. */
  session?: string | undefined
}

/**
 * QPUs, of all or among `ids`, that can take a job now: enabled, not in maintenance or draining, process
 * driver attached, no job running.
 */
export function idleQpus(ids?: ReadonlySet<string>): Query<DispatchTarget[]> {
  return allOf<DispatchTarget>(
    (dialect) => `SELECT leases.qpu, leases.driver, leases.epoch FROM leases JOIN qpus ON qpus.id = leases.qpu
     WHERE ${ids ? `leases.qpu IN ${dialect.jsonTexts('$ids')} AND` : ''} leases.operation = 'process' AND leases.driver <> '' AND leases.state = 'attached'
       AND qpus.enabled = 1 AND qpus.maintenance = 0 AND qpus.draining = 0
       AND NOT EXISTS (SELECT 1 FROM quantum_jobs WHERE status = 'running' AND quantum_jobs.qpu = leases.qpu)
     ORDER BY leases.${INSERTION_ORDER}`,
    ids ? { ids: JSON.stringify([...ids]) } : {},
  )
}

/** A job assigned to a driver; dispatch it after the transaction is committed. */
export interface Claim extends DispatchTarget {
  job: string
  attempt: number
  /** A large one is a `JsonText`. */
  payload: unknown
  /** Names and metadata of its circuits. */
  labels: JsonText | undefined
  /** What its results must contain. */
  expected: JsonText | undefined
  /** QPU time that the job may still use, in ms; undefined without a limit of its own. */
  limitMs: number | undefined
}

/** A job that may be claimed. */
interface Claimable {
  /** The QPU that it is for; '' = any. */
  target: string
  isQueued: 0 | 1
  /** Its session has ended, and the job with it. */
  hasEnded: 0 | 1
  /** Number of its attempts. */
  attempts: number
  progress: number
  maxMs: number
  /** What its programs need of a chip, as JSON; '' where it is not known. */
  chipNeeds: string
  /** JSON; '' = unknown. */
  expected: string
  /** See `shortValueSql`. */
  payload: string | null
  /** JSON; null without any. */
  labels: string | null
}

/** A job with all that its claim needs but for a large payload; undefined for one that does not exist. */
export function claimable(job: string): Query<Claimable | undefined> {
  return firstOf<Claimable>(
    `SELECT qpu_target AS target, CASE WHEN ${QUEUED} THEN 1 ELSE 0 END AS "isQueued",
       CASE WHEN ${OF_ENDED_HOLDER} THEN 1 ELSE 0 END AS "hasEnded", attempt AS attempts,
       progress, max_ms AS "maxMs", chip_needs AS "chipNeeds", expected_results AS expected,
       ${shortValueSql(quantumJobs, 'payload', MAX_HELD_BYTES)} AS payload, (${labelsSql('$job')}) AS labels
     FROM quantum_jobs WHERE id = $job`,
    { job },
  )
}

/**
 * T2 of `jobs.ts`: assigns a pending job to the driver that has a QPU's lease, as its next attempt. Undefined
 * when the job is no longer queued, when its attempts are used up, which fails it, and when the session whose
 * secret submitted it has ended, which cancels it. The transaction has read `found`, the job as it is
 * `claimable`, and that the target is one of `idleQpus`.
 * @throws AppError `internal` when the QPU runs another job, or another driver has its lease.
 */
export function claimJob(
  tx: Tx,
  id: string,
  target: DispatchTarget,
  limits: RetryLimits,
  found: Claimable | undefined,
): Claim | undefined {
  const { qpu, driver, epoch, session = '' } = target
  if (!found?.isQueued || (found.target !== '' && found.target !== qpu)) return undefined
  if (found.hasEnded) {
    cancelJob(tx, id, 'session_ended')
    return undefined
  }
  const { labels, expected } = found
  const attempt = found.attempts + 1
  const entry = entrySql({ at: tx.at, event: 'claimed', detail: `driver ${driver}` }, 'attempt + 1')
  tx.postUpdateOfOne(
    quantumJobs,
    `UPDATE quantum_jobs SET status = 'running', attempt = attempt + 1, driver = $driver, qpu = $qpu,
       epoch = $epoch, session = $session, claimed_at = $at, started_at = '', not_before = 0, error_code = '', updated = $at,
       history = ${appendedSql(entry.sql)}
     WHERE id = $id AND ${QUEUED} AND qpu_target IN ('', $qpu)
       AND NOT EXISTS (SELECT 1 FROM quantum_jobs WHERE status = 'running' AND qpu = $qpu)
       AND EXISTS (SELECT 1 FROM leases WHERE qpu = $qpu AND operation = 'process' AND driver = $driver
                   AND epoch = $epoch AND state = 'attached')`,
    { id, qpu, driver, epoch, session, at: tx.at, ...entry.params },
  )
  if (failUsedUp(tx, { job: id, attempt, driver }, limits)) return undefined
  if (attempt > SHORT_ATTEMPTS) keepShort(tx, id)
  // An earlier attempt has reported some results.
  if (found.progress > 0) restart(tx, id)
  return {
    ...target,
    job: id,
    attempt,
    payload: isLeftOut(found.payload)
      ? largeTextOf(tx, quantumJobs, id, 'payload')
      : quantumJobs.fields.payload.kind.decode(found.payload),
    labels: labels === null ? undefined : new JsonText(labels),
    limitMs: remainingMs(tx, { job: id, attempt }, found.maxMs),
    expected: expected === '' ? undefined : new JsonText(expected),
  }
}

/** Removes what an earlier attempt has reported. */
function restart(tx: Tx, id: string): void {
  removePartialResults(tx, id)
  tx.post('UPDATE quantum_jobs SET progress = 0 WHERE id = $id', { id })
  tx.changed(quantumJobs, id, 'update')
}
