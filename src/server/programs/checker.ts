import {
  AppError,
  type Clock,
  defineWorker,
  type RunningWorker,
  startWorker,
  withTimeout,
} from '../../base/index.ts'
import type { CheckReport, QasmProblem } from '../../qasm/index.ts'
import { checkEach } from './check-each.ts'
import { FairQueue } from './fair-queue.ts'

/** Total characters and operations that are checked within about 5 ms. */
const INLINE_LIMITS = { length: 64 * 1024, operations: 10_000 }
/** More requests would wait longer than 30 s, after which idle connections are closed. */
const MAX_WAITING = 100
/** Of one account, which otherwise could take all places. */
const MAX_WAITING_OF_ACCOUNT = 20
const RETRY_AFTER_S = 5
/** The programs of a job that take longer are refused; the largest plain ones take about a second. */
const MAX_CHECK_MS = 10_000
/** The thread is replaced when its heap remains larger after a collection: it would not shrink by itself. */
const MAX_IDLE_HEAP_BYTES = 64 * 1024 * 1024

/** The reports on the programs of one request. */
interface Checked {
  reports: CheckReport[]
  /** What the heap of the thread keeps afterwards. */
  heapBytes: number
}

/** Checks programs in their order. */
export const checkWorker = defineWorker<readonly string[], Checked>('src/server/programs/worker.ts')

/**
 * Checks programs: small ones at once, large ones in a thread, so that the event loop is not blocked. The
 * thread starts with the first large program and does not keep the process alive. It runs one check at a
 * time to limit memory: the syntax tree of a statement takes up to a hundred times the size of its text.
 * Accounts take turns.
 */
export class ProgramChecker {
  readonly #clock: Clock
  readonly #maxIdleHeapBytes: number
  readonly #queue = new FairQueue()
  #thread: RunningWorker<readonly string[]> | undefined
  /** The current or last request to the thread. */
  #pending: PromiseWithResolvers<CheckReport[]> | undefined
  #isStopped = false

  constructor(clock: Clock, { maxIdleHeapBytes = MAX_IDLE_HEAP_BYTES } = {}) {
    this.#clock = clock
    this.#maxIdleHeapBytes = maxIdleHeapBytes
  }

  /**
   * Checks each of the programs, which `account` sends, and returns the reports in the same order. Equal
   * programs are checked once.
   * @throws AppError `invalid` (`check_too_long`) after 10 s; `unavailable`: `too_many_large_programs` when
   *   too many requests wait for the thread, and after `stop`.
   */
  async check(programs: readonly string[], account: string): Promise<CheckReport[]> {
    const reports = checkInline(programs)
    if (reports) return reports
    const isFull =
      this.#queue.waiting >= MAX_WAITING || this.#queue.waitingOf(account) >= MAX_WAITING_OF_ACCOUNT
    if (isFull) throw overloaded()
    return this.#queue.run(account, () => this.#checkInThread(programs))
  }

  /** Ends the thread; waiting and further checks are refused. Safe to call twice. */
  stop(): void {
    this.#isStopped = true
    this.#endThread()
    this.#end(stopping())
  }

  async #checkInThread(programs: readonly string[]): Promise<CheckReport[]> {
    if (this.#isStopped) throw stopping()
    const pending = Promise.withResolvers<CheckReport[]>()
    this.#pending = pending
    this.#thread ??= this.#start()
    this.#thread.send(programs)
    return withTimeout(pending.promise, {
      clock: this.#clock,
      ms: MAX_CHECK_MS,
      onTimeout: () => {
        this.#endThread()
        throw tooLong()
      },
    })
  }

  #finish({ reports, heapBytes }: Checked): void {
    if (heapBytes > this.#maxIdleHeapBytes) this.#endThread()
    this.#pending?.resolve(reports)
  }

  /** The next check starts another thread. */
  #endThread(): void {
    this.#thread?.terminate()
    this.#thread = undefined
  }

  #start(): RunningWorker<readonly string[]> {
    return startWorker(checkWorker, {
      onResponse: (checked) => this.#finish(checked),
      onEnd: (error) =>
        this.#end(
          new Error(
            error ? `Programs cannot be checked: ${error.message}` : 'The thread that checks programs ended',
          ),
        ),
    })
  }

  /** Rejects the pending check; the next one starts another thread. */
  #end(reason: Error): void {
    this.#thread = undefined
    this.#pending?.reject(reason)
  }
}

/** Like `check`; undefined when the check would block the event loop for too long. */
function checkInline(programs: readonly string[]): CheckReport[] | undefined {
  const different = [...new Set(programs)]
  const length = different.reduce((sum, program) => sum + program.length, 0)
  if (length > INLINE_LIMITS.length) return undefined
  const operations = Math.floor(INLINE_LIMITS.operations / different.length)
  const reports = checkEach(programs, { operations })
  const isCutShort = ({ code }: QasmProblem) => code === 'too_many_operations'
  return reports.some(({ problems }) => problems.some(isCutShort)) ? undefined : reports
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
