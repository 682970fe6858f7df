import { RecentUse } from '../../db/store/accounts/index.ts'
import { type JobNeeds, mayRun } from '../../db/store/jobs/index.ts'
import type { Qpu } from '../../db/store/qpus/index.ts'

/** A waiting job of the simulation. */
export interface WaitingJob {
  seq: number
  id: string
  owner: SimulatedUser
  target: string
  needs: JobNeeds
  /** Earliest next run, ms since the epoch; 0 = any time. */
  notBefore: number
  /** Held by an operator. */
  isHeld: boolean
  /** Not 0 after an operator has moved it to the front; the greatest number runs first. */
  runNext: number
}

/** A user of the simulation: balance, recent use of QPU time, and waiting jobs by target. */
export class SimulatedUser {
  readonly id: string
  readonly unlimited: boolean
  balanceMs = 0
  readonly #queues = new Map<string, TargetQueue>()
  readonly #submittedAt = new Map<string, number>()
  readonly #endedAt = new Map<string, number>()
  readonly #use: RecentUse
  /** When the jobs that run began, by QPU. */
  readonly #running = new Map<string, number>()

  /** `windowMs`: the QPU time of this long counts for the fair policy. */
  constructor(id: string, unlimited: boolean, windowMs: number) {
    this.id = id
    this.unlimited = unlimited
    this.#use = new RecentUse(windowMs)
  }

  /** Records that the user has submitted a job for `target`. */
  recordSubmission(target: string, now: number): void {
    this.#submittedAt.set(target, now)
  }

  /** Adds a new or a requeued job at its place in the order of submission. */
  enqueue(job: WaitingJob): void {
    let lane = this.#queues.get(job.target)
    if (!lane) {
      lane = new TargetQueue()
      this.#queues.set(job.target, lane)
    }
    lane.insert(job)
  }

  /** Removes a job from the queue. */
  dequeue(job: WaitingJob): void {
    this.#queues.get(job.target)?.remove(job)
  }

  /** Records that a job of the user has begun on a QPU. */
  recordStart(qpu: string, now: number): void {
    this.#running.set(qpu, now)
  }

  /** Records that a job of the user has ended on a QPU, of which it used `ms`. */
  recordRun(qpu: string, now: number, ms: number): void {
    this.#running.delete(qpu)
    this.#endedAt.set(qpu, now)
    if (ms > 0) this.#use.add(now, ms)
  }

  /** QPU time in ms that the user's jobs used in the window, those that run included. */
  recentUse(now: number): number {
    let ms = this.#use.of(now)
    for (const since of this.#running.values()) ms += Math.max(0, now - since)
    return ms
  }

  /** When the user last submitted a job that may run on `qpu`, or a job of the user last ended on it. */
  activeAt(qpu: string): number {
    const submitted = Math.max(this.#submittedAt.get('') ?? 0, this.#submittedAt.get(qpu) ?? 0)
    return Math.max(submitted, this.#endedAt.get(qpu) ?? 0)
  }

  /** The first job in order of submission that may run on `qpu` now. */
  first(qpu: Qpu, now: number): WaitingJob | undefined {
    const any = this.#queues.get('')?.first(qpu, now)
    const own = this.#queues.get(qpu.id)?.first(qpu, now)
    return any && own ? (any.seq < own.seq ? any : own) : (any ?? own)
  }
}

/** The waiting jobs of one user for one target, in order of submission. */
class TargetQueue {
  #jobs: WaitingJob[] = []
  /** Index of the first job; the entries before it have been removed. */
  #head = 0

  insert(job: WaitingJob): void {
    const index = this.#indexOf(job.seq)
    if (index === this.#jobs.length) this.#jobs.push(job)
    else this.#jobs.splice(index, 0, job)
  }

  remove(job: WaitingJob): void {
    const index = this.#indexOf(job.seq)
    if (this.#jobs[index] !== job) return
    if (index > this.#head) this.#jobs.splice(index, 1)
    else this.#head += 1
    if (this.#head * 2 > this.#jobs.length) {
      this.#jobs = this.#jobs.slice(this.#head)
      this.#head = 0
    }
  }

  first(qpu: Qpu, now: number): WaitingJob | undefined {
    for (let index = this.#head; index < this.#jobs.length; index += 1) {
      const job = this.#jobs[index]
      if (job && mayRun(job, qpu, now)) return job
    }
    return undefined
  }

  /** Index at which the job with this number is, or would be inserted. */
  #indexOf(seq: number): number {
    let [low, high] = [this.#head, this.#jobs.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#jobs[middle]?.seq ?? 0) < seq) low = middle + 1
      else high = middle
    }
    return low
  }
}
