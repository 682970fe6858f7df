import { statSync } from 'node:fs'
import { AppError, type Clock, type Log, messageOf } from '../../base/index.ts'
import { assertIntact, type FileConnection, QUICK_CHECK, quickCheck } from './connection.ts'
import { createReadThread } from './readers/read-thread.ts'

/** A check of this size takes about a second, which a start may take. */
const MAX_SYNCHRONOUS_BYTES = 134_217_728

interface FileCheckDependencies {
  clock: Clock
  log: Log
  onDamaged?: (error: AppError) => void
}

/**
 * Checks the structure of the whole file. A small file is checked before this function returns. A larger one,
 * which takes up to minutes, is checked by a thread with its own connection, which calls `onDamaged` if it is
 * damaged; without `onDamaged` it is not checked.
 * @throws AppError `internal`, reason `database_damaged`, for a small file.
 */
export function checkFile(
  connection: FileConnection,
  dependencies: FileCheckDependencies,
  atOnceBytes = MAX_SYNCHRONOUS_BYTES,
): void {
  const { path } = connection
  const { size } = statSync(path)
  if (size <= atOnceBytes) quickCheck(connection)
  else if (dependencies.onDamaged) void checkInThread(path, size, dependencies)
}

async function checkInThread(
  path: string,
  bytes: number,
  { clock, log, onDamaged }: FileCheckDependencies,
): Promise<void> {
  const started = clock.monotonic()
  const thread = createReadThread(path)
  try {
    const rows = await thread.all(QUICK_CHECK)
    assertIntact(
      path,
      rows.map((row) => String(row['quick_check'])),
    )
    const seconds = Math.round((clock.monotonic() - started) / 1_000)
    log.info('database checked', { megabytes: Math.round(bytes / 1e6), seconds })
  } catch (error) {
    if (error instanceof AppError) onDamaged?.(error)
    else log.error('the database could not be checked', { reason: messageOf(error) })
  } finally {
    thread.close()
  }
}
