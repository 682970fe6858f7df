import { AppError, type Clock, processorMsOf } from '../../base/index.ts'
import type { ExportedPage, ExportPage } from '../engine/export-page.ts'
import { invalidFilterError, tooCostly } from '../engine/failure.ts'
import type { Reading, ReadLimits } from '../engine/reading.ts'
import type { Selected, Selection } from '../engine/selection.ts'
import type { DatabaseSource } from '../engine/server-address.ts'
import { Waiting } from '../engine/waiting.ts'
import type { ReadTask } from './messages.ts'
import { PLAIN_READER, ReaderProcess, type Received } from './reader-process.ts'

const DEFAULT_LIMITS: ReadLimits = { readers: 2, timeoutMs: 2_000, superuserTimeoutMs: 30_000 }

/**
 * Longest time in ms until a read ends or is refused, with its wait for a reader: readers have a low
 * priority, so on a busy machine a read takes many times its processor time.
 */
const MIN_WALL_MS = 30_000
/** Longest time of a read that may use more processor time than half of `MIN_WALL_MS`. */
const WALL_FACTOR = 2
/** Between two looks at the processor time of a reader that is about to reach its limit. */
const MIN_CHECK_MS = 50

/** A reader without work ends after this time. */
const IDLE_MS = 30_000

/** A response that is no failure. */
type Success = Received & { readonly kind: 'selected' | 'exported' }

interface Job extends PromiseWithResolvers<Success> {
  readonly task: ReadTask
  readonly reading: Reading
  /** Processor time that it may use, in ms. */
  readonly limitMs: number
}

interface Reader {
  readonly process: ReaderProcess
  job: Job | undefined
  /** Ends the wait for the next look at the job or, between jobs, for the end of an idle reader. */
  timer: AbortController
}

/** What a pool may be given; the defaults are those of the service. */
interface PoolOptions {
  readonly limits?: ReadLimits | undefined
  /** Command that runs `runReader`. */
  readonly command?: readonly string[] | undefined
  /** Processor time of a process in ms. */
  readonly processorMs?: (pid: number) => number | undefined
}

/**
 * Reads selections and pages of exports in a few processes, so that none of them delays the event loop and
 * each can be stopped. Processes start when they are needed. Callers take turns; see `Waiting`.
 */
export class ReaderPool {
  readonly #source: DatabaseSource
  readonly #clock: Clock
  readonly #limits: ReadLimits
  readonly #command: readonly string[]
  readonly #processorMsOf: (pid: number) => number | undefined
  readonly #waiting: Waiting<Job>
  readonly #readers = new Set<Reader>()
  #isClosed = false

  constructor(source: DatabaseSource, clock: Clock, options: PoolOptions = {}) {
    const { limits = DEFAULT_LIMITS, command = PLAIN_READER, processorMs = processorMsOf } = options
    this.#source = source
    this.#clock = clock
    this.#limits = limits
    this.#command = command
    this.#processorMsOf = processorMs
    this.#waiting = new Waiting(limits.readers, limits.waiting)
  }

  /** Processes that run, for tests and metrics. */
  get pids(): number[] {
    return [...this.#readers].map(({ process }) => process.pid)
  }

  /**
   * What the selection finds in the data committed before the call.
   * @throws AppError `invalid`, which no repetition changes: `filter_too_costly` when it used the processor
   *   time that it may use, `bad_filter` when it cannot be evaluated; `limited` when the caller, and
   *   `unavailable` when all callers have too many reads waiting; `unavailable` (`reader_busy`) when the
   *   machine was too busy, when the pool is closed and when the client has gone.
   */
  async read(selection: Selection, reading: Reading): Promise<Selected> {
    const response = await this.#run({ kind: 'select', selection }, reading)
    if (response.kind !== 'selected') throw new TypeError('a reader exported instead of selecting')
    return response.selected
  }

  /** A page of an export as text, of the data committed before the call. @throws AppError as `read` does. */
  async export(page: ExportPage, reading: Reading): Promise<ExportedPage> {
    const response = await this.#run({ kind: 'export', page }, reading)
    if (response.kind !== 'exported') throw new TypeError('a reader selected instead of exporting')
    const { text = new Uint8Array(), last } = response
    return { text, last }
  }

  #run(task: ReadTask, reading: Reading): Promise<Success> {
    if (this.#isClosed) return Promise.reject(closed())
    const { signal, kind } = reading
    if (signal?.aborted) return Promise.reject(gone())
    const { timeoutMs, superuserTimeoutMs } = this.#limits
    const limitMs = kind === 'superuser' ? superuserTimeoutMs : timeoutMs
    const job: Job = { task, reading, limitMs, ...Promise.withResolvers<Success>() }
    try {
      this.#waiting.add(job)
    } catch (error) {
      return Promise.reject(error)
    }
    const settled = this.#withDeadline(job)
    this.#next()
    return settled
  }

  /** Ends a job when its client has gone, and when it takes too long on a busy machine. */
  async #withDeadline(job: Job): Promise<Success> {
    const { signal, keepOpen } = job.reading
    const wallMs = Math.max(MIN_WALL_MS, WALL_FACTOR * job.limitMs)
    const end = new AbortController()
    const onAbort = () => this.#cancel(job, gone())
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#clock.sleep(wallMs, end.signal).then(
      () => this.#cancel(job, busy(wallMs)),
      () => undefined,
    )
    keepOpen?.(wallMs)
    try {
      return await job.promise
    } finally {
      end.abort()
      signal?.removeEventListener('abort', onAbort)
      keepOpen?.(0)
    }
  }

  /** Ends all readers; what waits or runs is rejected. Safe to call twice. */
  close(): void {
    this.#isClosed = true
    for (const job of this.#waiting.clear()) job.reject(closed())
    for (const reader of [...this.#readers]) this.#end(reader)?.reject(closed())
  }

  /** Gives waiting jobs to idle readers, and to new ones while there are fewer than allowed. */
  #next(): void {
    for (;;) {
      const idle = [...this.#readers].find(({ job }) => !job)
      if (!idle && this.#readers.size >= this.#limits.readers) return
      const job = this.#waiting.take()
      if (!job) return
      try {
        this.#give(idle ?? this.#start(), job)
      } catch (cause) {
        this.#waiting.release(job)
        const message = 'A process that reads the database cannot be started; see the log'
        job.reject(new AppError('unavailable', message, { reason: 'reader_failed', retryAfter: 5, cause }))
      }
    }
  }

  #start(): Reader {
    const process = new ReaderProcess(this.#source, this.#command, {
      onResponse: (response) => this.#respond(reader, response),
      onEnd: (how) => {
        const job = this.#end(reader)
        const cause = new Error(how)
        job?.reject(
          new AppError('unavailable', 'The process that read the database ended; try again', {
            reason: 'reader_failed',
            retryAfter: 1,
            cause,
          }),
        )
        this.#next()
      },
    })
    const reader: Reader = { process, job: undefined, timer: new AbortController() }
    this.#readers.add(reader)
    return reader
  }

  #give(reader: Reader, job: Job): void {
    reader.job = job
    this.#limitProcessorTime(reader, job.limitMs, this.#usedMs(reader))
    const { task, limitMs } = job
    reader.process.send({ kind: 'read', task, now: this.#clock.now(), limitMs })
  }

  /** Ends the job of a reader once it has used `limitMs` since `beforeMs`. */
  #limitProcessorTime(reader: Reader, limitMs: number, beforeMs: number): void {
    const leftMs = beforeMs + limitMs - this.#usedMs(reader)
    if (leftMs > 0) {
      // A reader uses one processor, so that it cannot reach its limit earlier.
      this.#after(reader, Math.max(MIN_CHECK_MS, leftMs), () =>
        this.#limitProcessorTime(reader, limitMs, beforeMs),
      )
    } else {
      this.#end(reader)?.reject(tooCostly(limitMs))
      this.#next()
    }
  }

  /** Processor time of a reader in ms; where the system does not tell it, time that has passed. */
  #usedMs({ process: { pid } }: Reader): number {
    return this.#processorMsOf(pid) ?? this.#clock.monotonic()
  }

  #respond(reader: Reader, response: Received): void {
    const { job } = reader
    if (!job) return
    reader.job = undefined
    this.#waiting.release(job)
    this.#after(reader, IDLE_MS, () => this.#end(reader))
    if (response.kind === 'selected' || response.kind === 'exported') job.resolve(response)
    else job.reject(this.#errorOf(response))
    this.#next()
  }

  #cancel(job: Job, error: AppError): void {
    const running = [...this.#readers].find((reader) => reader.job === job)
    if (running) this.#end(running)
    else this.#waiting.remove(job)
    job.reject(error)
    this.#next()
  }

  /** Ends a reader and returns the job that it ran. */
  #end(reader: Reader): Job | undefined {
    const { job } = reader
    reader.job = undefined
    reader.timer.abort()
    reader.process.kill()
    this.#readers.delete(reader)
    if (job) this.#waiting.release(job)
    return job
  }

  /** Calls `then` after `ms` unless the reader gets a job, responds or ends before. */
  #after(reader: Reader, ms: number, then: () => void): void {
    reader.timer.abort()
    reader.timer = new AbortController()
    this.#clock.sleep(ms, reader.timer.signal).then(then, () => undefined)
  }

  #errorOf(response: Exclude<Received, Success>): Error {
    if (response.kind === 'refused') {
      const { code, message, reason } = response
      return new AppError(code, message, reason === undefined ? {} : { reason })
    }
    return invalidFilterError(new Error(response.message))
  }
}

function busy(ms: number): AppError {
  return new AppError(
    'unavailable',
    `The list was not read within ${ms / 1_000} s, because the server is busy; try again later`,
    { reason: 'reader_busy', retryAfter: 5 },
  )
}

function closed(): AppError {
  return new AppError('unavailable', 'The database is closed; the service is stopping')
}

function gone(): AppError {
  return new AppError('unavailable', 'The client has closed the connection')
}
