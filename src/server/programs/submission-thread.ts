import {
  AppError,
  type Clock,
  MIB,
  RequestThread,
  Semaphore,
  type WorkerEntry,
  wholeBuffer,
  withTimeout,
} from '../../base/index.ts'
import type { Examination, SubmissionRequest, ThreadResponse } from './messages.ts'

/** More requests would wait longer than 30 s, after which idle connections are closed. */
const MAX_WAITING = 100
/** Of one account, which otherwise could take all places. */
const MAX_WAITING_OF_ACCOUNT = 20
const RETRY_AFTER_S = 5
/** Jobs that take longer are refused; the largest plain ones take about a second. */
const MAX_CHECK_MS = 10_000
/** The thread is replaced when its heap remains larger after a collection: it does not shrink again. */
const MAX_IDLE_HEAP_BYTES = 64 * MIB

/**
 * Examines large submissions in a thread, so that the event loop is not blocked: parses their bodies, checks
 * their programs and encodes what is stored. The thread starts with the first one and does not keep the
 * process alive. It runs one examination at a time to limit memory: the syntax tree of a statement takes up
 * to a hundred times the size of its text. Accounts take turns.
 */
export class SubmissionThread {
  readonly #thread: RequestThread<SubmissionRequest, ThreadResponse>
  readonly #clock: Clock
  readonly #maxIdleHeapBytes: number
  readonly #turns = new Semaphore(1, {
    perCaller: MAX_WAITING_OF_ACCOUNT,
    all: MAX_WAITING,
    refuse: overloaded,
  })

  constructor(
    worker: WorkerEntry<SubmissionRequest, ThreadResponse>,
    clock: Clock,
    { maxIdleHeapBytes = MAX_IDLE_HEAP_BYTES } = {},
  ) {
    this.#thread = new RequestThread(worker, { task: 'checks programs' })
    this.#clock = clock
    this.#maxIdleHeapBytes = maxIdleHeapBytes
  }

  /**
   * Examines a submission that `account` sends. Its bytes move to the thread and must not be used again.
   * @throws AppError `invalid` (`check_too_long`) after 10 s; `unavailable`: `too_many_large_programs` when
   *   too many requests wait for the thread, and after `stop`.
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
    const { examination, heapBytes } = await withTimeout(this.#thread.request(request, moved), {
      clock: this.#clock,
      ms: MAX_CHECK_MS,
      onTimeout: () => {
        const error = tooLong()
        this.#thread.restart(error)
        throw error
      },
    })
    if (heapBytes > this.#maxIdleHeapBytes) this.#thread.restart(new Error('The thread keeps a large heap'))
    return examination
  }
}

function overloaded(): AppError {
  return new AppError(
    'unavailable',
    `The server is checking other large programs; send this one again in ${RETRY_AFTER_S} s`,
    { reason: 'too_many_large_programs', retryAfter: RETRY_AFTER_S },
  )
}

function tooLong(): AppError {
  const message = `Checking the programs takes longer than ${MAX_CHECK_MS / 1000} s; send them in several jobs`
  return new AppError('invalid', message, { reason: 'check_too_long' })
}

function stopping(): AppError {
  return new AppError('unavailable', 'The server is stopping; submit the job again later')
}
