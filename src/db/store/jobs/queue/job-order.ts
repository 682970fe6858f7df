import type { qpus } from '../../../collections/qpus.ts'
import { quantumJobs } from '../../../collections/quantum_jobs.ts'
import type { Change } from '../../../records/changes.ts'
import type { Database } from '../../../records/database.ts'
import type { ReadTx } from '../../../records/tx.ts'
import type { RecordOf } from '../../../schema/collection.ts'
import { KnownQpus } from '../../qpus/known-qpus.ts'
import { KnownSessions } from '../../sessions/known-sessions.ts'
import type { JobNeeds } from '../fits-qpu.ts'
import { Forecasts } from '../forecast/forecasts.ts'
import type { Job } from '../jobs.ts'
import { FairShare } from './fair-share.ts'
import { Lane, merged } from './line.ts'

/** A QPU, as the queue needs it. */
export type Qpu = RecordOf<typeof qpus>

/** A pending or running job, as the order needs it. */
export interface OpenJob {
  readonly seq: number
  readonly id: string
  readonly user: string
  /** Id of a QPU; '' = any. */
  readonly target: string
  /** Pending and not held. */
  readonly isQueued: boolean
  /** Earliest next run, ms since the epoch; 0 = any time. */
  readonly notBefore: number
  /** Not 0 after an operator has moved it to the front; the greatest number runs first. */
  readonly runNext: number
  readonly needs: JobNeeds
}

/** The queued jobs for one target. */
export interface TargetQueue {
  readonly all: Lane
  readonly byUser: ReadonlyMap<string, Lane>
}

const NO_QUEUE: TargetQueue = { all: new Lane(), byUser: new Map() }

/**
 * The queued jobs of all QPUs in order, kept in memory: read from the store once, then changed with each
 * change of a job. It has changes before they are committed, as the statements of the same commit see them,
 * and reads again the jobs whose commit failed. It decides which job is next, and the claim in the store
 * whether it still is: an order that is wrong costs a claim that changes nothing.
 */
export class JobOrder {
  /** The recent use of QPU time, with the policy `fair`. */
  readonly fair: FairShare | undefined
  /** What is expected of the jobs of each QPU. */
  readonly forecasts: Forecasts
  readonly qpus: KnownQpus
  readonly sessions: KnownSessions
  /** Users without balance who were passed over: a change of one of them may let a job run. */
  readonly unfunded = new Set<string>()
  readonly #jobs = new Map<number, OpenJob>()
  readonly #seqs = new Map<string, number>()
  /** How many of these jobs each user has. */
  readonly #openOf = new Map<string, number>()
  readonly #targets = new Map<string, { all: Lane; byUser: Map<string, Lane> }>()
  readonly #moved = new Set<OpenJob>()
  /** The QPUs of the running jobs whose claim this order has seen, by job. */
  readonly #runningOn = new Map<string, string>()
  /** Ids of jobs whose rows must be read: they are not as the last change of them says. */
  readonly #unread = new Set<string>()
  /** False until all rows have been read. */
  #isComplete = false

  private constructor(db: Pick<Database, 'changes' | 'upcoming' | 'withdrawn'>, fair: FairShare | undefined) {
    this.fair = fair
    this.forecasts = new Forecasts(db)
    this.qpus = new KnownQpus(db)
    this.sessions = new KnownSessions(db)
    db.upcoming.subscribe((changes) => {
      for (const change of changes) this.#apply(change)
    })
    db.withdrawn.subscribe((changes) => {
      for (const { collection, id } of changes) {
        if (collection !== quantumJobs.name) continue
        this.#unread.add(id)
        this.#runningOn.delete(id)
      }
    })
  }

  /** Reads the order from the store. `fairWindowMs`: for the policy `fair`. */
  static async open(
    db: Pick<Database, 'changes' | 'upcoming' | 'withdrawn' | 'write'>,
    { fairWindowMs }: { fairWindowMs?: number | undefined } = {},
  ): Promise<JobOrder> {
    const fair = fairWindowMs === undefined ? undefined : new FairShare(fairWindowMs)
    const order = new JobOrder(db, fair)
    await db.write('read the order of jobs', (tx) => order.refresh(tx))
    return order
  }

  /** Reads what is not known; call it before the order is used in a transaction. */
  refresh(tx: ReadTx): void {
    if (this.#isComplete && this.#unread.size === 0) return
    const ids = [...this.#unread]
    for (const id of ids) this.#forget(id)
    const rows = this.#isComplete
      ? tx.all<OpenRow>(
          `${OPEN_JOBS} id IN ${tx.dialect.jsonTexts('$ids')} AND status IN ('pending', 'running')`,
          {
            ids: JSON.stringify(ids),
          },
        )
      : [...tx.all<OpenRow>(ALL_PENDING), ...tx.all<OpenRow>(`${OPEN_JOBS} status = 'running'`)]
    for (const row of rows) this.#keep(openJob(row, row.seq))
    // Reads of a snapshot may be older than what is about to be committed.
    if (!('run' in tx)) return
    for (const id of ids) this.#unread.delete(id)
    this.#isComplete = true
  }

  /** Takes a job out of the queues until it is read again: it is claimed, or not as the order knows it. */
  dequeue(id: string): void {
    this.#unread.add(id)
    const seq = this.#seqs.get(id)
    const job = seq === undefined ? undefined : this.#jobs.get(seq)
    if (job) this.#removeFromQueues(job)
  }

  job(seq: number): OpenJob | undefined {
    return this.#jobs.get(seq)
  }

  /** No fewer than the pending jobs of a user: running ones and those that must be read count, too. */
  mostPendingOf(user: string): number {
    return this.#isComplete ? (this.#openOf.get(user) ?? 0) + this.#unread.size : Number.POSITIVE_INFINITY
  }

  /** Whether any job waits. */
  hasJobs(tx: ReadTx): boolean {
    this.refresh(tx)
    return this.#targets.size > 0
  }

  /** Whether a job may be next on this QPU, as far as the order knows: one waits, and none runs there. */
  mayClaim(qpu: string): boolean {
    return this.headOf(qpu) !== undefined && !this.#runningOn.values().some((id) => id === qpu)
  }

  /** Whether a job may follow a running one on its QPU, as far as the order knows. */
  hasNext(running: string): boolean {
    const qpu = this.#runningOn.get(running)
    return qpu === undefined || this.headOf(qpu) !== undefined
  }

  /** Whether a new job for a QPU, or for any (''), may be the next one there, as far as the order knows. */
  mayBeNext(target: string): boolean {
    return this.headOf(target) === undefined && !this.#runningOn.values().some((id) => id === target)
  }

  /** The first job of a QPU by submission, which is usually the next one, `except` for some. */
  headOf(qpu: string, except?: ReadonlySet<OpenJob>): OpenJob | undefined {
    for (const seq of merged(this.queueFor('').all.seqs, this.queueFor(qpu).all.seqs)) {
      const job = this.job(seq)
      if (job && !except?.has(job)) return job
    }
    return undefined
  }

  /** The same of several, each another job; a QPU for which none is left is not among them. */
  headsOf(qpus: Iterable<string>): ReadonlyMap<string, OpenJob> {
    const heads = new Map<string, OpenJob>()
    for (const qpu of qpus) {
      const head = this.headOf(qpu, new Set(heads.values()))
      if (head) heads.set(qpu, head)
    }
    return heads
  }

  /** The queued jobs for one QPU, or for any ('') . */
  queueFor(target: string): TargetQueue {
    return this.#targets.get(target) ?? NO_QUEUE
  }

  /** The queued jobs that operators have moved to the front, the first one first. */
  get moved(): OpenJob[] {
    return [...this.#moved].sort((one, other) => other.runNext - one.runNext || one.seq - other.seq)
  }

  #apply({ collection, id, action, record, seq }: Change): void {
    if (collection !== quantumJobs.name) return
    const number = this.#seqs.get(id) ?? seq
    const job = record as Job | undefined
    this.#forget(id)
    this.#unread.delete(id)
    this.#runningOn.delete(id)
    if (action !== 'delete' && job?.status === 'running') this.#runningOn.set(id, job.qpu)
    if (action === 'delete' || !job || (job.status !== 'pending' && job.status !== 'running')) return
    if (number === undefined) this.#unread.add(id)
    else this.#keep(openJob(job, number))
  }

  #keep(job: OpenJob): void {
    this.#forget(job.id)
    this.#jobs.set(job.seq, job)
    this.#openOf.set(job.user, (this.#openOf.get(job.user) ?? 0) + 1)
    this.#seqs.set(job.id, job.seq)
    if (!job.isQueued) return
    const target = this.#targets.get(job.target) ?? { all: new Lane(), byUser: new Map<string, Lane>() }
    this.#targets.set(job.target, target)
    const own = target.byUser.get(job.user) ?? new Lane()
    target.byUser.set(job.user, own)
    target.all.add(job)
    own.add(job)
    if (job.runNext > 0) this.#moved.add(job)
  }

  #forget(id: string): void {
    const seq = this.#seqs.get(id)
    const job = seq === undefined ? undefined : this.#jobs.get(seq)
    if (!job) return
    this.#seqs.delete(id)
    this.#jobs.delete(job.seq)
    const left = (this.#openOf.get(job.user) ?? 0) - 1
    if (left > 0) this.#openOf.set(job.user, left)
    else this.#openOf.delete(job.user)
    this.#removeFromQueues(job)
  }

  #removeFromQueues(job: OpenJob): void {
    this.#moved.delete(job)
    const target = this.#targets.get(job.target)
    const own = target?.byUser.get(job.user)
    target?.all.remove(job)
    own?.remove(job)
    if (own?.seqs.isEmpty) target?.byUser.delete(job.user)
    if (target?.all.seqs.isEmpty) this.#targets.delete(job.target)
  }
}

type OpenRow = Pick<
  Job,
  'id' | 'user_id' | 'qpu_target' | 'status' | 'not_before' | 'run_next' | keyof JobNeeds
> & {
  held: number | boolean
  seq: number
}

const COLUMNS = `seq, id, user_id, qpu_target, status, held, not_before, run_next, qubits, shots, executions, features`
const OPEN_JOBS = `SELECT ${COLUMNS} FROM quantum_jobs WHERE`

/** Reads an index that has all these columns, so that no program is read; a test asserts it. */
export const ALL_PENDING = `${OPEN_JOBS} status = 'pending' ORDER BY seq`

function openJob(row: Omit<OpenRow, 'seq'>, seq: number): OpenJob {
  const { qubits, shots, executions, features } = row
  return {
    seq,
    id: row.id,
    user: row.user_id,
    target: row.qpu_target,
    isQueued: row.status === 'pending' && !row.held,
    notBefore: row.not_before,
    runNext: row.run_next,
    needs: { qubits, shots, executions, features },
  }
}
