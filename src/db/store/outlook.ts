import { qpus } from '../collections/qpus.ts'
import type { ReadTx } from '../tx.ts'
import { PENDING_BY_QPU, type QueueState, readQueue } from './queue.ts'

/** A pending job and the queues it stands in: all that is needed to say why it waits, and how long. */
export interface JobOutlook {
  job: {
    user: string
    /** Earliest next run, ms since the epoch; 0 = any time. */
    notBefore: number
    hasBalance: boolean
  }
  /** One for each QPU that may run it. */
  queues: QueueOutlook[]
}

export interface QueueOutlook {
  state: QueueState
  /** Pending jobs that this QPU would take before it, whether or not they may run now. */
  ahead: number
  /** Time that the latest jobs on this QPU took from claim to end, ms. */
  recentMs: number[]
}

interface PendingRow {
  seq: number
  user_id: string
  qpu_target: string
  not_before: number
  qubits: number
  has_balance: number
}

/** Reads the outlook of a job; undefined when it is not pending. */
export function readOutlook(tx: ReadTx, id: string, idleMs: number): JobOutlook | undefined {
  const row = tx.one<PendingRow>(
    `SELECT job.seq, job.user_id, job.qpu_target, job.not_before, job.qubits,
       coalesce(owner.unlimited = 1 OR owner.qpu_ms > 0, 0) AS has_balance
     FROM quantum_jobs job LEFT JOIN users owner ON owner.id = job.user_id
     WHERE job.id = $id AND job.status = 'pending'`,
    { id },
  )
  if (!row) return undefined
  const states = candidates(tx, row).map((qpu) => readQueue(tx, qpu, idleMs))
  return {
    job: { user: row.user_id, notBefore: row.not_before, hasBalance: row.has_balance === 1 },
    queues: states
      .filter((state) => state !== undefined)
      .map((state) => ({ state, ahead: countAhead(tx, row, state), recentMs: recentMs(tx, state.qpu.id) })),
  }
}

function candidates(tx: ReadTx, job: PendingRow): string[] {
  if (job.qpu_target !== '') return [job.qpu_target]
  return tx
    .list(qpus, { where: { enabled: true } })
    .filter((qpu) => qpu.num_qubits <= 1 || job.qubits <= qpu.num_qubits)
    .map((qpu) => qpu.id)
}

const QUEUED = `SELECT count(*) AS jobs FROM ${PENDING_BY_QPU}
  WHERE status = 'pending' AND qpu_target IN ('', $qpu)`

function countAhead(tx: ReadTx, { seq, user_id }: PendingRow, { qpu, slot }: QueueState): number {
  const count = (condition: string, params: Record<string, string | number>) =>
    tx.one<{ jobs: number }>(`${QUEUED} AND ${condition}`, { qpu: qpu.id, ...params })?.jobs ?? 0
  if (!slot) return count('seq < $seq', { seq })
  if (slot.user === user_id) return count('seq < $seq AND user_id = $user', { seq, user: user_id })
  // The booker's jobs go first whenever they came.
  return count('seq < $seq', { seq }) + count('seq > $seq AND user_id = $booker', { seq, booker: slot.user })
}

function recentMs(tx: ReadTx, qpu: string): number[] {
  const rows = tx.all<{ ms: number }>(
    `SELECT (julianday(ended_at) - julianday(claimed_at)) * 86400000 AS ms FROM
       (SELECT ended_at, claimed_at, state FROM job_attempts
        WHERE qpu = $qpu AND ended_at <> '' ORDER BY ended_at DESC LIMIT 20)
     WHERE state = 'ok'`,
    { qpu },
  )
  return rows.map((row) => Math.max(0, Math.round(row.ms)))
}
