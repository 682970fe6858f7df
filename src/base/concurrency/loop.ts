import type { Clock } from '../clock.ts'
import { AppError, messageOf } from '../error.ts'
import type { Log } from '../log.ts'
import { type BackoffLimits, backoffMs } from '../portable/backoff.ts'
import { MINUTE_MS } from '../portable/units.ts'

interface LoopOptions {
  /** Shown in log lines. */
  name: string
  /** What a run does, for operators; a loop without it is not among the background tasks. */
  summary?: string
  clock: Clock
  log: Log
  /** Longest pause between two runs, in ms; a function is called before each pause. */
  intervalMs: number | (() => number)
  /** Subscribes the loop to changes at which it wakes while it runs; returns how to unsubscribe. */
  wakeOnChanges?: (wake: () => void) => () => void
  /** The signal ends when the loop stops, which waits for the run. */
  runOnce: (signal: AbortSignal) => Promise<void> | void
}

/** What an operator sees of a loop; times in ms since the epoch. */
export interface LoopStatus {
  readonly isRunning: boolean
  /** Begin of the current or the last run; undefined before the first. */
  readonly begunAt: number | undefined
  /** Duration of the last finished run in ms. */
  readonly durationMs: number | undefined
  /** Why the last finished run failed; '' if it did not. */
  readonly problem: string
  /** When the next run begins at the latest; undefined during a run and while the loop is stopped. */
  readonly nextAt: number | undefined
}

/** A pause between two runs. */
interface Pause {
  /** Monotonic ms at which it is over. */
  dueAt: number
  end(): void
}

/** Pauses after failed runs. */
const BACKOFF: BackoffLimits = { initialMs: 250, maxMs: 10_000 }

/**
 * Runs `runOnce` at start, then whenever `wake` is called and at the latest every `intervalMs`. Runs never
 * overlap; wakes during a run cause exactly one more run. After a failed run the loop backs off, also when it
 * is woken. It logs one line when a failure begins or changes and one when it is over; a full disk is logged
 * by the database.
 */
export class Loop {
  readonly #options: LoopOptions
  #stop: AbortController | undefined
  #done: Promise<void> = Promise.resolve()
  #isWakePending = false
  #unsubscribe: (() => void) | undefined
  #pause: Pause | undefined
  /** What ends a pause. It goes on when `wake` has ended its pause, and then serves the next. */
  #timer: { pause: Pause; endsAt: number; stop: AbortController } | undefined
  #failures = 0
  #problem = ''
  /** Monotonic ms at which the current run began; undefined between runs. */
  #begunAt: number | undefined
  /** Wall clock, for `status`. */
  #lastAt: number | undefined
  #durationMs: number | undefined
  #nextAt: number | undefined

  constructor(options: LoopOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  /** What a run does; undefined for a loop that is not a background task. */
  get summary(): string | undefined {
    return this.#options.summary
  }

  get status(): LoopStatus {
    return {
      isRunning: this.#begunAt !== undefined,
      begunAt: this.#lastAt,
      durationMs: this.#durationMs,
      problem: this.#problem,
      nextAt: this.#nextAt,
    }
  }

  /** Starts the loop; does nothing when it already runs. */
  start(): void {
    if (this.#stop) return
    this.#stop = new AbortController()
    this.#unsubscribe = this.#options.wakeOnChanges?.(() => this.wake())
    this.#done = this.#run(this.#stop.signal)
  }

  /** Causes a run as soon as the current one, if any, has ended. */
  wake(): void {
    this.#isWakePending = true
    this.#pause?.end()
  }

  /** Stops after the current run; safe to call twice. */
  async stop(): Promise<void> {
    this.#unsubscribe?.()
    this.#stop?.abort()
    this.#timer?.stop.abort()
    this.#timer = undefined
    this.#pause?.end()
    await this.#done
    this.#stop = undefined
    this.#nextAt = undefined
  }

  /** Why the loop does not do its work; undefined when it does. A run of more than `maxRunMs` is stuck. */
  healthProblem(maxRunMs = MINUTE_MS): string | undefined {
    if (!this.#stop) return 'is stopped'
    if (this.#failures > 0) return `fails: ${this.#problem}`
    const ms = this.#begunAt === undefined ? 0 : this.#options.clock.monotonic() - this.#begunAt
    return ms > maxRunMs ? `has been stuck for ${Math.round(ms / 1_000)} s` : undefined
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { intervalMs } = this.#options
    while (!signal.aborted) {
      this.#isWakePending = false
      await this.#runOnce(signal)
      const failurePauseMs = backoffMs(this.#failures, BACKOFF)
      if (failurePauseMs > 0) await this.#sleep(failurePauseMs, signal)
      if (signal.aborted || this.#isWakePending) continue
      const pauseMs = typeof intervalMs === 'number' ? intervalMs : intervalMs()
      if (pauseMs > failurePauseMs) await this.#rest(pauseMs - failurePauseMs)
    }
  }

  async #runOnce(signal: AbortSignal): Promise<void> {
    const { clock, log, name, runOnce } = this.#options
    this.#begunAt = clock.monotonic()
    this.#lastAt = clock.now()
    this.#nextAt = undefined
    try {
      await runOnce(signal)
      if (this.#failures > 0) log.info('loop runs again', { loop: name, failed: this.#failures })
      this.#failures = 0
      this.#problem = ''
    } catch (error) {
      const problem = messageOf(error)
      const isLoggedElsewhere = error instanceof AppError && error.code === 'storage_full'
      if (problem !== this.#problem && !isLoggedElsewhere) log.error('loop run failed', { loop: name, error })
      this.#failures += 1
      this.#problem = problem
    }
    this.#durationMs = clock.monotonic() - this.#begunAt
    this.#begunAt = undefined
  }

  /** Pauses for `ms`, or until `wake`, which leaves the timer alone: a busy loop is woken often. */
  async #rest(ms: number): Promise<void> {
    const { clock } = this.#options
    const { promise, resolve } = Promise.withResolvers<void>()
    const pause: Pause = { dueAt: clock.monotonic() + ms, end: resolve }
    this.#pause = pause
    this.#nextAt = clock.now() + ms
    if (!this.#timer || this.#timer.endsAt > pause.dueAt) this.#startTimer(pause, ms)
    await promise
    this.#pause = undefined
  }

  #startTimer(pause: Pause, ms: number): void {
    this.#timer?.stop.abort()
    const timer = { pause, endsAt: pause.dueAt, stop: new AbortController() }
    this.#timer = timer
    this.#options.clock.sleep(ms, timer.stop.signal).then(
      () => this.#onTimer(timer.pause),
      () => undefined,
    )
  }

  /** The timer of `pause` has ended. A later pause has time left. */
  #onTimer(pause: Pause): void {
    this.#timer = undefined
    const current = this.#pause
    if (current === pause) pause.end()
    else if (current) this.#startTimer(current, current.dueAt - this.#options.clock.monotonic())
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.#nextAt = this.#options.clock.now() + ms
    await this.#options.clock.sleep(ms, signal).catch(() => undefined)
  }
}
