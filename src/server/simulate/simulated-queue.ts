import type { RecordedSlot } from '../../db/recording/index.ts'
import { mayRun, type QueueState } from '../../db/store/jobs/index.ts'
import type { Qpu } from '../../db/store/qpus/index.ts'
import type { Policy } from './policies.ts'
import type { SimulatedUser, WaitingJob } from './simulated-user.ts'

/** A QPU of the simulation and the job that it runs. */
export interface SimulatedQpu {
  qpu: Qpu
  isCalibrating: boolean
  running: QueueState['running']
}

/** All waiting jobs and current bookings; `stateOf` returns what `queueStateOf` returns for the database. */
export class SimulatedQueue {
  readonly owners: ReadonlyMap<string, SimulatedUser>
  readonly slots = new Set<RecordedSlot>()
  readonly #waiting = new Map<string, WaitingJob>()
  /** Number of runnable jobs of each user who has any. */
  readonly #queuedJobs = new Map<SimulatedUser, number>()
  readonly #front = new Set<WaitingJob>()

  constructor(owners: ReadonlyMap<string, SimulatedUser>) {
    this.owners = owners
  }

  /** Number of waiting jobs. */
  get size(): number {
    return this.#waiting.size
  }

  job(id: string): WaitingJob | undefined {
    return this.#waiting.get(id)
  }

  submit(job: WaitingJob, now: number): void {
    job.owner.recordSubmission(job.target, now)
    this.#waiting.set(job.id, job)
    this.#enqueue(job)
  }

  /** Adds a job again after a failed attempt. */
  requeue(job: WaitingJob): void {
    this.#waiting.set(job.id, job)
    this.#enqueue(job)
  }

  /** Removes a job; undefined if it is not waiting. */
  remove(id: string): WaitingJob | undefined {
    const job = this.#waiting.get(id)
    if (!job) return undefined
    this.#waiting.delete(id)
    this.#front.delete(job)
    if (!job.isHeld) this.#dequeue(job)
    job.isHeld = false
    job.runNext = 0
    return job
  }

  /** Holds a waiting job. */
  hold(id: string): void {
    const job = this.#waiting.get(id)
    if (!job || job.isHeld) return
    this.#dequeue(job)
    this.#front.delete(job)
    job.isHeld = true
    job.runNext = 0
  }

  /** Releases a held job; it keeps its place in the order of submission. */
  release(id: string): void {
    const job = this.#waiting.get(id)
    if (!job?.isHeld) return
    job.isHeld = false
    this.#enqueue(job)
  }

  /** Moves a waiting job before all others and ends its back-off. */
  moveToFront(id: string): void {
    const job = this.#waiting.get(id)
    if (!job || job.isHeld) return
    job.notBefore = 0
    job.runNext = 1 + Math.max(0, ...[...this.#front].map(({ runNext }) => runNext))
    this.#front.add(job)
  }

  /** The queue of a QPU in the order of `policy`. */
  stateOf(
    { qpu, isCalibrating, running }: SimulatedQpu,
    policy: Policy,
    now: number,
    idleMs: number,
  ): QueueState {
    return {
      qpu,
      isCalibrating,
      running,
      slot: policy.respectsBookings ? this.#slotOf(qpu, now, idleMs) : undefined,
      next: this.#next(qpu, now),
      job: this.#firstOfAll(qpu, policy, now)?.id ?? '',
    }
  }

  #next(qpu: Qpu, now: number): string {
    const fit = [...this.#front].filter((job) => mayRun(job, qpu, now))
    return fit.sort((one, other) => other.runNext - one.runNext)[0]?.id ?? ''
  }

  #slotOf(qpu: Qpu, now: number, idleMs: number): QueueState['slot'] {
    for (const { user, qpu: booked, start, end } of this.slots) {
      if (booked !== '' && booked !== qpu.id) continue
      const booker = this.owners.get(user)
      const activeAt = booker?.activeAt(qpu.id) ?? 0
      return {
        user,
        start,
        end,
        activeAt: activeAt >= Math.max(start, now - idleMs) ? activeAt : undefined,
        job: booker?.first(qpu, now)?.id ?? '',
      }
    }
    return undefined
  }

  #firstOfAll(qpu: Qpu, policy: Policy, now: number): WaitingJob | undefined {
    let best: WaitingJob | undefined
    for (const owner of this.#queuedJobs.keys()) {
      const job = owner.first(qpu, now)
      if (!job) continue
      if (!best || policy.compare(job, best, now) < 0) best = job
    }
    return best
  }

  #enqueue(job: WaitingJob): void {
    job.owner.enqueue(job)
    this.#queuedJobs.set(job.owner, (this.#queuedJobs.get(job.owner) ?? 0) + 1)
  }

  #dequeue(job: WaitingJob): void {
    job.owner.dequeue(job)
    const left = (this.#queuedJobs.get(job.owner) ?? 0) - 1
    if (left > 0) this.#queuedJobs.set(job.owner, left)
    else this.#queuedJobs.delete(job.owner)
  }
}
