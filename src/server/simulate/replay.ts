import type { RecordedAttempt, RecordedJob, RecordedQpu, Recording } from '../../db/recording/index.ts'
import { retryBackoffMs } from '../../db/store/jobs/index.ts'
import { pickJob } from '../jobs/dispatch/pick.ts'
import { EventQueue } from './event-queue.ts'
import type { Policy } from './policies.ts'
import { type SimulatedQpu, SimulatedQueue } from './simulated-queue.ts'
import { SimulatedUser, type WaitingJob } from './simulated-user.ts'

/** The outcome that a policy would have had for a recording. */
export interface Replay {
  /**
   * For each job, in the order of the recording: ms from submission to first start; NaN if it never started.
   */
  waitsMs: Float64Array
  /** By id of the QPU: when it was busy, ms since the epoch. */
  busy: Map<string, { from: number; to: number }[]>
}

/** How a recording is replayed. */
interface ReplayOptions {
  policy: Policy
  idleMs: number
  /** The QPU time of this long counts for the fair policy. */
  fairWindowMs: number
  /** Called from time to time with the number of jobs that have ended. */
  onProgress?: (ended: number) => void
}

const PROGRESS_EVERY = 1_000

/**
 * Replays a recording on a virtual clock: users, bookings, balances and unavailable QPUs as recorded, each
 * job with its recorded duration and failed attempts, but in the order that `pickJob` and the policy choose.
 * Starts with an empty queue and continues until no job can run any more. Dispatching takes no time.
 */
export function replay(recording: Recording, options: ReplayOptions): Replay {
  return new Replayer(recording, options).run()
}

/** A recorded job and its state in the simulation. */
interface SimulatedJob {
  index: number
  recorded: RecordedJob
  waiting: WaitingJob
  /** Number of attempts begun so far. */
  begun: number
}

class Replayer {
  readonly #recording: Recording
  readonly #options: ReplayOptions
  readonly #events = new EventQueue()
  readonly #owners: Map<string, SimulatedUser>
  readonly #queue: SimulatedQueue
  readonly #qpus: SimulatedQpu[]
  readonly #jobs = new Map<string, SimulatedJob>()
  readonly #waitsMs: Float64Array
  readonly #busy: Replay['busy']
  readonly #typicalMs: number
  /** By id of the QPU: end of the idle threshold of its booker, so that each is scheduled only once. */
  readonly #idleTimeouts = new Map<string, number>()
  #ended = 0

  constructor(recording: Recording, options: ReplayOptions) {
    this.#recording = recording
    this.#options = options
    this.#owners = new Map(
      recording.users.map(({ id, unlimited }) => [
        id,
        new SimulatedUser(id, unlimited, options.fairWindowMs),
      ]),
    )
    this.#queue = new SimulatedQueue(this.#owners)
    this.#qpus = recording.qpus.map(({ qpu }) => ({
      qpu: { ...qpu, status: 'offline' },
      isCalibrating: false,
      running: undefined,
    }))
    this.#waitsMs = new Float64Array(recording.jobs.length).fill(Number.NaN)
    this.#busy = new Map(recording.qpus.map(({ qpu }) => [qpu.id, []]))
    this.#typicalMs = typicalMs(recording.jobs)
  }

  run(): Replay {
    this.#schedule()
    const all = this.#recording.jobs.length
    while (this.#ended < all && this.#events.next !== undefined) {
      const now = this.#events.next
      this.#events.runNext()
      if (this.#queue.size > 0) this.#dispatch(now)
    }
    return { waitsMs: this.#waitsMs, busy: this.#busy }
  }

  #schedule(): void {
    const { users, qpus, slots, jobs } = this.#recording
    for (const { id, credits } of users) {
      for (const { at, deltaMs } of credits) this.#events.add(at, () => this.#credit(id, deltaMs))
    }
    for (const [index, recorded] of qpus.entries()) {
      const simulated = this.#qpus[index]
      if (simulated) this.#scheduleQpu(simulated, recorded)
    }
    for (const slot of slots) {
      this.#events.add(Math.max(slot.start, slot.bookedAt), () => this.#queue.slots.add(slot))
      this.#events.add(slot.end, () => this.#queue.slots.delete(slot))
    }
    for (const [index, recorded] of jobs.entries()) this.#scheduleJob(index, recorded)
  }

  #credit(user: string, deltaMs: number): void {
    const owner = this.#owners.get(user)
    if (owner) owner.balanceMs += deltaMs
  }

  #scheduleQpu(simulated: SimulatedQpu, { usedFrom, changes }: RecordedQpu): void {
    const { qpu } = simulated
    if (usedFrom !== undefined) {
      this.#events.add(usedFrom, () => {
        qpu.status = 'online'
      })
    }
    for (const { at, patch } of changes) {
      this.#events.add(at, () => {
        const { isCalibrating = simulated.isCalibrating, ...switched } = patch
        simulated.isCalibrating = isCalibrating
        Object.assign(qpu, switched)
      })
    }
  }

  #scheduleJob(index: number, recorded: RecordedJob): void {
    const { id, user, target, needs, submittedAt, cancelledAt, actions } = recorded
    const waiting: WaitingJob = {
      seq: index,
      id,
      owner: this.#ownerOf(user),
      target,
      needs,
      notBefore: 0,
      isHeld: false,
      runNext: 0,
    }
    this.#jobs.set(id, { index, recorded, waiting, begun: 0 })
    this.#events.add(submittedAt, () => this.#queue.submit(waiting, submittedAt))
    for (const { at, act } of actions) this.#events.add(at, () => this.#applyAction(id, act))
    if (cancelledAt === undefined) return
    this.#events.add(cancelledAt, () => {
      if (this.#queue.remove(id)) this.#end()
    })
  }

  #applyAction(id: string, action: RecordedJob['actions'][number]['act']): void {
    if (action === 'held') this.#queue.hold(id)
    else if (action === 'released') this.#queue.release(id)
    else this.#queue.moveToFront(id)
  }

  /** The balance of a removed account is unknown, so it counts as unlimited. */
  #ownerOf(user: string): SimulatedUser {
    const known = this.#owners.get(user)
    if (known) return known
    const owner = new SimulatedUser(user, true, this.#options.fairWindowMs)
    this.#owners.set(user, owner)
    return owner
  }

  #dispatch(now: number): void {
    const { policy, idleMs } = this.#options
    for (const simulated of this.#qpus) {
      if (simulated.running) continue
      const pick = pickJob(this.#queue.stateOf(simulated, policy, now, idleMs), now, idleMs)
      if (pick.job === undefined) this.#wakeAt(simulated, pick.waiting?.until)
      else this.#begin(simulated, pick.job, now)
    }
  }

  #wakeAt({ qpu }: SimulatedQpu, until: number | undefined): void {
    if (until === undefined || this.#idleTimeouts.get(qpu.id) === until) return
    this.#idleTimeouts.set(qpu.id, until)
    this.#events.add(until, () => undefined)
  }

  #begin(simulated: SimulatedQpu, job: string, now: number): void {
    const simulatedJob = this.#jobs.get(job)
    const waiting = this.#queue.remove(job)
    if (!simulatedJob || !waiting) throw new TypeError(`job ${job} was chosen but is not waiting`)
    if (simulatedJob.begun === 0) this.#waitsMs[simulatedJob.index] = now - simulatedJob.recorded.submittedAt
    const { attempts } = simulatedJob.recorded
    const current = attempts[simulatedJob.begun] ?? this.#typicalAttempt()
    simulatedJob.begun += 1
    simulated.running = { job, since: now }
    waiting.owner.recordStart(simulated.qpu.id, now)
    this.#busy.get(simulated.qpu.id)?.push({ from: now, to: now + current.ms })
    this.#events.add(now + current.ms, () => this.#finish(simulated, simulatedJob, current, now + current.ms))
  }

  /** The assumed attempt of a job that did not run in the recording. */
  #typicalAttempt(): Pick<RecordedAttempt, 'ms' | 'end' | 'chargedMs'> {
    return { ms: this.#typicalMs, end: 'ok', chargedMs: this.#typicalMs }
  }

  #finish(
    simulated: SimulatedQpu,
    simulatedJob: SimulatedJob,
    { ms, end, chargedMs }: Pick<RecordedAttempt, 'ms' | 'end' | 'chargedMs'>,
    now: number,
  ): void {
    const { waiting, recorded, begun } = simulatedJob
    simulated.running = undefined
    // Only what the server would charge; unlimited users use QPU time too.
    waiting.owner.recordRun(simulated.qpu.id, now, end === 'ok' ? ms : chargedMs)
    waiting.owner.balanceMs -= chargedMs
    if (end === 'ok' || begun >= recorded.attempts.length) {
      this.#end()
      return
    }
    waiting.notBefore = now + pauseMs(recorded.attempts.slice(0, begun))
    this.#queue.requeue(waiting)
    this.#events.add(waiting.notBefore, () => undefined)
  }

  #end(): void {
    this.#ended += 1
    if (this.#ended % PROGRESS_EVERY === 0) this.#options.onProgress?.(this.#ended)
  }
}

/** The back-off of a job after its last attempt, ms; attempts that an operator requeued do not count. */
function pauseMs(attempts: readonly RecordedAttempt[]): number {
  const counted = attempts.filter(({ end }) => end !== 'requeued')
  return attempts.at(-1)?.end === 'error' ? retryBackoffMs(counted.length) : 0
}

const DEFAULT_RUN_MS = 1_000

/** The median duration of all successful attempts, ms. */
function typicalMs(jobs: readonly RecordedJob[]): number {
  const times = Float64Array.from(
    jobs.flatMap(({ attempts }) => attempts.filter(({ end }) => end === 'ok').map(({ ms }) => ms)),
  ).sort()
  return times[times.length >> 1] ?? DEFAULT_RUN_MS
}
