import { Worker } from 'node:worker_threads'
import { AppError } from '../../base/index.ts'
import { appErrorOf, READER_PRAGMAS } from './connection.ts'
import type { Params } from './sql.ts'

/** More questions than that come from somebody who asks faster than any answer can be found. */
const MAX_WAITING_REQUESTS = 100

/** What SQLite said to a statement that it cannot run. */
export class ReadFailure extends Error {}

/** A thread that reads from a database by a connection of its own, for what takes too long for the event loop. */
export interface ReadThread {
  /**
   * The rows of a statement, on a snapshot that is made when its turn comes; statements run one after another. Who
   * asks what another one waits for gets the same rows.
   * @throws ReadFailure for a bad statement; AppError as connections do, and `unavailable` when too many wait or
   *   after `close`.
   */
  all(sql: string, params?: Params): Promise<Record<string, unknown>[]>
  /** Ends the thread; those who still wait are refused. Safe to call twice. */
  close(): void
}

/** Evaluated, so that the executable needs no second entry point. */
const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { Database } = require('bun:sqlite')
  let file
  function open() {
    file = new Database(workerData.path, { readonly: true, strict: true })
    for (const [name, value] of workerData.pragmas) file.run('PRAGMA ' + name + ' = ' + value)
    return file
  }
  parentPort.on('message', ({ sql, params }) => {
    try {
      const statement = (file ?? open()).prepare(sql)
      const rows = statement.all(params)
      statement.finalize()
      parentPort.postMessage({ rows })
    } catch (error) {
      parentPort.postMessage({ failure: { message: String(error?.message ?? error), code: error?.code ?? '' } })
    }
  })
`

type ThreadResponse = { rows: Record<string, unknown>[] } | { failure: { message: string; code: string } }

interface ThreadRequest extends PromiseWithResolvers<Record<string, unknown>[]> {
  text: string
}

/** The thread starts with the first question, and never keeps the process alive. */
export function createReadThread(path: string): ReadThread {
  /** In the order of the answers; the first one is being answered. */
  let waiting: ThreadRequest[] = []
  let thread: Worker | undefined
  let isClosed = false

  function start(): Worker {
    const started = new Worker(THREAD, { eval: true, workerData: { path, pragmas: READER_PRAGMAS } })
    started.unref()
    started.on('message', (answer: ThreadResponse) => {
      const question = waiting.shift()
      if ('rows' in answer) question?.resolve(answer.rows)
      else question?.reject(appErrorOf(path, answer.failure) ?? new ReadFailure(answer.failure.message))
    })
    // The next question starts another one.
    started.once('error', (error) => end(started, error))
    return started
  }

  function end(ended: Worker, reason: unknown): void {
    if (ended !== thread) return
    thread = undefined
    const refused = waiting
    waiting = []
    for (const { reject } of refused) reject(reason)
  }

  return {
    async all(sql, params = {}) {
      if (isClosed) throw closed()
      const text = JSON.stringify([sql, params])
      // The first one may have looked before the caller's own last write.
      const same = waiting.slice(1).find((each) => each.text === text)
      if (same) return same.promise
      if (waiting.length >= MAX_WAITING_REQUESTS) {
        throw new AppError('unavailable', 'Too many long requests wait for the database; ask again later', {
          reason: 'too_many_reads',
          retryAfter: 5,
        })
      }
      const question = { text, ...Promise.withResolvers<Record<string, unknown>[]>() }
      waiting.push(question)
      thread ??= start()
      thread.postMessage({ sql, params })
      return question.promise
    },
    close() {
      isClosed = true
      if (!thread) return
      const ended = thread
      end(ended, closed())
      void ended.terminate()
    },
  }
}

function closed(): AppError {
  return new AppError('unavailable', 'The database is closed; the service is stopping')
}
