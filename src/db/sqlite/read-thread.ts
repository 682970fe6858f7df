import { AppError, defineWorker, type RunningWorker, startWorker } from '../../base/index.ts'
import { appErrorOf, READER_PRAGMAS } from './connection.ts'
import type { Params } from './sql.ts'

/** A client that sends more than this many long reads sends them faster than they can run. */
const MAX_WAITING_REQUESTS = 100

/** The error of SQLite for a statement that it cannot run. */
export class ReadFailure extends Error {}

/** A thread with its own database connection, for reads that would block the event loop too long. */
interface ReadThread {
  /**
   * The rows of a statement, read from a snapshot taken when the statement starts. Statements run one after
   * another. Equal statements that wait share one result.
   * @throws ReadFailure for an invalid statement; AppError as connections do, and `unavailable` when too many
   *   wait or after `close`.
   */
  all(sql: string, params?: Params): Promise<Record<string, unknown>[]>
  /** Ends the thread; waiting statements are rejected. Safe to call twice. */
  close(): void
}

/** The first request opens the file, each later one runs a statement and gets one response. */
export type ReadRequest =
  | { kind: 'open'; path: string; pragmas: typeof READER_PRAGMAS }
  | { kind: 'run'; sql: string; params: Params }
export type ReadResponse =
  | { kind: 'rows'; rows: Record<string, unknown>[] }
  | { kind: 'failure'; message: string; code: string }

export const readWorker = defineWorker<ReadRequest, ReadResponse>('src/db/sqlite/read-thread-worker.ts')

interface ThreadRequest extends PromiseWithResolvers<Record<string, unknown>[]> {
  text: string
}

/** The thread starts with the first statement and does not keep the process alive. */
export function createReadThread(path: string): ReadThread {
  /** In the order of execution; the first one is running. */
  let waiting: ThreadRequest[] = []
  let thread: RunningWorker<ReadRequest> | undefined
  let isClosed = false

  function start(): RunningWorker<ReadRequest> {
    const started = startWorker(readWorker, {
      onResponse: (response) => {
        const request = waiting.shift()
        if (response.kind === 'rows') request?.resolve(response.rows)
        else request?.reject(appErrorOf(path, response) ?? new ReadFailure(response.message))
      },
      onEnd: (error) => end(error ?? new Error('The thread that reads the database ended')),
    })
    started.send({ kind: 'open', path, pragmas: READER_PRAGMAS })
    return started
  }

  /** Rejects all that wait; the next request starts another thread. */
  function end(reason: unknown): void {
    thread = undefined
    const rejected = waiting
    waiting = []
    for (const { reject } of rejected) reject(reason)
  }

  return {
    async all(sql, params = {}) {
      if (isClosed) throw closed()
      const text = JSON.stringify([sql, params])
      // The running statement may have started before the caller's own last write.
      const same = waiting.slice(1).find((each) => each.text === text)
      if (same) return same.promise
      if (waiting.length >= MAX_WAITING_REQUESTS) {
        throw new AppError('unavailable', 'Too many long requests wait for the database; try again later', {
          reason: 'too_many_reads',
          retryAfter: 5,
        })
      }
      const request = { text, ...Promise.withResolvers<Record<string, unknown>[]>() }
      waiting.push(request)
      thread ??= start()
      thread.send({ kind: 'run', sql, params })
      return request.promise
    },
    close() {
      isClosed = true
      thread?.terminate()
      end(closed())
    },
  }
}

function closed(): AppError {
  return new AppError('unavailable', 'The database is closed; the service is stopping')
}
