import { allOf, firstOf, mapped, type Query, type Values } from '../../../engine/query.ts'
import type { ReadTx } from '../../../records/tx.ts'
import { compareFair } from '../../accounts/recent-use.ts'
import { calibratingQpus } from '../../qpus/qpus.ts'
import { type Fits, type QpuLimits, sharedLimits } from '../fits-qpu.ts'
import { isPaused } from '../transitions/retry.ts'
import type { UseOfUsers } from './fair-share.ts'
import type { JobOrder, OpenJob } from './job-order.ts'
import { merged } from './line.ts'

/** Number of jobs looked at in order before the users are looked at one by one. */
const HEAD_JOBS = 100

/** After all jobs. */
const END = Number.POSITIVE_INFINITY

/** A job that runs. */
interface RunningRow {
  qpu: string
  job: string
  user: string
  claimed_at: string
}

/** A booking of the present time. */
export interface SlotRow {
  qpu: string
  booked_by: string
  start_time: string
  end_time: string
}

/**
 * What the queue of one QPU, or of all (''), needs of the store; `users`: those who are probably asked for.
 */
export function queueReads(qpu = '', users: readonly string[] = []) {
  return {
    unfit: allOf<{ qpu: string; seq: number }>('SELECT qpu, job_seq AS seq FROM unfit_jobs'),
    /** What runs: everywhere, or on the one QPU. */
    running: allOf<RunningRow>(
      `SELECT qpu, id AS job, user_id AS "user", claimed_at FROM quantum_jobs
       WHERE status = 'running' AND ${qpu === '' ? "$qpu = ''" : 'qpu = $qpu'}`,
      { qpu },
    ),
    calibrating: calibratingQpus(),
    slots: allOf<SlotRow>(
      'SELECT qpu, booked_by, start_time, end_time FROM time_slots WHERE end_time > $at AND start_time <= $at',
    ),
    funded: Object.fromEntries(users.map((user) => [user, isFunded(user)])),
  }
}

/** Whether a user may run jobs. */
function isFunded(user: string): Query<boolean> {
  const sql = 'SELECT unlimited = 1 OR qpu_ms > 0 AS funded FROM users WHERE id = $user'
  return mapped(firstOf<{ funded: number }>(sql, { user }), (found) => found?.funded === 1)
}

/** The order in one transaction, with what its QPUs need of the store: `queueReads`. */
export class OrderReading {
  readonly order: JobOrder
  readonly tx: ReadTx
  readonly facts: Values<ReturnType<typeof queueReads>>
  readonly #funded: Map<string, boolean>
  #use: UseOfUsers | undefined
  #unfit: ReadonlyMap<string, OpenJob[]> | undefined
  /** The last count for any QPU with the same limits: all QPUs ask for the same one after another. */
  readonly #counts = new Map<string, { user: string | undefined; seq: number; jobs: number }>()

  constructor(order: JobOrder, tx: ReadTx, facts: OrderReading['facts']) {
    this.order = order
    this.tx = tx
    this.facts = facts
    this.#funded = new Map(Object.entries(facts.funded))
    order.refresh(tx)
  }

  /** Whether a user may run jobs. */
  isFunded(user: string): boolean {
    const funded = this.#funded.get(user) ?? this.tx.read(isFunded(user))
    this.#funded.set(user, funded)
    if (!funded) this.order.unfunded.add(user)
    return funded
  }

  /** The recent use of QPU time; undefined without the policy `fair`. */
  get use(): UseOfUsers | undefined {
    this.#use ??= this.order.fair?.read(this.tx)
    return this.#use
  }

  /** The number of jobs for any QPU before `seq`, of everybody or of one user, that fit such limits. */
  countForAny(user: string | undefined, seq: number, limits: { key: string; fits: Fits }): number {
    const known = this.#counts.get(limits.key)
    if (known && known.user === user && known.seq === seq) return known.jobs
    const queue = this.order.queueFor('')
    const lane = user === undefined ? queue.all : queue.byUser.get(user)
    const jobs = lane?.countBefore(seq, limits.fits) ?? 0
    this.#counts.set(limits.key, { user, seq, jobs })
    return jobs
  }

  /** The queued jobs that are kept from a QPU until it is described again. */
  unfitFor(qpu: string): readonly OpenJob[] {
    if (!this.#unfit) {
      const jobs = this.facts.unfit.flatMap(({ qpu: id, seq }) => {
        const job = this.order.job(seq)
        return job?.isQueued ? [{ id, job }] : []
      })
      const byQpu = Map.groupBy(jobs, ({ id }) => id)
      this.#unfit = new Map([...byQpu].map(([id, own]) => [id, own.map(({ job }) => job)]))
    }
    return this.#unfit.get(qpu) ?? []
  }
}

/** The queue of one QPU in one transaction: the jobs for it and for any that it can run. */
export class QpuQueue {
  readonly #reading: OrderReading
  readonly #qpu: string
  readonly #limits: { key: string; fits: Fits }
  /** The jobs that fit but for the chip. */
  readonly #unfit: ReadonlySet<OpenJob>

  constructor(reading: OrderReading, qpu: QpuLimits & { id: string }) {
    this.#reading = reading
    this.#qpu = qpu.id
    this.#limits = sharedLimits(qpu)
    const unfit = reading.unfitFor(qpu.id).filter((job) => this.#isOurs(job) && this.#limits.fits(job.needs))
    this.#unfit = new Set(unfit)
  }

  /** The jobs that operators have moved to the front, the first one first. */
  get moved(): OpenJob[] {
    return this.#reading.order.moved.filter((job) => this.#isOurs(job) && this.#canRun(job))
  }

  /** The users with jobs, possibly with others. */
  get users(): ReadonlySet<string> {
    const [any, own] = this.#queues
    if (own.byUser.size === 0) return new Set(any.byUser.keys())
    return new Set([...any.byUser.keys(), ...own.byUser.keys()])
  }

  /** The first job moved to the front that may run now. */
  firstMoved(): OpenJob | undefined {
    return this.moved.find((job) => this.#mayRun(job))
  }

  /** The first job of a user that may run now, by submission. */
  firstOf(user: string): OpenJob | undefined {
    if (!this.#reading.isFunded(user)) return undefined
    for (const job of this.jobs(user)) if (this.#mayRun(job)) return job
    return undefined
  }

  /**
   * The first of all jobs that may run now: by fair share with that policy, else by submission. Fast for any
   * head of the queue.
   */
  first(): OpenJob | undefined {
    const { use } = this.#reading
    if (use) return this.#firstOfUsers((user) => use.of(user))
    let seen = 0
    for (const job of this.jobs()) {
      if (this.#mayRun(job)) return job
      seen += 1
      if (seen >= HEAD_JOBS) return this.#firstOfUsers(() => 0)
    }
    return undefined
  }

  /** The jobs that this QPU can run, of everybody or of one user, by submission. */
  *jobs(user?: string): Generator<OpenJob> {
    const [any, own] = this.#queues.map((queue) => (user === undefined ? queue.all : queue.byUser.get(user)))
    for (const seq of merged(any?.seqs ?? [], own?.seqs ?? [])) {
      const job = this.#reading.order.job(seq)
      if (job && this.#canRun(job)) yield job
    }
  }

  /** The number of these jobs before `seq`, or of all. */
  count(user?: string, seq = END): number {
    const own = this.#reading.order.queueFor(this.#qpu)
    const lane = user === undefined ? own.all : own.byUser.get(user)
    let jobs =
      this.#reading.countForAny(user, seq, this.#limits) + (lane?.countBefore(seq, this.#limits.fits) ?? 0)
    for (const job of this.#unfit) if (job.seq < seq && (user === undefined || job.user === user)) jobs -= 1
    return jobs
  }

  get #queues() {
    const { order } = this.#reading
    return [order.queueFor(''), order.queueFor(this.#qpu)] as const
  }

  #isOurs({ target }: OpenJob): boolean {
    return target === '' || target === this.#qpu
  }

  #canRun(job: OpenJob): boolean {
    return this.#limits.fits(job.needs) && !this.#unfit.has(job)
  }

  #mayRun(job: OpenJob): boolean {
    return !isPaused(job.notBefore, this.#reading.tx.now) && this.#reading.isFunded(job.user)
  }

  /** Looks at the jobs of as few users as that needs. */
  #firstOfUsers(useOf: (user: string) => number): OpenJob | undefined {
    const owners = [...this.users].map((user) => ({ user, use: useOf(user) }))
    let best: { use: number; seq: number; job: OpenJob } | undefined
    for (const { user, use } of owners.sort((one, other) => one.use - other.use)) {
      if (best && use > best.use) break
      const job = this.firstOf(user)
      if (!job) continue
      const claim = { use, seq: job.seq, job }
      if (!best || compareFair(claim, best) < 0) best = claim
    }
    return best?.job
  }
}
