import {
  AppError,
  type Clock,
  MIB,
  processorMsOf,
  RequestThread,
  type WorkerEntry,
  wholeBuffer,
  withProcessorLimit,
} from '../../base/index.ts'
import { COUNTS } from '../admission/limits.ts'
import { Places } from '../admission/places.ts'
import type { Examination, SubmissionRequest, ThreadNumber, ThreadResponse } from './messages.ts'

const RETRY_AFTER_S = 5
/** Processor time of a check; the largest plain jobs take about a second. */
const MAX_CHECK_MS = 10_000
/** Longest time until a check ends on a busy machine: idle connections are closed after 30 s. */
const MAX_CHECK_WALL_MS = 25_000
/** The thread is replaced when its heap remains larger after a collection: it does not shrink again. */
const MAX_IDLE_HEAP_BYTES = 64 * MIB

/**
 * Examines large submissions in a thread, so that the event loop is not blocked: parses their bodies, checks
 * their programs and encodes what is stored. The thread starts with the first one and does not keep the
 * process alive. It runs one examination at a time to limit memory: the syntax tree of a statement takes up
 * to a hundred times the size of its text. Accounts take turns.
 */
export class SubmissionThread {
  readonly #thread: RequestThread<SubmissionRequest | ThreadNumber, ThreadResponse>
  readonly #clock: Clock
  readonly #maxIdleHeapBytes: number
  readonly #number = new Int32Array(new SharedArrayBuffer(4))
  readonly #processorMsOf: typeof processorMsOf
  readonly #turns = new Places(COUNTS.checkedJobs, COUNTS.uncheckedJobs)

  constructor(
    worker: WorkerEntry<SubmissionRequest | ThreadNumber, ThreadResponse>,
    clock: Clock,
    { maxIdleHeapBytes = MAX_IDLE_HEAP_BYTES, processorMs = processorMsOf } = {},
  ) {
    this.#thread = new RequestThread(worker, { task: 'checks programs', opening: { number: this.#number } })
    this.#clock = clock
    this.#maxIdleHeapBytes = maxIdleHeapBytes
    this.#processorMsOf = processorMs
  }

  /**
   * Examines a submission that `account` sends. Its bytes move to the thread and must not be used again.
   * @throws AppError `invalid` (`check_too_long`) after 10 s of processor time; `unavailable`:
   *   `too_many_large_programs` when too many requests wait for the thread or the machine is too busy for the
   *   check, and after `stop`.
   */
  examine(request: SubmissionRequest, account: string): Promise<Examination> {
    return this.#turns.run(() => this.#examineNow(request), account)
  }

  /** Ends the thread; waiting and further checks are refused. Safe to call twice. */
  stop(): void {
    this.#thread.stop(stopping())
  }

  async #examineNow(request: SubmissionRequest): Promise<Examination> {
    const moved = 'bytes' in request.body ? wholeBuffer(request.body.bytes) : []
    const { examination, heapBytes } = await withProcessorLimit(this.#thread.request(request, moved), {
      clock: this.#clock,
      usedMs: () => this.#usedMs(),
      maxMs: MAX_CHECK_MS,
      maxWallMs: MAX_CHECK_WALL_MS,
      onExceeded: (limit) => {
        const error = limit === 'processor' ? tooLong() : busy()
        this.#restart(error)
        return error
      },
    })
    if (heapBytes > this.#maxIdleHeapBytes) this.#restart(new Error('The thread keeps a large heap'))
    return examination
  }

  /** Processor time of the thread; undefined before it runs. */
  #usedMs(): number | undefined {
    const thread = Atomics.load(this.#number, 0)
    return thread === 0 ? undefined : this.#processorMsOf({ thread })
  }

  #restart(reason: Error): void {
    this.#thread.restart(reason)
    Atomics.store(this.#number, 0, 0)
  }
}

function tooLong(): AppError {
  const message =
    `Checking the programs takes more than the ${MAX_CHECK_MS / 1_000} s of processor time that one job may ` +
    'take; send them in several jobs'
  return new AppError('invalid', message, { reason: 'check_too_long' })
}

function busy(): AppError {
  return new AppError(
    'unavailable',
    `The programs were not checked within ${MAX_CHECK_WALL_MS / 1_000} s, because the server is busy; send this one again in ${RETRY_AFTER_S} s`,
    { reason: 'too_many_large_programs', retryAfter: RETRY_AFTER_S },
  )
}

function stopping(): AppError {
  return new AppError('unavailable', 'The server is stopping; submit the job again later')
}
