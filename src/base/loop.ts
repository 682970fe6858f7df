import type { Clock } from './clock.ts'
import { AppError, messageOf } from './error.ts'
import type { Log } from './log.ts'

interface LoopOptions {
  /** Shown in log lines. */
  name: string
  clock: Clock
  log: Log
  /** Longest pause between two runs, in ms; a function is asked before each pause. */
  intervalMs: number | (() => number)
  /** Has the loop woken from outside while it runs; returns how to end that. */
  wokenBy?: (wake: () => void) => () => void
  runOnce: () => Promise<void> | void
}

/** Pause after a failed run: 250 ms, doubled with each further one, at most 10 s. */
const FIRST_REST_MS = 250
const LONGEST_REST_MS = 10_000

/**
 * Runs `runOnce` at start, then whenever `wake` is called and at the latest every `intervalMs`.
 * Runs never overlap; wakes during a run cause exactly one more run. After a failed run the loop rests, whoever
 * wakes it. The log has one line when a failure begins or becomes another one, and one when it is over; the refusal
 * of a full disk is the database's to tell.
 */
export class Loop {
  readonly #options: LoopOptions
  #stop: AbortController | undefined
  #done: Promise<void> = Promise.resolve()
  #woken = false
  #unsubscribe: (() => void) | undefined
  #pause: AbortController | undefined
  #failures = 0
  #problem = ''
  /** Monotonic ms at which the current run began; undefined between runs. */
  #begunAt: number | undefined

  constructor(options: LoopOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  /** Starts the loop; does nothing when it runs already. */
  start(): void {
    if (this.#stop) return
    this.#stop = new AbortController()
    this.#unsubscribe = this.#options.wokenBy?.(() => this.wake())
    this.#done = this.#run(this.#stop.signal)
  }

  /** Asks for a run as soon as the current one, if any, has ended. */
  wake(): void {
    this.#woken = true
    this.#pause?.abort()
  }

  /** Stops after the current run; safe to call twice. */
  async stop(): Promise<void> {
    this.#unsubscribe?.()
    this.#stop?.abort()
    this.#pause?.abort()
    await this.#done
    this.#stop = undefined
  }

  /** Why its work is not done, in words; undefined when it is. A run of more than `longestMs` is stuck. */
  ailment(longestMs = 60_000): string | undefined {
    if (!this.#stop) return 'is stopped'
    if (this.#failures > 0) return `fails: ${this.#problem}`
    const ms = this.#begunAt === undefined ? 0 : this.#options.clock.monotonic() - this.#begunAt
    return ms > longestMs ? `has been stuck for ${Math.round(ms / 1_000)} s` : undefined
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { intervalMs } = this.#options
    while (!signal.aborted) {
      this.#woken = false
      await this.#runOnce()
      const restMs = this.#failures === 0 ? 0 : restOf(this.#failures)
      if (restMs > 0) await this.#sleep(restMs, signal)
      if (signal.aborted || this.#woken) continue
      this.#pause = new AbortController()
      const pauseMs = typeof intervalMs === 'number' ? intervalMs : intervalMs()
      if (pauseMs > restMs) await this.#sleep(pauseMs - restMs, this.#pause.signal)
      this.#pause = undefined
    }
  }

  async #runOnce(): Promise<void> {
    const { clock, log, name, runOnce } = this.#options
    this.#begunAt = clock.monotonic()
    try {
      await runOnce()
      if (this.#failures > 0) log.info('loop runs again', { loop: name, failed: this.#failures })
      this.#failures = 0
      this.#problem = ''
    } catch (error) {
      const problem = messageOf(error)
      const isToldElsewhere = error instanceof AppError && error.code === 'storage_full'
      if (problem !== this.#problem && !isToldElsewhere) log.error('loop run failed', { loop: name, error })
      this.#failures += 1
      this.#problem = problem
    }
    this.#begunAt = undefined
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(ms, signal).catch(() => undefined)
  }
}

function restOf(failures: number): number {
  return Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (failures - 1))
}
