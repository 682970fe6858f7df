import { quantumJobs } from '../../collections/quantum_jobs.ts'
import type { SqlWriter } from '../../engine/sql.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { DriverAttempt } from './attempts.ts'

/** The result of one circuit of a job that runs. */
export interface PartialResult {
  /** Position in the results of the whole job. */
  index: number
  /** JSON. */
  text: string
}

/** How far an attempt is. */
interface Progress extends DriverAttempt {
  /** From 0 to 1. */
  progress: number
  results: readonly PartialResult[]
}

/** Least progress of a job with results: they are looked for, and removed, only where there is any. */
const LEAST_PROGRESS = 1e-6

/**
 * Records how far a running attempt is, which never becomes less, and its results so far: each position once,
 * up to `maxBytes` of all. False when it is not the open attempt of that driver.
 */
export function recordProgress(
  tx: Tx,
  { job, attempt, driver, progress, results }: Progress,
  maxBytes: number,
): boolean {
  const row = tx.one<{ seq: number }>(
    `UPDATE quantum_jobs SET progress = CASE WHEN progress > $progress THEN progress ELSE $progress END, updated = $at
     WHERE id = $job AND attempt = $attempt AND driver = $driver AND status = 'running' RETURNING seq`,
    {
      job,
      attempt,
      driver,
      at: tx.at,
      progress: results.length > 0 ? Math.max(LEAST_PROGRESS, progress) : progress,
    },
  )
  if (!row) return false
  if (results.length > 0) addResults(tx, row.seq, results, maxBytes)
  tx.changed(quantumJobs, job, 'update')
  return true
}

function addResults(tx: Tx, seq: number, results: readonly PartialResult[], maxBytes: number): void {
  const stored = tx.one<{ number: number; bytes: number }>(
    'SELECT count(*) AS number, coalesce(sum(bytes), 0) AS bytes FROM partial_results WHERE job_seq = $seq',
    { seq },
  )
  let { number: place, bytes: sum } = stored ?? { number: 0, bytes: 0 }
  for (const { index, text } of results) {
    const bytes = Buffer.byteLength(text)
    if (sum + bytes > maxBytes) return
    const added = tx.run(
      `INSERT INTO partial_results (job_seq, position, place, bytes, body)
       VALUES ($seq, $index, $place, $bytes, $text) ON CONFLICT (job_seq, position) DO NOTHING`,
      { seq, index, place, bytes, text },
    )
    if (added === 0) continue
    place += 1
    sum += bytes
  }
}

/** The results so far that arrived after the first `after`, in the order of their arrival. */
export function listPartialResults(tx: ReadTx, job: string, after: number): PartialResult[] {
  return tx.all<PartialResult>(
    `SELECT position AS "index", body AS text FROM partial_results
     WHERE job_seq = (SELECT seq FROM quantum_jobs WHERE id = $job) AND place >= $after ORDER BY place`,
    { job, after },
  )
}

/** Removes them: another attempt begins, or the whole results have arrived. */
export function removePartialResults(tx: SqlWriter, job: string): void {
  tx.post('DELETE FROM partial_results WHERE job_seq = (SELECT seq FROM quantum_jobs WHERE id = $job)', {
    job,
  })
}
