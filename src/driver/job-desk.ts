import { feature } from 'bun:bundle'
import { type Clock, failpoint, type Log, newId } from '../base/index.ts'
import { type EventPayload, resultId } from '../protocol/index.ts'
import type { CommandHead } from './command-head.ts'
import { decideDispatch } from './decide-dispatch.ts'
import type { JobOrder, JobWatch } from './job-run.ts'
import type { Outbox } from './outbox.ts'
import { RecentResults } from './recent-results.ts'
import { writeEvent } from './write-event.ts'

interface DeskParts {
  clock: Clock
  log: Log
  outbox: Outbox
  /** Runs a job to its result event; undefined when it is stopped, or the driver stops, first. */
  runJob(order: JobOrder, watch: JobWatch): Promise<string | undefined>
  /** Ends the job under way without a result. */
  stopJob(result: string): void
  /** Sends an event that is worthless later; false when the server is away. */
  sendNow(body: string): boolean
  /** A result has been put into the outbox, or is wanted again. */
  wake(): void
}

type Dispatch = Extract<CommandHead, { kind: 'run' }>

const HEARTBEAT_MS = 5_000
/** A job that ends sooner is told of by its result alone: that saves the server a durable write. */
const ANNOUNCED_AFTER_MS = 20

/** Takes dispatched jobs, one at a time, and turns each into one result in the outbox. */
export class JobDesk {
  readonly #parts: DeskParts
  readonly #recent = new RecentResults()
  #running: { job: string; attempt: number } | undefined
  #idle: Promise<void> = Promise.resolve()
  #epoch = 0
  #stopping = false

  constructor(parts: DeskParts) {
    this.#parts = parts
  }

  /** The attempt under way. */
  get running(): EventPayload<'DriverHello'>['running'] {
    return this.#running ? { ...this.#running } : null
  }

  /** From now on dispatches under older leases are refused. */
  beginLease(epoch: number): void {
    this.#epoch = epoch
  }

  /** Refuses new jobs; settles when the one under way, if any, has its result in the outbox. */
  async close(): Promise<void> {
    this.#stopping = true
    await this.#idle
  }

  /** Takes, answers or refuses a dispatch; `text` is the whole command. */
  async receive(dispatch: Dispatch, text: string): Promise<void> {
    const { outbox, wake } = this.#parts
    const { job, attempt, epoch } = dispatch
    const result = resultId(job, attempt)
    const body = this.#recent.get(result)
    const verdict = decideDispatch(
      { result, epoch },
      {
        running: this.#running && resultId(this.#running.job, this.#running.attempt),
        epoch: this.#epoch,
        stopping: this.#stopping,
        answered: outbox.has(result) || body !== undefined,
      },
    )
    switch (verdict) {
      case 'run':
        this.#idle = this.#work(dispatch, text)
        return
      case 'answer':
        if (body !== undefined) await outbox.put(result, body)
        outbox.hasten(result)
        wake()
        return
      case 'confirm':
        this.#tell('JobHeartbeat', { job, attempt })
        return
      default:
        this.#parts.log.warn('job refused', { job, attempt, reason: verdict })
        this.#tell('JobRefused', { job, attempt, reason: verdict })
    }
  }

  /** The server has no more use for this attempt: what runs is stopped, what has ended goes the usual way. */
  stop({ job, attempt }: { job: string; attempt: number }): void {
    const result = resultId(job, attempt)
    if (!this.#running || resultId(this.#running.job, this.#running.attempt) !== result) return
    this.#parts.log.info('job stopped by the server', { job, attempt })
    this.#parts.stopJob(result)
  }

  async #work({ job, attempt, epoch, limit_ms }: Dispatch, text: string): Promise<void> {
    const { outbox, runJob, wake, log } = this.#parts
    const over = new AbortController()
    let phase: string | undefined
    this.#running = { job, attempt }
    log.info('job taken', { job, attempt })
    if (feature('FAILPOINTS')) failpoint('job.taken')
    const beat = () => this.#tell('JobHeartbeat', { job, attempt, ...(phase !== undefined && { phase }) })
    void this.#repeat(beat, over.signal)
    const body = await runJob(
      { attempt: { job, attempt, epoch }, text, limitMs: limit_ms },
      {
        onStarted: () => {
          void this.#lasts(ANNOUNCED_AFTER_MS, over.signal).then((lasts) => {
            if (lasts) this.#tell('JobStarted', { job, attempt })
          })
        },
        onPhase: (name) => {
          phase = name
        },
      },
    )
    over.abort()
    if (body !== undefined) {
      if (feature('FAILPOINTS')) failpoint('job.executed')
      const result = resultId(job, attempt)
      await outbox.put(result, body)
      if (feature('FAILPOINTS')) failpoint('outbox.written')
      this.#recent.add(result, body)
      log.info('job ended', { job, attempt })
    }
    this.#running = undefined
    wake()
  }

  async #repeat(beat: () => void, signal: AbortSignal): Promise<void> {
    while (await this.#lasts(HEARTBEAT_MS, signal)) beat()
  }

  /** Whether the job is still there after `ms`. */
  #lasts(ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#parts.clock.sleep(ms, signal).then(
      () => !signal.aborted,
      () => false,
    )
  }

  #tell<Type extends 'JobStarted' | 'JobHeartbeat' | 'JobRefused'>(
    type: Type,
    payload: EventPayload<Type>,
  ): void {
    const { clock, sendNow } = this.#parts
    sendNow(writeEvent(clock, type, newId(clock.now()), payload))
  }
}
