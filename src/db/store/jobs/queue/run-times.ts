import { COMPLETED_HERE, quantumJobs } from '../../../collections/quantum_jobs.ts'
import type { Database } from '../../../records/database.ts'
import type { ReadTx } from '../../../records/tx.ts'
import type { Job } from '../jobs.ts'

/** Time from claim to end of the latest jobs of each QPU, read again after a job of it has ended. */
export class RunTimes {
  readonly #byQpu = new Map<string, { all: readonly number[]; typical: number }>()

  constructor(db: Pick<Database, 'changes'>) {
    db.changes.subscribe((changes) => {
      for (const { collection, record } of changes) {
        if (collection !== quantumJobs.name) continue
        const { qpu, status, attempt } = (record as Job | undefined) ?? {}
        // A job that waits again no longer names the QPU on which its attempt ended.
        if (status === 'pending' && attempt !== 0) this.#byQpu.clear()
        else this.#byQpu.delete(qpu ?? '')
      }
    })
  }

  /** `all` in ms; `typical` is the middle one, never 0, and assumed for a QPU that has run none. */
  of(tx: ReadTx, qpu: string): { all: readonly number[]; typical: number } {
    const known = this.#byQpu.get(qpu)
    if (known) return known
    const all = recentMs(tx, qpu)
    const read = { all, typical: typicalMs(all) }
    this.#byQpu.set(qpu, read)
    return read
  }
}

/** Assumed duration of a job on a QPU that has run none, ms. */
const DEFAULT_RUN_MS = 1_000

/** The typical time of a job, ms; never 0. */
export function typicalMs(times: readonly number[]): number {
  return Math.max(1, times.toSorted((one, other) => one - other)[times.length >> 1] ?? DEFAULT_RUN_MS)
}

/** Time from claim to end of the latest jobs on a QPU, ms. */
export function recentMs(tx: ReadTx, qpu: string): number[] {
  const rows = tx.all<{ ms: number }>(
    `SELECT ${tx.dialect.millisecondsBetween('claimed_at', 'ended_at')} AS ms FROM
       (SELECT * FROM (SELECT finished_at AS ended_at, claimed_at, 'ok' AS state FROM quantum_jobs
          WHERE ${COMPLETED_HERE} AND qpu = $qpu ORDER BY finished_at DESC LIMIT 20) done
        UNION ALL
        SELECT * FROM (SELECT ended_at, claimed_at, state FROM job_attempts
          WHERE qpu = $qpu ORDER BY ended_at DESC LIMIT 20) tried
        ORDER BY ended_at DESC LIMIT 20) latest
     WHERE state = 'ok'`,
    { qpu },
  )
  return rows.map((row) => Math.max(0, Math.round(row.ms)))
}
