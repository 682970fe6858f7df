import { fromTimestamp } from '../../../../base/index.ts'
import { COMPLETED_HERE, quantumJobs } from '../../../collections/quantum_jobs.ts'
import type { Database } from '../../../records/database.ts'
import type { ReadTx } from '../../../records/tx.ts'
import type { Job } from '../jobs.ts'
import { Forecast } from './forecast.ts'

/** Completed jobs that are read of a QPU when its forecast is first needed. */
const MAX_READ = 100

/** An end of a job that a forecast has learned from, or will. */
interface EndedJob {
  id: string
  created: string
  finished_at: string
  duration: number
  attempt: number
  shots: number
  executions: number
  qubits: number
  program_hash: string
  quote_start_from: string
  quote_wait_ms: number
}

/** A forecast, and what it has learned from already. */
interface Known {
  forecast: Forecast
  ended: Set<string>
}

/**
 * The forecasts of all QPUs, in memory: each is read from the store when it is first needed, and then learns
 * from each job that ends.
 */
export class Forecasts {
  readonly #byQpu = new Map<string, Known>()
  /** The last claims of jobs that have not ended; UTC text. */
  readonly #claimed = new Map<string, { attempt: number; at: string }>()

  constructor(db: Pick<Database, 'changes'>) {
    db.changes.subscribe((changes) => {
      for (const { collection, id, record } of changes)
        if (collection === quantumJobs.name) this.#follow(id, record as Job | undefined)
    })
  }

  of(tx: ReadTx, qpu: string): Forecast {
    const known = this.#byQpu.get(qpu)
    if (known) return known.forecast
    const read: Known = { forecast: new Forecast(), ended: new Set() }
    for (const job of listEnded(tx, qpu)) learn(read, job, job.claimed_at)
    this.#byQpu.set(qpu, read)
    return read.forecast
  }

  #follow(id: string, job: Job | undefined): void {
    if (job?.status === 'running') {
      const { attempt, updated: at } = job
      if (this.#claimed.get(id)?.attempt !== attempt) this.#claimed.set(id, { attempt, at })
      return
    }
    // Its last attempt may still complete it.
    if (job?.status === 'pending') return
    const claimed = this.#claimed.get(id)?.at
    this.#claimed.delete(id)
    const known = job?.status === 'completed' ? this.#byQpu.get(job.qpu) : undefined
    if (known && job) learn(known, job, claimed ?? job.started_at)
  }
}

function learn({ forecast, ended }: Known, job: EndedJob, claimedAt: string): void {
  if (ended.has(job.id)) return
  ended.add(job.id)
  // Changes of one commit and a read within it name the same jobs: the last ones are enough.
  if (ended.size > 2 * MAX_READ) for (const oldest of ended.values().take(MAX_READ)) ended.delete(oldest)
  const claimed = fromTimestamp(claimedAt)
  const finished = fromTimestamp(job.finished_at)
  if (claimed === undefined || finished === undefined) return
  const created = fromTimestamp(job.created)
  if (job.attempt === 1 && job.quote_start_from !== '' && created !== undefined)
    forecast.waits.add(job.quote_wait_ms, Math.max(0, claimed - created))
  const { shots, executions, qubits, program_hash: program } = job
  const times = { ms: Math.round(1_000 * job.duration), busyMs: Math.max(0, finished - claimed) }
  forecast.add({ program, shots, executions, qubits, ...times })
}

/** The latest jobs that a QPU has completed, in order of their ends. */
function listEnded(tx: ReadTx, qpu: string): (EndedJob & { claimed_at: string })[] {
  return tx
    .all<EndedJob & { claimed_at: string }>(
      `SELECT id, created, claimed_at, finished_at, duration, attempt, shots, executions, qubits, program_hash,
         quote_start_from, quote_wait_ms
       FROM quantum_jobs WHERE ${COMPLETED_HERE} AND qpu = $qpu ORDER BY finished_at DESC LIMIT ${MAX_READ}`,
      { qpu },
    )
    .reverse()
}
