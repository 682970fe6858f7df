import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { AppError, type Clock, type Log, messageOf } from '../base/index.ts'
import { type Connection, mustBeSound, QUICK_CHECK, quickCheck } from './connection.ts'

/** Read within about a second; a start may take that long. */
const AT_ONCE_BYTES = 134_217_728

interface CheckParts {
  clock: Clock
  log: Log
  onDamaged?: (error: AppError) => void
}

/**
 * Checks the structure of the whole file: at once when it is small. A larger one, for which that takes up to minutes,
 * is checked by a thread with a connection of its own, and `onDamaged` is told when it is not sound; without somebody
 * to tell it is not checked.
 * @throws AppError `internal`, reason `database_damaged`, for a small file.
 */
export function checkFile(connection: Connection, parts: CheckParts, atOnceBytes = AT_ONCE_BYTES): void {
  const { path } = connection
  const { size } = statSync(path)
  if (size <= atOnceBytes) quickCheck(connection)
  else if (parts.onDamaged) checkInThread(path, size, parts)
}

/** Evaluated, so that the executable needs no second entry point. */
const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { Database } = require('bun:sqlite')
  let answers
  try {
    const file = new Database(workerData.path, { readonly: true })
    answers = file.query(workerData.sql).all().map((row) => row.quick_check)
    file.close()
  } catch (error) {
    answers = [String(error?.message ?? error)]
  }
  parentPort.postMessage(answers)
`

function checkInThread(path: string, bytes: number, { clock, log, onDamaged }: CheckParts): void {
  const started = clock.monotonic()
  const thread = new Worker(THREAD, { eval: true, workerData: { path, sql: QUICK_CHECK } })
  // The process may end before the check does.
  thread.unref()
  thread.once('message', (answers: string[]) => {
    try {
      mustBeSound(path, answers)
      const seconds = Math.round((clock.monotonic() - started) / 1_000)
      log.info('database checked', { megabytes: Math.round(bytes / 1e6), seconds })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      onDamaged?.(error)
    }
  })
  thread.once('error', (error) =>
    log.error('the database could not be checked', { reason: messageOf(error) }),
  )
}
