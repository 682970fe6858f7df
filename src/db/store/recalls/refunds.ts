import { IN_FORCE } from '../../collections/calibration_results.ts'
import { notifications } from '../../collections/notifications.ts'
import { COMPLETED_HERE, quantumJobs } from '../../collections/quantum_jobs.ts'
import { users } from '../../collections/users.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { startSql, touchSql } from '../../schema/internal/recall-touch.ts'
import { chargeOf, postLedger, refundSource, refundsOf } from '../accounts/ledger.ts'
import { reduceUsage } from '../accounts/usage.ts'
import type { Recall } from './recalls.ts'

/** Jobs that one step looks at. */
const JOBS = 25

/** A recall whose jobs are not all settled, and up to which of them they are. */
type OpenRecall = Pick<Recall, 'id' | 'qpu' | 'report' | 'from_at' | 'to_at' | 'reason' | 'undone_at'> & {
  cursor_at: string
  cursor_job: string
}

/** A completed job of the QPU of a recall. */
interface CompletedJob extends Omit<TouchedJob, 'isRecalled'> {
  start: string
  /** Whether its result touches the recall. */
  touches: number
}

/** A job that a withdrawn recall had touched. */
interface TouchedJob {
  id: string
  /** '' = removed. */
  user: string
  /** When it ended. */
  at: string
  /** Whether it touches any recall in force. */
  isRecalled: number
}

const OPEN = `SELECT id, qpu, report, from_at, to_at, reason, undone_at, cursor_at, cursor_job
  FROM recalls WHERE settled = 0`

/** The jobs after the place of a recall. Those of this millisecond may not be all. */
const NEXT = `job.finished_at >= $after AND job.finished_at < $now
  AND (job.finished_at > $after OR job.finished_at = $after AND job.id > $job)`

/** Ids of the recalls that are not settled for good, oldest first. */
export function listOpenRecalls(tx: ReadTx): string[] {
  return tx.all<OpenRecall>(`${OPEN} ORDER BY id`).map(({ id }) => id)
}

/** Whether a recall has jobs to settle at this time, or is settled for good by another step. */
export function hasUnsettledJobs(tx: ReadTx, id: string): boolean {
  const recall = findOpen(tx, id)
  if (!recall) return false
  if (recall.undone_at !== '') return true
  const found = tx.one(
    `SELECT 1 AS one FROM quantum_jobs job WHERE ${COMPLETED_HERE} AND qpu = $qpu AND ${NEXT} LIMIT 1`,
    placeOf(tx, recall),
  )
  return found !== undefined || isOver(tx, recall)
}

function findOpen(tx: ReadTx, id: string): OpenRecall | undefined {
  return tx.one<OpenRecall>(`${OPEN} AND id = $id`, { id })
}

/**
 * Settles the next jobs of a recall in the order of their ends: each one's refund becomes its charge. Of a
 * recall that was withdrawn, it becomes nothing unless another one in force touches the job, whatever recalls
 * overlap; also of jobs that were removed since. Informs each owner once. Returns whether there are no more
 * jobs at this time. A job that ends later is found later: while one may touch the recall, it stays open.
 */
export function settleJobs(tx: Tx, id: string): boolean {
  const recall = findOpen(tx, id)
  if (!recall) return true
  return recall.undone_at === '' ? refundNext(tx, recall) : deductNext(tx, recall)
}

function refundNext(tx: Tx, recall: OpenRecall): boolean {
  const { id } = recall
  const jobs = nextJobs(tx, recall)
  for (const job of jobs.filter(({ touches }) => touches === 1)) {
    tx.run(
      `INSERT INTO recalled_jobs (recall, job, "user", finished_at) VALUES ($id, $job, $user, $at)
       ON CONFLICT DO NOTHING`,
      { id, job: job.id, user: job.user, at: job.at },
    )
    settle(tx, recall.qpu, { ...job, isRecalled: 1 })
    inform(tx, recall, job.user)
  }
  const last = jobs.at(-1)
  if (last)
    tx.run('UPDATE recalls SET cursor_at = $at, cursor_job = $job WHERE id = $id', {
      id,
      at: last.at,
      job: last.id,
    })
  const end = endOf(tx, recall)
  const isPast = last !== undefined && end !== undefined && last.start > end
  if (!isPast && jobs.length === JOBS) return false
  if (isPast || isOver(tx, recall)) tx.run('UPDATE recalls SET settled = 1 WHERE id = $id', { id })
  return true
}

function deductNext(tx: Tx, recall: OpenRecall): boolean {
  const { id, qpu } = recall
  const jobs = touchedJobs(tx, recall)
  for (const job of jobs) {
    settle(tx, qpu, job)
    inform(tx, recall, job.user)
    tx.run('DELETE FROM recalled_jobs WHERE recall = $id AND job = $job', { id, job: job.id })
  }
  if (jobs.length === JOBS) return false
  tx.run('UPDATE recalls SET settled = 1 WHERE id = $id', { id })
  return true
}

/** Whether no job can touch a recall any more: what began by its end, if it has one, has ended for good. */
function isOver(tx: ReadTx, recall: OpenRecall): boolean {
  const { qpu } = recall
  if (!tx.one('SELECT 1 AS one FROM qpus WHERE id = $qpu', { qpu })) return true
  const end = endOf(tx, recall)
  if (end === undefined || end >= tx.at) return false
  const open = tx.one(
    `SELECT 1 AS one FROM quantum_jobs job WHERE status = 'running' AND qpu = $qpu AND ${startSql('job')} <= $end
     UNION ALL
     SELECT 1 FROM quantum_jobs job JOIN job_attempts claim ON claim.job = job.id AND claim.attempt = job.attempt
     WHERE job.status = 'pending' AND job.attempt > 0 AND claim.qpu = $qpu AND claim.claimed_at <= $end
     LIMIT 1`,
    { qpu, end },
  )
  return open === undefined
}

/** The latest start of a job that touches a recall; undefined while its report is the newest in force. */
function endOf(tx: ReadTx, { qpu, report, from_at, to_at }: OpenRecall): string | undefined {
  if (report === '') return to_at
  return tx.one<{ at: string }>(
    `SELECT finished_at AS at FROM calibration_results
     WHERE qpu = $qpu AND (${IN_FORCE}) AND finished_at > $from ORDER BY finished_at, seq LIMIT 1`,
    { qpu, from: from_at },
  )?.at
}

/** The next completed jobs of the QPU. */
function nextJobs(tx: ReadTx, recall: OpenRecall): CompletedJob[] {
  const order = 'ORDER BY job.finished_at, job.id LIMIT $limit'
  return tx.all<CompletedJob>(
    `SELECT job.id, job.user_id AS "user", ${startSql('job')} AS start, job.finished_at AS at,
       CASE WHEN ${touchSql('job', 'recall')} THEN 1 ELSE 0 END AS touches
     FROM (SELECT * FROM quantum_jobs job WHERE ${COMPLETED_HERE} AND qpu = $qpu AND ${NEXT} ${order}) job
       JOIN recalls recall ON recall.id = $id
     ${order}`,
    { ...placeOf(tx, recall), id: recall.id, limit: JOBS },
  )
}

/** The next jobs that a withdrawn recall had touched; one that was removed is in what recalls know of it. */
function touchedJobs(tx: ReadTx, { id, qpu }: OpenRecall): TouchedJob[] {
  return tx.all<TouchedJob>(
    `SELECT known.job AS id, coalesce(owner.id, '') AS "user", known.finished_at AS at, CASE WHEN EXISTS (
         SELECT 1 FROM recalls other WHERE other.qpu = $qpu AND other.undone_at = '' AND (
           ${touchSql('job', 'other')}
           OR EXISTS (SELECT 1 FROM recalled_jobs same WHERE same.recall = other.id AND same.job = known.job))
       ) THEN 1 ELSE 0 END AS "isRecalled"
     FROM (SELECT * FROM recalled_jobs WHERE recall = $id ORDER BY job LIMIT $limit) known
       LEFT JOIN quantum_jobs job ON job.id = known.job LEFT JOIN users owner ON owner.id = known."user"`,
    { id, qpu, limit: JOBS },
  )
}

/** The place among the jobs up to which those of a recall are settled. */
function placeOf(tx: ReadTx, { qpu, cursor_at: after, cursor_job: job }: OpenRecall) {
  return { qpu, after, job, now: tx.at }
}

/**
 * Makes the refund of a job what it has to be, and publishes the job, whose mark has changed. Removed and
 * unlimited users are not charged.
 */
function settle(tx: Tx, qpu: string, { id, user, at, isRecalled }: TouchedJob): void {
  tx.changed(quantumJobs, id, 'update')
  const charged = tx.read(chargeOf(id))
  if (charged === undefined || user === '') return
  const { ms, count } = refundsOf(tx, id)
  const deltaMs = (isRecalled === 1 ? charged : 0) - ms
  if (deltaMs === 0) return
  if (!postLedger(tx, { user, kind: 'refund', sourceId: refundSource(id, count), deltaMs })) return
  reduceUsage(tx, { user, qpu, month: at.slice(0, 'YYYY-MM'.length) }, deltaMs)
}

/** The first notification of an owner that a recall touches, and the first one after it was withdrawn. */
function inform(
  tx: Tx,
  { id, qpu, report, from_at, to_at, reason, undone_at }: OpenRecall,
  user: string,
): void {
  if (user === '' || !tx.find(users, user)) return
  const isUndone = undone_at !== '' ? 1 : 0
  const added = tx.run(
    `INSERT INTO recall_notices (recall, "user", undone)
     SELECT $id, $user, $isUndone
     WHERE $isUndone = 0 OR EXISTS (SELECT 1 FROM recall_notices WHERE recall = $id AND "user" = $user)
     ON CONFLICT DO NOTHING`,
    { id, user, isUndone },
  )
  if (added === 0) return
  const name = tx.one<{ name: string }>('SELECT name FROM qpus WHERE id = $qpu', { qpu })?.name ?? qpu
  const what = report === '' ? `between ${from_at} and ${to_at}` : `with the calibration report ${report}`
  const jobs = `Results that you have from ${name} ${what}`
  const text = isUndone
    ? {
        title: 'A recall of results was withdrawn',
        description: `${jobs} count again. What was refunded for them is deducted again, unless another recall still covers them.`,
      }
    : {
        title: 'Results were recalled',
        description: `${jobs} are not to be relied on: ${reason}. Their charge is refunded.`,
      }
  tx.insert(notifications, { ...text, target_users: [user] })
}
