import { JobCancelledError, JobFailedError, JobTimeoutError } from './errors.ts'
import type {
  AttemptCalibration,
  JobDetail,
  JobEstimate,
  JobResults,
  Job as JobSummary,
  PartialResults as PartialResultsWire,
  RecallMark,
} from './generated/wire.gen.ts'
import { isTemporary, limitOf, sleep } from './repetition.ts'
import { CircuitResult, Result } from './result.ts'
import type { Transport } from './transport.ts'
import { hasEnded, type Waiting } from './waiting.ts'

/** `pending`, `running`, or one of the ends: `completed`, `failed`, `cancelled`. */
export type JobStatus = JobDetail['status']

/** A job as the server returns it: from a list without the details. */
export type JobWire = JobSummary & Partial<JobDetail>

/** The results of circuits that have ended of a job that has not completed. */
export interface PartialResults {
  /** The attempt that they belong to. */
  readonly attempt: number
  /** Part of the job that this attempt has done, from 0 to 1. */
  readonly progress: number
  /** Whether the job has completed: `result()` returns all results, and there are none here. */
  readonly complete: boolean
  /** By their positions in the results of the whole job, in the order in which they ended. */
  readonly circuits: ReadonlyMap<number, CircuitResult>
}

/** Limits of a wait. */
export interface WaitOptions {
  /** Time in ms after which `JobTimeoutError` is thrown; unlimited unless given. The job goes on. */
  readonly timeoutMs?: number
  /** Ends the wait with the reason of the signal; the job goes on. */
  readonly signal?: AbortSignal
}

/** Between two readings of the position in the queue and of the progress, in ms. */
const POSITION_MS = 5_000

/** A job as it was when it was read. Methods that read it again return a new one. */
export class Job {
  /** The whole response of the server. */
  readonly raw: JobWire
  readonly #transport: Transport
  readonly #waiting: Waiting

  constructor(raw: JobWire, transport: Transport, waiting: Waiting) {
    this.raw = raw
    this.#transport = transport
    this.#waiting = waiting
  }

  get id(): string {
    return this.raw.id
  }

  get name(): string {
    return this.raw.name
  }

  get tags(): readonly string[] {
    return this.raw.tags
  }

  get status(): JobStatus {
    return this.raw.status
  }

  /** Completed, failed or cancelled. */
  get isDone(): boolean {
    return hasEnded(this.status)
  }

  /** Id of the QPU that runs or ran it, or else of the requested one. */
  get qpu(): string | undefined {
    return this.raw.qpu || this.raw.qpu_target || undefined
  }

  get created(): Date {
    return new Date(this.raw.created)
  }

  /** Start of the last attempt. */
  get started(): Date | undefined {
    return dateOf(this.raw.started_at)
  }

  get finished(): Date | undefined {
    return dateOf(this.raw.finished_at)
  }

  /** QPU seconds that the job has cost; undefined before the charge. */
  get chargedSeconds(): number | undefined {
    return this.raw.charged_seconds ?? undefined
  }

  /** Why it waits, while it is pending: for people (`text`) and for programs (`code`). */
  get waiting(): JobDetail['waiting'] {
    return this.raw.waiting
  }

  /** 1 = next. */
  get queuePosition(): number | undefined {
    return this.raw.queue_position
  }

  /** Between which times it is expected to start; undefined without an estimate. */
  get estimatedStart(): { from: Date; to: Date } | undefined {
    const estimate = this.raw.estimated_start
    return estimate ? { from: new Date(estimate.from), to: new Date(estimate.to) } : undefined
  }

  /** What was expected of it at its submission; undefined where the server does not say. */
  get estimate(): JobEstimate | undefined {
    return this.raw.estimate ?? undefined
  }

  /** Part of it that its last attempt has done, from 0 to 1; 0 if the device does not report it. */
  get progress(): number {
    return this.raw.progress ?? 0
  }

  /** Why its result is not to be relied on; undefined unless it was recalled, and in lists. */
  get recalled(): RecallMark | undefined {
    return this.raw.recalled ?? undefined
  }

  /** Report of a calibration that ran on the QPU while the job did; undefined without one, and in lists. */
  get disturbedBy(): string | undefined {
    return this.raw.disturbed_by ?? undefined
  }

  /** When it fails if it still waits; undefined if never, and in lists. */
  get giveUpAt(): Date | undefined {
    return dateOf(this.raw.give_up_at ?? '')
  }

  /** Why it failed. */
  get error(): { code: string; message: string } | undefined {
    return this.raw.error ?? undefined
  }

  /**
   * Report and device file that were in force when its last attempt began and when it ended. Undefined for a
   * job that has not run, that a list returned (refresh it), or whose driver and server do not know it.
   */
  calibration(): AttemptCalibration | undefined {
    return this.raw.calibration ?? undefined
  }

  /** Its id. */
  toString(): string {
    return this.id
  }

  /** Reads the job again. */
  async refresh(): Promise<Job> {
    return this.#with(await this.#waiting.readFirst(this.id))
  }

  /** Cancels it while it is pending. @throws NotPendingError afterwards. */
  async cancel(): Promise<Job> {
    const path = `/api/jobs/${this.id}/cancel`
    return this.#with(await this.#transport.request('POST', path, { isRepeatable: true }))
  }

  /**
   * Waits until it has ended, also when it failed. Without `timeoutMs` there is no limit; lost connections
   * and restarts of the server do not end the wait.
   *
   * @throws JobTimeoutError; AuthenticationError and the like if it can no longer be read.
   */
  async wait({ timeoutMs, signal }: WaitOptions = {}): Promise<Job> {
    if (timeoutMs === undefined) return this.#untilDone(signal)
    const { signal: timeout, ...limit } = limitOf(timeoutMs)
    try {
      return await this.#untilDone(signal ? AbortSignal.any([signal, timeout]) : timeout)
    } catch (error) {
      if (timeout.aborted && !signal?.aborted) throw new JobTimeoutError(this.id, timeoutMs)
      throw error
    } finally {
      limit.end()
    }
  }

  async #untilDone(signal?: AbortSignal): Promise<Job> {
    // A job of a list or of a cancellation has no results: it is read again.
    if (this.isDone && this.raw.results !== undefined) return this
    let status = this.#unlessDone()
    for (;;) {
      const raw = await this.#waiting.next(this.id, status, signal)
      if (hasEnded(raw.status)) return this.#with(raw)
      status = raw.status
    }
  }

  /** A job of a list or of a cancellation has no results: it is read again. */
  #unlessDone(): JobStatus | '' {
    return this.isDone ? '' : (this.raw.status ?? '')
  }

  /**
   * Waits as `wait` does and returns the results; warns on the console if they were recalled, as the server
   * knew when this job was read. @throws JobFailedError, JobCancelledError, JobTimeoutError.
   */
  async result(options?: WaitOptions): Promise<Result> {
    const { raw, status, error, recalled } = await this.wait(options)
    if (status === 'cancelled') {
      const isOfSession = raw.timeline?.some(({ detail }) => detail === 'session_ended')
      throw new JobCancelledError(this.id, isOfSession ? ': its session has ended' : '')
    }
    if (status === 'failed')
      throw new JobFailedError(this.id, error?.code ?? '', error?.message ?? 'unknown reason')
    if (recalled) console.warn(`The result of job ${this.id} was recalled: ${recalled.reason}`)
    return new Result(this.id, raw.results as JobResults)
  }

  /**
   * Reads the results of circuits that have ended, without waiting: of a job that runs, has failed or waits
   * for another attempt. There are none of a job with one circuit, and from servers of an earlier release.
   */
  async partialResults(): Promise<PartialResults> {
    const path = `/api/jobs/${this.id}/partial-results`
    const read: PartialResultsWire = await this.#transport.request('GET', path)
    const { attempt, progress, complete, results } = read
    const circuits = new Map(results.map(({ index, result }) => [index, new CircuitResult(result)]))
    return { attempt, progress, complete, circuits }
  }

  /** Yields the job now and when its status, position, estimate or progress changes, until it has ended. */
  async *watch({ signal }: { signal?: AbortSignal } = {}): AsyncGenerator<Job, void, undefined> {
    let raw: JobWire = await this.#waiting.next(this.id, '', signal)
    yield this.#with(raw)
    while (!hasEnded(raw.status)) {
      const next: JobWire = await this.#change(raw, signal)
      if (describe(next) !== describe(raw)) yield this.#with(next)
      raw = next
    }
  }

  /** The job with another status, or after a while as it is. */
  async #change(raw: JobWire, signal: AbortSignal | undefined): Promise<JobWire> {
    const stop = new AbortController()
    const until = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
    try {
      const ended = this.#waiting.next(this.id, raw.status, until)
      // A reading that fails for the moment decides nothing: the wait goes on.
      const position = sleep(POSITION_MS, until)
        .then(() => this.#waiting.read(this.id, {}, until))
        .catch((error: unknown) => (isTemporary(error) ? ended : Promise.reject(error)))
      return await Promise.race([ended, position])
    } finally {
      stop.abort()
    }
  }

  /** The job with what was read of it; why it waits belongs to the moment. */
  #with(raw: JobWire): Job {
    const { waiting: _, queue_position: __, estimated_start: ___, ...lasting } = this.raw
    return new Job({ ...lasting, ...raw }, this.#transport, this.#waiting)
  }
}

function describe({ status, progress, waiting, queue_position, estimated_start }: JobWire): string {
  return JSON.stringify([status, progress, waiting?.text, queue_position, estimated_start])
}

function dateOf(text: string): Date | undefined {
  return text === '' ? undefined : new Date(text)
}
