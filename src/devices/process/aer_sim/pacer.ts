import type { Clock } from '../../../base/index.ts'
import type { JobIo } from '../../define-device.ts'
import { JobError } from '../../errors.ts'

/** Amplitude updates between two looks at the clock: some milliseconds of work. */
const LOOK_EVERY = 2 ** 22
/** How long the event loop may be blocked, in ms: a cancellation is noticed within it. */
const YIELD_EVERY_MS = 25

/** How wrong the estimate may be before work is refused because of it. */
const DOUBT = 2

/** Ends work whose time is over, and lets the event loop run now and then so that a cancellation is heard. */
export class Pacer {
  readonly #clock: Clock
  readonly #io: Pick<JobIo, 'signal' | 'deadline'>
  readonly #startedAt: number
  #sinceLook = 0
  #sinceRest = 0
  #yieldedAt: number

  constructor(clock: Clock, io: Pick<JobIo, 'signal' | 'deadline'>) {
    this.#clock = clock
    this.#io = io
    this.#startedAt = clock.monotonic()
    this.#yieldedAt = this.#startedAt
  }

  /** Time the job may take in all, in s. */
  get limitSeconds(): number {
    return Math.max(0, (this.#io.deadline - this.#startedAt) / 1_000)
  }

  /**
   * Refuses work of `seconds` that cannot end in time, instead of ending it when the time is spent.
   * @throws JobError `too_long`, or `timed_out` after the deadline.
   */
  demand(seconds: number): void {
    this.#look()
    const left = (this.#io.deadline - this.#clock.monotonic()) / 1_000
    if (seconds <= DOUBT * left) return
    const text = `job needs about ${Math.ceil(seconds)} s, limit is ${rounded(this.limitSeconds)} s`
    throw new JobError(text, { errorCode: 'too_long' })
  }

  /**
   * Counts work that blocks.
   * @throws JobError `timed_out` after the deadline.
   */
  spend(updates: number): void {
    this.#sinceLook += updates
    this.#sinceRest += updates
    if (this.#sinceLook < LOOK_EVERY) return
    this.#sinceLook = 0
    this.#look()
  }

  /** Whether so much work was counted that `rest` may give way. */
  get isRestDue(): boolean {
    return this.#sinceRest >= LOOK_EVERY
  }

  /** Gives way to other tasks when it is time; rejects when the job was cancelled. */
  async rest(): Promise<void> {
    if (!this.isRestDue) return
    this.#sinceRest = 0
    this.#look()
    const now = this.#clock.monotonic()
    if (now - this.#yieldedAt < YIELD_EVERY_MS) return
    await new Promise((resolve) => setImmediate(resolve))
    this.#yieldedAt = this.#clock.monotonic()
    this.#io.signal.throwIfAborted()
  }

  #look(): void {
    if (this.#clock.monotonic() < this.#io.deadline) return
    throw new JobError(`job timed out after ${rounded(this.limitSeconds)} s`, {
      errorCode: 'timed_out',
      executed: true,
    })
  }
}

function rounded(seconds: number): number {
  return Number(seconds.toPrecision(3))
}
