import { AppError, startWorker } from '../../base/index.ts'
import type { CheckReport, QasmProblem } from '../../qasm/index.ts'
import { Turns } from '../turns.ts'
import { checkEach } from './check-each.ts'

/** Characters, together, and operations, together, that are checked within some 20 ms; to start a thread takes longer. */
const AT_ONCE = { length: 128 * 1024, operations: 50_000 }
/** More would have to wait for longer than half a minute, when connections that say nothing are closed. */
const MOST_WAITING = 100
const RETRY_AFTER_S = 5

/**
 * Checks programs: at once what takes a moment, the others by a thread, so that the event loop stays free. One thread at
 * a time, for its memory: the tree of a single block takes more than a hundred times its text.
 */
export class ProgramChecker {
  readonly #turns = new Turns(1)
  readonly #stopping = new AbortController()

  /**
   * What is found in each of the programs, in their order. Equal ones are checked once.
   * @throws AppError `unavailable`: `too_many_large_programs` when too many wait for the thread, or after `stop`.
   */
  async check(programs: readonly string[]): Promise<CheckReport[]> {
    const reports = checkAtOnce(programs)
    if (reports) return reports
    if (this.#turns.waiting >= MOST_WAITING) throw busy()
    return this.#turns.run(() => checkByThread(programs, this.#stopping.signal))
  }

  /** Ends the thread; whoever waits for it is refused, also from now on. Safe to call twice. */
  stop(): void {
    this.#stopping.abort(new AppError('unavailable', 'The server is stopping; submit the job again later'))
  }
}

/** As `check`; undefined when that takes longer than others should wait. */
function checkAtOnce(programs: readonly string[]): CheckReport[] | undefined {
  const different = [...new Set(programs)]
  const length = different.reduce((sum, program) => sum + program.length, 0)
  if (length > AT_ONCE.length) return undefined
  const operations = Math.floor(AT_ONCE.operations / different.length)
  const reports = checkEach(programs, { operations })
  const isCutShort = ({ code }: QasmProblem) => code === 'too_many_operations'
  return reports.some(({ problems }) => problems.some(isCutShort)) ? undefined : reports
}

/** Each time by a new thread: what one has used of memory is given back only by its end. */
async function checkByThread(programs: readonly string[], signal: AbortSignal): Promise<CheckReport[]> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<CheckReport[]>()
  const thread = startWorker('server/programs/worker')
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  thread.addEventListener('message', ({ data }: MessageEvent<CheckReport[]>) => resolve(data))
  thread.addEventListener('error', ({ message }) =>
    reject(new Error(`Programs cannot be checked: ${message}`)),
  )
  thread.addEventListener('close', () => reject(new Error('The thread that checks programs ended')))
  try {
    thread.postMessage(programs)
    return await promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    thread.terminate()
  }
}

function busy(): AppError {
  return new AppError(
    'unavailable',
    `The server is at work on other large programs; send this one again in ${RETRY_AFTER_S} s`,
    { reason: 'too_many_large_programs', retryAfter: RETRY_AFTER_S },
  )
}
