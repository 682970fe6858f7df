import { IN_FORCE } from '../../collections/calibration_results.ts'
import { notifications } from '../../collections/notifications.ts'
import { COMPLETED_HERE } from '../../collections/quantum_jobs.ts'
import { users } from '../../collections/users.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { chargeOf, postLedger, refundSource, refundsOf } from '../accounts/ledger.ts'
import { reduceUsage } from '../accounts/usage.ts'
import type { Recall } from './recalls.ts'
import { startSql, touchSql } from './touch.ts'

/** Jobs that one step looks at. */
const JOBS = 25

/** A recall whose jobs are not all settled, and up to which of them they are. */
type OpenRecall = Pick<Recall, 'id' | 'qpu' | 'report' | 'from_at' | 'to_at' | 'reason' | 'undone_at'> & {
  cursor_at: string
  cursor_job: string
}

/** A completed job of the QPU of a recall. */
interface CompletedJob {
  id: string
  user: string
  start: string
  at: string
  /** Whether its result touches the recall. */
  touches: number
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

/** Whether a recall has jobs to settle at this time. */
export function hasUnsettledJobs(tx: ReadTx, id: string): boolean {
  const recall = tx.one<OpenRecall>(`${OPEN} AND id = $id`, { id })
  if (!recall) return false
  const found = tx.one(
    `SELECT 1 AS one FROM quantum_jobs job WHERE ${COMPLETED_HERE} AND qpu = $qpu AND ${NEXT} LIMIT 1`,
    placeOf(tx, recall),
  )
  return found !== undefined
}

/**
 * Settles the next jobs of a recall in the order of their ends: each one's refund becomes its charge while
 * any recall in force touches it, and nothing otherwise, whatever recalls overlap. Informs each owner once.
 * Returns whether there are no more jobs at this time. A job that ends later is found later: as long as one
 * may touch the recall, it stays open.
 */
export function settleJobs(tx: Tx, id: string): boolean {
  const recall = tx.one<OpenRecall>(`${OPEN} AND id = $id`, { id })
  if (!recall) return true
  const jobs = nextJobs(tx, recall)
  for (const job of jobs.filter(({ touches }) => touches === 1)) {
    settle(tx, recall.qpu, job)
    inform(tx, recall, job.user)
  }
  const last = jobs.at(-1)
  const end = endOf(tx, recall)
  const settled = last !== undefined && end !== undefined && last.start > end ? 1 : 0
  if (last)
    tx.run('UPDATE recalls SET cursor_at = $at, cursor_job = $job, settled = $settled WHERE id = $id', {
      id,
      at: last.at,
      job: last.id,
      settled,
    })
  return settled === 1 || jobs.length < JOBS
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
       CASE WHEN ${touchSql('job', 'recall')} THEN 1 ELSE 0 END AS touches,
       CASE WHEN EXISTS (SELECT 1 FROM recalls other WHERE other.qpu = job.qpu AND other.undone_at = ''
         AND ${touchSql('job', 'other')}) THEN 1 ELSE 0 END AS "isRecalled"
     FROM (SELECT * FROM quantum_jobs job WHERE ${COMPLETED_HERE} AND qpu = $qpu AND ${NEXT} ${order}) job
       JOIN recalls recall ON recall.id = $id
     ${order}`,
    { ...placeOf(tx, recall), id: recall.id, limit: JOBS },
  )
}

/** The place among the jobs up to which those of a recall are settled. */
function placeOf(tx: ReadTx, { qpu, cursor_at: after, cursor_job: job }: OpenRecall) {
  return { qpu, after, job, now: tx.at }
}

/** Makes the refund of a job what it has to be. Removed and unlimited users are not charged. */
function settle(tx: Tx, qpu: string, { id, user, at, isRecalled }: CompletedJob): void {
  const charged = chargeOf(tx, id)()
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
