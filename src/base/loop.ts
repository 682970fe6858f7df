import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

interface LoopOptions {
  /** Shown in log lines. */
  name: string
  clock: Clock
  log: Log
  /** Longest pause between two runs, in ms; a function is asked before each pause. */
  intervalMs: number | (() => number)
  runOnce: () => Promise<void> | void
}

/**
 * Runs `runOnce` at start, then whenever `wake` is called and at the latest every `intervalMs`.
 * Runs never overlap; wakes during a run cause exactly one more run. An error is logged and the loop goes on.
 */
export class Loop {
  readonly #options: LoopOptions
  #stop: AbortController | undefined
  #done: Promise<void> = Promise.resolve()
  #woken = false
  #pause: AbortController | undefined

  constructor(options: LoopOptions) {
    this.#options = options
  }

  /** Starts the loop; does nothing when it runs already. */
  start(): void {
    if (this.#stop) return
    this.#stop = new AbortController()
    this.#done = this.#run(this.#stop.signal)
  }

  /** Asks for a run as soon as the current one, if any, has ended. */
  wake(): void {
    this.#woken = true
    this.#pause?.abort()
  }

  /** Stops after the current run; safe to call twice. */
  async stop(): Promise<void> {
    this.#stop?.abort()
    this.#pause?.abort()
    await this.#done
    this.#stop = undefined
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, log, name, runOnce } = this.#options
    while (!signal.aborted) {
      this.#woken = false
      try {
        await runOnce()
      } catch (error) {
        log.error('loop run failed', { loop: name, error })
      }
      if (signal.aborted || this.#woken) continue
      this.#pause = new AbortController()
      const pauseMs = typeof intervalMs === 'number' ? intervalMs : intervalMs()
      await clock.sleep(pauseMs, this.#pause.signal).catch(() => undefined)
      this.#pause = undefined
    }
  }
}
