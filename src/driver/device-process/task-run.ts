import type { Alarm, Alarms, Clock, Log } from '../../base/index.ts'
import type { JobFailure } from '../../protocol/index.ts'
import type { FromHost } from '../messages/host-messages.ts'
import type { Task, TaskObserver } from '../tasks/task.ts'
import type { HostProcess } from './child.ts'

interface TaskRunDependencies extends TaskObserver {
  host: HostProcess
  clock: Clock
  alarms: Alarms
  log: Log
}

/** A message of the device process about a task. */
type TaskMessage = Extract<FromHost, { kind: 'started' | 'phase' | 'result' }>

const START_TIMEOUT_MS = 10_000
const FINAL_CHECK_MS = 100

/**
 * One task in one device process, supervised from outside:
 *
 * | State | Leaves it by | Next |
 * |---|---|---|
 * | sent | `started` | running |
 * | sent | 10 s | the process is hung: killed |
 * | running | `result` | settled by it |
 * | running | `limitMs` | cancelled, timed out |
 * | sent, running | `stop` | cancelled, stopped |
 * | cancelled | `result`, or `graceMs` and then the end of the killed process | settled as timed out; a stopped task with its result if that is reported, otherwise without |
 * | any | end of the process | settled as `worker exited` |
 */
export class TaskRun {
  /**
   * Settles with the encoded event that ends the task; with undefined after a stop that is not reported.
   */
  readonly settled: Promise<string | undefined>
  readonly #task: Task
  readonly #dependencies: TaskRunDependencies
  readonly #resolve: (body: string | undefined) => void
  /** The limits of the start, of the execution and of the time to stop that hold now. */
  #limits: Alarm[] = []
  #isSettled = false
  #startedAt: number | undefined
  /** The part of the task that the device has reported last. */
  #phase: string | undefined
  #cancelled: 'timed out' | 'stopped' | undefined

  constructor(task: Task, dependencies: TaskRunDependencies) {
    this.#task = task
    this.#dependencies = dependencies
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.settled = promise
    this.#resolve = resolve
    dependencies.host.send({ kind: 'command', text: task.text })
    this.#limitTo(START_TIMEOUT_MS, () => this.#endUnstarted())
  }

  /** Id of the event that ends the task. */
  get id(): string {
    return this.#task.id
  }

  /** The task was stopped or timed out, so the exit of its process does not indicate a device failure. */
  get isCancelled(): boolean {
    return this.#cancelled !== undefined
  }

  receive(message: TaskMessage): void {
    if (message.result !== this.#task.id) return
    if (message.kind === 'phase') {
      this.#phase = message.phase
      this.#dependencies.onPhase(message.phase)
    } else if (message.kind === 'result') {
      this.#settle(this.#cancelled ? this.#endOfCancelled(message.body) : message.body)
    } else if (this.#startedAt === undefined) {
      this.#startedAt = this.#dependencies.clock.monotonic()
      this.#dependencies.onStarted()
      if (this.#cancelled) return
      this.#clearLimits()
      const { limitMs } = this.#task
      if (limitMs > 0) this.#limitTo(limitMs, () => this.#endLate())
    }
  }

  /** Stops the task: requests it from the device, and kills the process after `graceMs`. */
  stop(): void {
    if (this.#cancelled) this.#cancelled = 'stopped'
    else this.#cancel('stopped')
  }

  /** The device process has ended; `how` names the signal or exit code. */
  hostEnded(how: string): void {
    if (this.#cancelled) {
      this.#settle(this.#endOfCancelled(undefined))
      return
    }
    const { noun } = this.#task
    this.#settle(
      this.#failure({
        class: 'device',
        message: `worker exited (${how}) while running the ${noun}`,
        error_code: 'worker_exited',
      }),
    )
  }

  /**
   * The driver stops the device, which ends the task: one that is reported when it is stopped is settled by
   * its result or the end of the process, any other without a final event.
   */
  endWithDevice(): void {
    if (this.#task.isReportedWhenStopped) this.#cancelled ??= 'stopped'
    else this.#settle(undefined)
  }

  #settle(body: string | undefined): void {
    this.#isSettled = true
    this.#clearLimits()
    this.#resolve(body)
  }

  #endUnstarted(): void {
    if (this.#startedAt !== undefined) return
    this.#dependencies.log.error('device process does not respond and is killed', this.#task.names)
    this.#dependencies.host.kill()
  }

  #endLate(): void {
    if (this.#cancelled) return
    const { limitMs, names, noun } = this.#task
    this.#dependencies.log.warn(`${noun} timed out`, { ...names, limitMs })
    this.#cancel('timed out')
  }

  #cancel(why: 'timed out' | 'stopped'): void {
    const { host, alarms } = this.#dependencies
    const { id, graceMs } = this.#task
    this.#cancelled = why
    host.send({ kind: 'cancel', result: id })
    if (!this.#isSettled) this.#limits.push(alarms.set(graceMs, () => host.kill()))
  }

  /**
   * Calls `end` when the task takes longer than `ms`. Checked in two steps: after a suspension of this
   * process or of the machine, timers fire before the messages that the device sent in time are read.
   */
  #limitTo(ms: number, end: () => void): void {
    const { alarms } = this.#dependencies
    const lastMs = Math.min(FINAL_CHECK_MS, ms / 2)
    this.#limits.push(alarms.set(ms - lastMs, () => this.#limits.push(alarms.set(lastMs, end))))
  }

  #clearLimits(): void {
    for (const limit of this.#limits) limit.clear()
    this.#limits = []
  }

  /** `body` is the result of the device, if it arrived in time. */
  #endOfCancelled(body: string | undefined): string | undefined {
    return this.#cancelled === 'timed out'
      ? this.#timeoutFailure()
      : endOfStopped(this.#task, this.#executionMs, body)
  }

  #timeoutFailure(): string {
    const { noun, limitMs, limitedBy } = this.#task
    const phase = this.#phase === undefined ? '' : ` during ${this.#phase}`
    const source = limitedBy === undefined ? '' : ` (${limitedBy})`
    return this.#failure({
      // A retry would take as long.
      class: 'user',
      message: `${noun} timed out after ${limitMs / 1_000} s${phase}${source}`,
      error_code: 'timed_out',
    })
  }

  #failure(error: JobFailure): string {
    return this.#task.failure(error, this.#executionMs)
  }

  get #executionMs(): number {
    return this.#startedAt === undefined ? 0 : this.#dependencies.clock.monotonic() - this.#startedAt
  }
}

/**
 * The event that ends a task stopped by the server, if the task reports one: the device's result or a
 * failure.
 */
export function endOfStopped(task: Task, executionMs: number, body?: string): string | undefined {
  if (!task.isReportedWhenStopped) return undefined
  const error = { class: 'user' as const, message: `${task.noun} stopped`, error_code: 'stopped' }
  return body ?? task.failure(error, executionMs)
}
