import type { ReadTx } from '../../records/tx.ts'

/** One claim of a job for a driver, as its owner sees it. */
interface AttemptSeen {
  attempt: number
  /** Ids; of a QPU or driver that was removed as well. */
  qpu: string
  driver: string
  /** `open` while it runs; `undelivered` and `requeued` ones do not count as failed. */
  state: 'open' | 'ok' | 'error' | 'lost' | 'undelivered' | 'requeued'
  claimed_at: string
  started_at: string
  ended_at: string
}

/** The attempts of a job in order. */
export function listAttempts(tx: ReadTx, job: string): AttemptSeen[] {
  return tx.all<AttemptSeen>(
    `SELECT attempt, qpu, driver, state, claimed_at, started_at, ended_at FROM job_attempts
     WHERE job = $job ORDER BY attempt`,
    { job },
  )
}
