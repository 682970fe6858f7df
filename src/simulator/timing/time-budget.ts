import type { Clock } from '../../base/index.ts'
import { SimulationError } from '../errors.ts'

/** Amplitude updates between two checks of the clock: some milliseconds of work. */
const CHECK_INTERVAL_UPDATES = 2 ** 22
/** Maximum time for which the event loop is blocked, in ms: a cancellation takes effect within it. */
const YIELD_INTERVAL_MS = 25

/** Factor by which an estimate may exceed the time left before the work is refused. */
const ESTIMATE_TOLERANCE = 2

/** When a job has to end. */
export interface TimeLimit {
  /** Aborts when the job is cancelled. */
  signal: AbortSignal
  /** When the time of the job is over, in ms of `clock.monotonic()`. */
  deadline: number
}

/** Ends work at the deadline and yields to the event loop regularly, so that a job can be cancelled. */
export class TimeBudget {
  readonly #clock: Clock
  readonly #io: TimeLimit
  readonly #startedAt: number
  #workSinceCheck = 0
  #workSinceYield = 0
  #yieldedAt: number

  constructor(clock: Clock, io: TimeLimit) {
    this.#clock = clock
    this.#io = io
    this.#startedAt = clock.monotonic()
    this.#yieldedAt = this.#startedAt
  }

  /** Total time of the job, in s. */
  get limitSeconds(): number {
    return Math.max(0, (this.#io.deadline - this.#startedAt) / 1_000)
  }

  /**
   * Refuses work of estimated `seconds` that cannot end before the deadline.
   * @throws SimulationError `too_long`, or `timed_out` after the deadline.
   */
  assertFits(seconds: number): void {
    this.#assertTimeLeft()
    const left = (this.#io.deadline - this.#clock.monotonic()) / 1_000
    if (seconds <= ESTIMATE_TOLERANCE * left) return
    const text = `job needs about ${Math.ceil(seconds)} s, limit is ${rounded(this.limitSeconds)} s`
    throw new SimulationError(text, { code: 'too_long' })
  }

  /**
   * Counts work that blocks the event loop.
   * @throws SimulationError `timed_out` after the deadline.
   */
  spend(updates: number): void {
    this.#workSinceCheck += updates
    this.#workSinceYield += updates
    if (this.#workSinceCheck < CHECK_INTERVAL_UPDATES) return
    this.#workSinceCheck = 0
    this.#assertTimeLeft()
  }

  /** Whether enough work was counted for `yieldIfDue` to yield. */
  get isYieldDue(): boolean {
    return this.#workSinceYield >= CHECK_INTERVAL_UPDATES
  }

  /** Yields to the event loop when it is due; rejects when the job was cancelled. */
  async yieldIfDue(): Promise<void> {
    if (!this.isYieldDue) return
    this.#workSinceYield = 0
    this.#assertTimeLeft()
    const now = this.#clock.monotonic()
    if (now - this.#yieldedAt < YIELD_INTERVAL_MS) return
    await new Promise((resolve) => setImmediate(resolve))
    this.#yieldedAt = this.#clock.monotonic()
    this.#io.signal.throwIfAborted()
  }

  #assertTimeLeft(): void {
    if (this.#clock.monotonic() < this.#io.deadline) return
    throw new SimulationError(`job timed out after ${rounded(this.limitSeconds)} s`, {
      code: 'timed_out',
      executed: true,
    })
  }
}

function rounded(seconds: number): number {
  return Number(seconds.toPrecision(3))
}
