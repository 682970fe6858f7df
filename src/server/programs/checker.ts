import { AppError, defineWorker, type RunningWorker, startWorker } from '../../base/index.ts'
import type { CheckReport, QasmProblem } from '../../qasm/index.ts'
import { Semaphore } from '../semaphore.ts'
import { checkEach } from './check-each.ts'

/** Total characters and operations that are checked within about 20 ms. */
const INLINE_LIMITS = { length: 128 * 1024, operations: 50_000 }
/** More requests would wait longer than 30 s, after which idle connections are closed. */
const MAX_WAITING = 100
const RETRY_AFTER_S = 5

/** Checks programs in their order. */
export const checkWorker = defineWorker<readonly string[], CheckReport[]>('src/server/programs/worker.ts')

/**
 * Checks programs: small ones at once, large ones in a thread, so that the event loop is not blocked. The
 * thread starts with the first large program and does not keep the process alive. It runs one check at a time
 * to limit memory: the syntax tree of a single block takes more than a hundred times the size of its text.
 */
export class ProgramChecker {
  readonly #semaphore = new Semaphore(1)
  #thread: RunningWorker<readonly string[]> | undefined
  /** The current or last request to the thread. */
  #pending: PromiseWithResolvers<CheckReport[]> | undefined
  #isStopped = false

  /**
   * Checks each of the programs and returns the reports in the same order. Equal programs are checked once.
   * @throws AppError `unavailable`: `too_many_large_programs` when too many requests wait for the thread, and
   *   after `stop`.
   */
  async check(programs: readonly string[]): Promise<CheckReport[]> {
    const reports = checkInline(programs)
    if (reports) return reports
    if (this.#semaphore.waiting >= MAX_WAITING) throw overloaded()
    return this.#semaphore.run(() => this.#checkInThread(programs))
  }

  /** Ends the thread; waiting and further checks are refused. Safe to call twice. */
  stop(): void {
    this.#isStopped = true
    this.#thread?.terminate()
    this.#end(stopping())
  }

  async #checkInThread(programs: readonly string[]): Promise<CheckReport[]> {
    if (this.#isStopped) throw stopping()
    const pending = Promise.withResolvers<CheckReport[]>()
    this.#pending = pending
    this.#thread ??= this.#start()
    this.#thread.send(programs)
    return pending.promise
  }

  #start(): RunningWorker<readonly string[]> {
    return startWorker(checkWorker, {
      onResponse: (reports) => this.#pending?.resolve(reports),
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

function stopping(): AppError {
  return new AppError('unavailable', 'The server is stopping; submit the job again later')
}
