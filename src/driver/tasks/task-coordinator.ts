import { feature } from 'bun:bundle'
import { type Clock, failpoint, type Log, newId } from '../../base/index.ts'
import type { EventPayload } from '../../protocol/index.ts'
import type { Outbox } from '../connection/outbox.ts'
import { writeEvent } from '../messages/write-event.ts'
import { decideDispatch } from './decide-dispatch.ts'
import { RecentResults } from './recent-results.ts'
import type { Task, TaskObserver, TransientEvent } from './task.ts'

interface TaskCoordinatorDependencies {
  clock: Clock
  log: Log
  outbox: Outbox
  /** Runs a task to the event that ends it; undefined when it is stopped, or the driver stops, first. */
  run(task: Task, observer: TaskObserver): Promise<string | undefined>
  /** Ends the task early that would end with the event `id`. */
  stopTask(id: string): void
  /** Sends an event that is worthless later; false when the server is away. */
  sendNow(body: string): boolean
  /** A result has been put into the outbox, or is wanted again. */
  wake(): void
}

const HEARTBEAT_MS = 5_000
/** A task that ends sooner is told of by its end alone: that saves the server a durable write. */
const START_EVENT_DELAY_MS = 20

/** Takes dispatched tasks, one at a time, and turns each into one event in the outbox. */
export class TaskCoordinator {
  readonly #dependencies: TaskCoordinatorDependencies
  readonly #recent = new RecentResults()
  #running: Task | undefined
  #idle: Promise<void> = Promise.resolve()
  #epoch = 0
  #stopping = false

  constructor(dependencies: TaskCoordinatorDependencies) {
    this.#dependencies = dependencies
  }

  /** What is under way, as `DriverHello` says it. */
  get hello(): Pick<EventPayload<'DriverHello'>, 'running' | 'run_id'> {
    return this.#running?.hello ?? { running: null }
  }

  /** From now on dispatches under older leases are refused. */
  beginLease(epoch: number): void {
    this.#epoch = epoch
  }

  /** Refuses new tasks; settles when the one under way, if any, has its end in the outbox. */
  async close(): Promise<void> {
    this.#stopping = true
    await this.#idle
  }

  /** Takes, answers or refuses a task. */
  async receive(task: Task): Promise<void> {
    const { outbox, wake, log } = this.#dependencies
    const body = this.#recent.get(task.id)
    const verdict = decideDispatch(
      { result: task.id, epoch: task.epoch },
      {
        running: this.#running?.id,
        epoch: this.#epoch,
        stopping: this.#stopping,
        hasResult: outbox.has(task.id) || body !== undefined,
      },
    )
    switch (verdict) {
      case 'run':
        this.#idle = this.#execute(task)
        return
      case 'answer':
        if (body !== undefined) await outbox.put(task.id, body)
        outbox.markDue(task.id)
        wake()
        return
      case 'confirm':
        this.#sendTransient(task.heartbeat?.(undefined) ?? task.started)
        return
      default:
        log.warn(`${task.noun} refused`, { ...task.names, reason: verdict })
        this.#sendTransient(task.refused(verdict))
    }
  }

  /** The server has no more use for this task: what runs is stopped, what has ended goes the usual way. */
  stop(id: string): void {
    const task = this.#running
    if (task?.id !== id) return
    this.#dependencies.log.info(`${task.noun} stopped by the server`, task.names)
    this.#dependencies.stopTask(id)
  }

  async #execute(task: Task): Promise<void> {
    const { outbox, run, wake, log } = this.#dependencies
    const executed = new AbortController()
    const ended = new AbortController()
    let phase: string | undefined
    this.#running = task
    log.info(`${task.noun} taken`, task.names)
    if (feature('FAILPOINTS')) failpoint(`${task.noun}.taken`)
    const { heartbeat } = task
    if (heartbeat) void this.#repeat(() => this.#sendTransient(heartbeat(phase)), ended.signal)
    const body = await run(task, {
      onStarted: () => {
        void this.#isPendingAfter(START_EVENT_DELAY_MS, executed.signal).then((lasts) => {
          if (lasts) this.#sendTransient(task.started)
        })
      },
      onPhase: (name) => {
        phase = name
      },
    })
    executed.abort()
    if (body !== undefined) {
      if (feature('FAILPOINTS')) failpoint(`${task.noun}.executed`)
      await outbox.put(task.id, body)
      if (feature('FAILPOINTS')) failpoint('outbox.written')
      this.#recent.add(task.id, body)
      log.info(`${task.noun} ended`, task.names)
    }
    // Not before: a disk may take its time, and the server must not give the job to somebody else meanwhile.
    ended.abort()
    this.#running = undefined
    wake()
  }

  async #repeat(beat: () => void, signal: AbortSignal): Promise<void> {
    while (await this.#isPendingAfter(HEARTBEAT_MS, signal)) beat()
  }

  /** Whether the task is still there after `ms`. */
  #isPendingAfter(ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#dependencies.clock.sleep(ms, signal).then(
      () => !signal.aborted,
      () => false,
    )
  }

  #sendTransient({ type, payload }: TransientEvent): void {
    const { clock, sendNow } = this.#dependencies
    sendNow(writeEvent(clock, type, newId(clock.now()), payload))
  }
}
