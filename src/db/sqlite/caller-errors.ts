import { SQLiteError } from 'bun:sqlite'
import { AppError } from '../../base/index.ts'

/** Runs a statement whose condition came from a caller: what SQLite refuses about it is the caller's error. */
export function withCallerErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw cause instanceof SQLiteError ? invalidFilterError(cause) : cause
  }
}

/** The refusal of a filter or sort that SQLite cannot run. */
export function invalidFilterError(cause: Error): AppError {
  const message = 'The filter or sort cannot be evaluated; make it simpler'
  return new AppError('invalid', message, { reason: 'bad_filter', cause })
}
