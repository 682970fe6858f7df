import { SQLiteError } from 'bun:sqlite'
import { AppError } from '../../base/index.ts'

/**
 * Runs a statement whose condition a caller wrote. An error of SQLite is then the caller's error.
 * @throws AppError `invalid`, reason `bad_filter`.
 */
export function withCallerErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw cause instanceof SQLiteError ? invalidFilterError(cause) : cause
  }
}

/** The error of a filter or sort that SQLite cannot run. */
export function invalidFilterError(cause: Error): AppError {
  const message = 'The filter or sort cannot be evaluated; make it simpler'
  return new AppError('invalid', message, { reason: 'bad_filter', cause })
}
