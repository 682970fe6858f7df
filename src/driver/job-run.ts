import type { Clock, Log } from '../base/index.ts'
import { type JobFailure, resultId } from '../protocol/index.ts'
import type { HostProcess } from './child.ts'
import type { FromHost } from './host-messages.ts'
import { type Attempt, writeFailure } from './write-event.ts'

/** An attempt to be run. */
export interface JobOrder {
  attempt: Attempt
  /** The `RunJob` command as it came; only the device process reads the job in it. */
  text: string
  /** Longest execution from its start; then the job fails as timed out. */
  limitMs: number
}

/** Who wants to know how a job goes on. */
export interface JobWatch {
  onStarted(): void
  onPhase(phase: string): void
}

interface RunParts extends JobWatch {
  host: HostProcess
  clock: Clock
  log: Log
}

/** What the device process says about a job. */
export type JobMessage = Extract<FromHost, { kind: 'started' | 'phase' | 'result' }>

const TAKE_LIMIT_MS = 10_000
const LAST_LOOK_MS = 100
const CANCEL_GRACE_MS = 2_000

/**
 * One job on one device process, watched from outside it:
 *
 * | State | Leaves it by | Next |
 * |---|---|---|
 * | sent | `started` | running |
 * | sent | 10 s | the process is hung: killed |
 * | running | `result` | settled by it |
 * | running | `limitMs` | cancelled, timed out |
 * | sent, running | `stop` | cancelled, stopped |
 * | cancelled | `result`, or 2 s and then the end of the killed process | settled as timed out; without a result if stopped |
 * | any | end of the process | settled as `worker exited` |
 */
export class JobRun {
  /** Id of the result event. */
  readonly result: string
  /** Settles with the result event, ready for the wire; with undefined after `stop` and `abandon`. */
  readonly settled: Promise<string | undefined>
  readonly #order: JobOrder
  readonly #parts: RunParts
  readonly #over = new AbortController()
  readonly #settle: (body: string | undefined) => void
  #startedAt: number | undefined
  #cancelled: 'timed out' | 'stopped' | undefined

  constructor(order: JobOrder, parts: RunParts) {
    this.#order = order
    this.#parts = parts
    this.result = resultId(order.attempt.job, order.attempt.attempt)
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.settled = promise
    this.#settle = (body) => {
      this.#over.abort()
      resolve(body)
    }
    parts.host.send({ kind: 'command', text: order.text })
    void this.#limitTaking()
  }

  /** The job was not left to its end: the death of its process says nothing about the device. */
  get isCancelled(): boolean {
    return this.#cancelled !== undefined
  }

  receive(message: JobMessage): void {
    if (message.result !== this.result) return
    if (message.kind === 'phase') {
      this.#parts.onPhase(message.phase)
    } else if (message.kind === 'result') {
      this.#settle(this.#cancelled ? this.#endOfCancelled() : message.body)
    } else if (this.#startedAt === undefined) {
      this.#startedAt = this.#parts.clock.monotonic()
      this.#parts.onStarted()
      void this.#limitRunning()
    }
  }

  /** The device process has ended; `how` names the signal or exit code. */
  hostEnded(how: string): void {
    if (this.#cancelled) {
      this.#settle(this.#endOfCancelled())
      return
    }
    this.#settle(
      this.#failure({
        class: 'device',
        message: `worker exited (${how}) while running the job`,
        error_code: 'worker_exited',
      }),
    )
  }

  /** Ends the job without a result: gently at first, after 2 s with its process. */
  stop(): void {
    if (this.#cancelled) this.#cancelled = 'stopped'
    else void this.#cancel('stopped')
  }

  /** Gives up on the job without a result. */
  abandon(): void {
    this.#settle(undefined)
  }

  async #limitTaking(): Promise<void> {
    if (!(await this.#exceeds(TAKE_LIMIT_MS)) || this.#startedAt !== undefined) return
    this.#parts.log.error('device process does not react and is killed', { job: this.#order.attempt.job })
    this.#parts.host.kill()
  }

  async #limitRunning(): Promise<void> {
    const { attempt, limitMs } = this.#order
    if (!(await this.#exceeds(limitMs)) || this.#cancelled) return
    this.#parts.log.warn('job is out of time', { job: attempt.job, limitMs })
    await this.#cancel('timed out')
  }

  async #cancel(why: 'timed out' | 'stopped'): Promise<void> {
    this.#cancelled = why
    this.#parts.host.send({ kind: 'cancel', result: this.result })
    if (await this.#lasts(CANCEL_GRACE_MS)) this.#parts.host.kill()
  }

  /**
   * Whether the job takes longer than `ms`. In two steps, because after a pause of this whole process (stopped,
   * machine suspended) its timers fire before it reads what the device said in time.
   */
  async #exceeds(ms: number): Promise<boolean> {
    const lastMs = Math.min(LAST_LOOK_MS, ms / 2)
    return (await this.#lasts(ms - lastMs)) && (await this.#lasts(lastMs))
  }

  /** Whether the job is still there after `ms`. */
  #lasts(ms: number): Promise<boolean> {
    return this.#parts.clock.sleep(ms, this.#over.signal).then(
      () => !this.#over.signal.aborted,
      () => false,
    )
  }

  #endOfCancelled(): string | undefined {
    return this.#cancelled === 'stopped' ? undefined : this.#timeoutFailure()
  }

  #timeoutFailure(): string {
    return this.#failure({
      // The same job would need as long again.
      class: 'user',
      message: `job timed out after ${this.#order.limitMs / 1_000} s`,
      error_code: 'timed_out',
    })
  }

  #failure(error: JobFailure): string {
    const { clock } = this.#parts
    const executionMs = this.#startedAt === undefined ? 0 : clock.monotonic() - this.#startedAt
    return writeFailure(clock, this.#order.attempt, error, executionMs)
  }
}
