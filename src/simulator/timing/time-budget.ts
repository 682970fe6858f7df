import { type Clock, nextTurn } from '../../base/index.ts'
import { SimulationError } from '../errors.ts'

/** The parts of the work on a job, by their names in results, with their names in messages. */
const PARTS = {
  read: 'reading',
  lower: 'lowering',
  plan: 'planning',
  interpret: 'interpretation',
  evolve: 'evolution',
  sample: 'sampling',
  encode: 'encoding',
} as const
export type Part = keyof typeof PARTS

/** Work between two readings of the clock, in amplitude updates: well below a millisecond of them. */
const CHECK_INTERVAL_UPDATES = 2 ** 16
/** Maximum time for which the event loop is blocked, in ms: a cancellation takes effect within it. */
const YIELD_INTERVAL_MS = 25
/** Time after which the part of the work that runs is reported, in ms. */
const REPORT_AFTER_MS = 250
/** Parts that took a smaller share of the time are not named in an error. */
const MIN_NAMED_SHARE = 0.02

/** Factor by which an estimate may exceed the time left before the work is refused. */
const ESTIMATE_TOLERANCE = 2

/** When a job has to end. */
export interface TimeLimit {
  /** Aborts when the job is cancelled. */
  signal: AbortSignal
  /** When the time of the job is over, in ms of `clock.monotonic()`. */
  deadline: number
  /** Reports which part of the job runs now. */
  phase?(name: string): void
}

/** Counts work on which nothing waits, so that it can be ended at the deadline. */
export interface WorkCounter {
  /**
   * Counts work in amplitude updates of the kernel, some tenths of a nanosecond each.
   * @throws SimulationError `timed_out` after the deadline.
   */
  spend(updates: number): void
}

/** Work of handling one step of a circuit, in amplitude updates. */
export const OP_WORK = 512

/** Work without a limit. */
export const UNLIMITED: WorkCounter = { spend: () => undefined }

/**
 * The time of a job. Work is counted and the clock is read every so often, so that each part of it ends soon
 * after the deadline; the event loop gets control regularly, so that a job can be cancelled. Times are kept
 * by part.
 */
export class TimeBudget implements WorkCounter {
  readonly #clock: Clock
  readonly #io: TimeLimit
  readonly #startedAt: number
  readonly #ms = new Map<Part, number>()
  #part: Part = 'read'
  /** What is being worked on, for reports. */
  #subject = ''
  #reported = ''
  #partStartedAt: number
  #accountedAt: number
  #work = 0
  #yieldedAt: number
  #isYieldDue = false

  constructor(clock: Clock, io: TimeLimit) {
    this.#clock = clock
    this.#io = io
    this.#startedAt = clock.monotonic()
    this.#partStartedAt = this.#startedAt
    this.#accountedAt = this.#startedAt
    this.#yieldedAt = this.#startedAt
  }

  /** Total time of the job, in s. */
  get limitSeconds(): number {
    return Math.max(0, (this.#io.deadline - this.#startedAt) / 1_000)
  }

  /** Time until the deadline, in s. */
  get secondsLeft(): number {
    return Math.max(0, (this.#io.deadline - this.#clock.monotonic()) / 1_000)
  }

  /** Begins a part of the work, and ends the one before. */
  enter(part: Part, subject = this.#subject): void {
    this.#partStartedAt = this.#account(this.#part)
    this.#part = part
    this.#subject = subject
  }

  /** Time of each part so far, in s. */
  get seconds(): Partial<Record<Part, number>> {
    this.#account(this.#part)
    return Object.fromEntries([...this.#ms].map(([part, ms]) => [part, ms / 1_000]))
  }

  /** Time of each part since `before`, in s. */
  secondsSince(before: Partial<Record<Part, number>>): Partial<Record<Part, number>> {
    const parts = Object.entries(this.seconds) as [Part, number][]
    return Object.fromEntries(
      parts.map(([part, now]) => [part, now - (before[part] ?? 0)]).filter(([, seconds]) => seconds !== 0),
    )
  }

  /**
   * Refuses work of estimated `seconds` that cannot end before the deadline.
   * @throws SimulationError `too_long`, or `timed_out` after the deadline.
   */
  assertFits(seconds: number): void {
    this.check()
    const left = (this.#io.deadline - this.#accountedAt) / 1_000
    if (seconds <= ESTIMATE_TOLERANCE * left) return
    const text = `job needs about ${Math.ceil(seconds)} s, limit is ${rounded(this.limitSeconds)} s`
    throw new SimulationError(text, { code: 'too_long' })
  }

  spend(updates: number): void {
    this.#work += updates
    if (this.#work >= CHECK_INTERVAL_UPDATES) this.check()
  }

  /**
   * Reads the clock; the time since the last reading counts for `part`.
   * @throws SimulationError `timed_out` after the deadline.
   */
  check(part = this.#part): void {
    this.#work = 0
    const now = this.#account(part)
    if (now >= this.#io.deadline) throw this.#timeout(part)
    if (now - this.#yieldedAt >= YIELD_INTERVAL_MS) this.#isYieldDue = true
    if (now - this.#partStartedAt >= REPORT_AFTER_MS) this.#report(part)
  }

  /** Whether `yieldIfDue` yields. */
  get isYieldDue(): boolean {
    return this.#isYieldDue
  }

  /** Yields to the event loop when it is due; rejects when the job was cancelled. */
  async yieldIfDue(): Promise<void> {
    if (!this.#isYieldDue) return
    this.#isYieldDue = false
    await nextTurn()
    this.#yieldedAt = this.#clock.monotonic()
    this.#io.signal.throwIfAborted()
  }

  #account(part: Part): number {
    const now = this.#clock.monotonic()
    this.#ms.set(part, (this.#ms.get(part) ?? 0) + now - this.#accountedAt)
    this.#accountedAt = now
    return now
  }

  #report(part: Part): void {
    const name = this.#nameOf(part)
    if (name === this.#reported) return
    this.#reported = name
    this.#io.phase?.(name)
  }

  #nameOf(part: Part): string {
    return this.#subject === '' ? PARTS[part] : `${PARTS[part]} of ${this.#subject}`
  }

  #timeout(part: Part): SimulationError {
    const total = this.#accountedAt - this.#startedAt
    const times = [...this.#ms]
      .filter(([, ms]) => ms >= MIN_NAMED_SHARE * total)
      .map(([each, ms]) => `${PARTS[each]} ${rounded(ms / 1_000)} s`)
    const text = `job timed out after ${rounded(this.limitSeconds)} s during ${this.#nameOf(part)}`
    return new SimulationError(`${text} (${times.join(', ')})`, { code: 'timed_out', executed: true })
  }
}

function rounded(seconds: number): number {
  return Number(seconds.toPrecision(3))
}
