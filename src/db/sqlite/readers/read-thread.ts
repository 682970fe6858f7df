import { AppError, defineWorker, RequestThread } from '../../../base/index.ts'
import { StatementError } from '../../engine/failure.ts'
import type { Params } from '../../engine/sql.ts'
import { appErrorOf, READER_PRAGMAS } from '../connection.ts'

/** A client that sends more than this many long reads sends them faster than they can run. */
const MAX_WAITING_REQUESTS = 100

/** A thread with its own database connection, for reads that would block the event loop too long. */
interface ReadThread {
  /**
   * The rows of a statement, read from a snapshot taken when the statement starts. Statements run one after
   * another. Equal statements that wait share one result.
   * @throws StatementError for an invalid statement; AppError as connections do, and `unavailable` when too
   *   many wait or after `close`.
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

export const readWorker = defineWorker<ReadRequest, ReadResponse>(
  'src/db/sqlite/readers/read-thread-worker.ts',
)

/** A statement that waits or runs. */
interface Reading {
  readonly text: string
  readonly rows: Promise<Record<string, unknown>[]>
}

/** The thread starts with the first statement and does not keep the process alive. */
export function createReadThread(path: string): ReadThread {
  const thread = new RequestThread(readWorker, {
    task: 'reads the database',
    opening: { kind: 'open', path, pragmas: READER_PRAGMAS },
  })
  /** In the order of execution; the first one is running. */
  const readings: Reading[] = []

  async function run(sql: string, params: Params): Promise<Record<string, unknown>[]> {
    try {
      const response = await thread.request({ kind: 'run', sql, params })
      if (response.kind === 'rows') return response.rows
      throw (
        appErrorOf(path, response) ??
        new StatementError(response.message, { kind: 'statement', cause: response })
      )
    } finally {
      readings.shift()
    }
  }

  return {
    async all(sql, params = {}) {
      const text = JSON.stringify([sql, params])
      // The running statement may have started before the caller's own last write.
      const same = readings.slice(1).find((each) => each.text === text)
      if (same) return same.rows
      if (readings.length >= MAX_WAITING_REQUESTS) {
        throw new AppError('unavailable', 'Too many long requests wait for the database; try again later', {
          reason: 'too_many_reads',
          retryAfter: 5,
        })
      }
      const rows = run(sql, params)
      readings.push({ text, rows })
      return rows
    },
    close() {
      thread.stop(new AppError('unavailable', 'The database is closed; the service is stopping'))
    },
  }
}
