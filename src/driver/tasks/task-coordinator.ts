import { feature } from 'bun:bundle'
import {
  type Alarm,
  type Alarms,
  type Clock,
  failpoint,
  type Log,
  LogSum,
  MIB,
  newId,
  Recent,
} from '../../base/index.ts'
import type { EventPayload } from '../../protocol/index.ts'
import type { Outbox } from '../connection/outbox.ts'
import { writeEvent } from '../messages/write-event.ts'
import { decideDispatch } from './decide-dispatch.ts'
import type { Task, TaskObserver, TransientEvent } from './task.ts'

interface TaskCoordinatorDependencies {
  clock: Clock
  alarms: Alarms
  log: Log
  outbox: Outbox
  /**
   * Runs a task and returns the event that ends it; undefined when the task or the driver is stopped first.
   */
  run(task: Task, observer: TaskObserver): Promise<string | undefined>
  /** Stops the task whose final event has the id `id`. */
  stopTask(id: string): void
  /** Sends a transient event; false when the server is not connected. */
  sendNow(body: string): boolean
  /** Reports that an event in the outbox is due. */
  wake(): void
}

const HEARTBEAT_MS = 5_000
/** A shorter task sends no event for its start, which saves the server a durable write. */
const START_EVENT_DELAY_MS = 20
/** The result of a shorter task is flushed while it is sent: the task costs less to repeat than the wait. */
const FLUSH_FIRST_ABOVE_MS = 1_000

/** Runs dispatched tasks, one at a time, and stores the final event of each in the outbox. */
export class TaskCoordinator {
  readonly #dependencies: TaskCoordinatorDependencies
  /** Acknowledged results, by characters, so that a job that is dispatched again does not run twice. */
  readonly #recent = new Recent<string>({ entries: 256, size: 32 * MIB })
  readonly #jobs: LogSum
  #running: Task | undefined
  #idle: Promise<void> = Promise.resolve()
  #epoch = 0
  #stopping = false

  constructor(dependencies: TaskCoordinatorDependencies) {
    this.#dependencies = dependencies
    const { log, clock } = dependencies
    this.#jobs = new LogSum({ clock, write: (counts) => log.info('jobs', counts) })
  }

  /** The fields of `DriverHello` that name the running task. */
  get hello(): Pick<EventPayload<'DriverHello'>, 'running' | 'run_id'> {
    return this.#running?.hello ?? { running: null }
  }

  /** From now on, dispatches under older leases are refused. */
  beginLease(epoch: number): void {
    this.#epoch = epoch
  }

  /**
   * Refuses new tasks; settles when the final event of the running task, if any, is in the outbox, and at
   * once for one that takes hours and reports what it has found when it is stopped.
   */
  async close(): Promise<void> {
    this.#stopping = true
    if (this.#running?.isReportedWhenStopped !== true) await this.#idle
    this.#jobs.stop()
  }

  /** Settles when the final event of the running task, if it has one, is in the outbox. */
  get idle(): Promise<void> {
    return this.#idle
  }

  /** Runs or refuses a task, or resends its result. */
  async receive(task: Task): Promise<void> {
    const { outbox, wake, log } = this.#dependencies
    const body = this.#recent.get(task.id)
    const decision = decideDispatch(
      { result: task.id, epoch: task.epoch },
      {
        running: this.#running?.id,
        epoch: this.#epoch,
        stopping: this.#stopping,
        hasResult: outbox.has(task.id) || body !== undefined,
      },
    )
    switch (decision) {
      case 'run':
        this.#idle = this.#execute(task)
        return
      case 'resend':
        if (body !== undefined) await outbox.put(task.id, body)
        outbox.markDue(task.id)
        wake()
        return
      case 'confirm':
        this.#sendTransient(task.heartbeat?.(undefined) ?? task.started)
        return
      default:
        log.warn(`${task.noun} refused`, { ...task.names, reason: decision })
        this.#sendTransient(task.refused(decision))
    }
  }

  /** Stops the task if it runs; a finished task is reported as usual. */
  stop(id: string): void {
    const task = this.#running
    if (task?.id !== id) return
    this.#dependencies.log.info(`${task.noun} stopped by the server`, task.names)
    this.#dependencies.stopTask(id)
  }

  async #execute(task: Task): Promise<void> {
    const { clock, alarms, outbox, run, wake } = this.#dependencies
    let started: Alarm | undefined
    let phase: string | undefined
    this.#running = task
    this.#report(task, 'accepted')
    if (feature('FAILPOINTS')) failpoint(`${task.noun}.taken`)
    const { heartbeat } = task
    const endHeartbeats = heartbeat && this.#sendHeartbeats(() => this.#sendTransient(heartbeat(phase)))
    const begun = clock.monotonic()
    const body = await run(task, {
      onStarted: () => {
        started = alarms.set(START_EVENT_DELAY_MS, () => this.#sendTransient(task.started))
      },
      onPhase: (name) => {
        phase = name
      },
    })
    started?.clear()
    if (body !== undefined) {
      if (feature('FAILPOINTS')) failpoint(`${task.noun}.executed`)
      const isFlushedLater = clock.monotonic() - begun <= FLUSH_FIRST_ABOVE_MS
      await outbox.put(task.id, body, { isFlushedLater })
      if (feature('FAILPOINTS')) failpoint('outbox.written')
      this.#recent.add(task.id, body, body.length)
      this.#report(task, 'ended')
    }
    // Heartbeats continue until here, so that the server does not requeue the job while a slow disk stores
    // the result.
    endHeartbeats?.()
    this.#running = undefined
    wake()
  }

  /** Logs a step of a task: of the many jobs one by one at debug only. */
  #report({ noun, names }: Task, step: string): void {
    const { log } = this.#dependencies
    log[noun === 'job' ? 'debug' : 'info'](`${noun} ${step}`, names)
    if (noun === 'job') this.#jobs.add(step)
  }

  /** Calls `beat` at each interval until the returned function is called. */
  #sendHeartbeats(beat: () => void): () => void {
    const { alarms } = this.#dependencies
    const next = (): Alarm =>
      alarms.set(HEARTBEAT_MS, () => {
        beat()
        alarm = next()
      })
    let alarm = next()
    return () => alarm.clear()
  }

  #sendTransient({ type, payload }: TransientEvent): void {
    const { clock, sendNow } = this.#dependencies
    sendNow(writeEvent(clock, type, newId(clock.now()), payload))
  }
}
