import { AppError } from '../../base/index.ts'

/**
 * A statement that the database refused for its text or its values. Failures of the storage below it are
 * `AppError`s, which state a remedy.
 */
export class StatementError extends Error {
  override readonly name = 'StatementError'
  /** `unique`: a unique index or key has the value already; `constraint`: the table does not allow it. */
  readonly kind: 'unique' | 'constraint' | 'statement'
  /** The columns of that unique index as `table.column`; empty for other kinds. */
  readonly columns: readonly string[]

  constructor(
    message: string,
    { kind, columns = [], cause }: Pick<StatementError, 'kind'> & { columns?: string[]; cause: unknown },
  ) {
    super(message, { cause })
    this.kind = kind
    this.columns = columns
  }
}

/** Whether `error` reports a value that the schema of the table does not allow. */
export function isConstraintViolation(error: unknown): error is StatementError {
  return error instanceof StatementError && error.kind !== 'statement'
}

/** Whether `error` reports a value that a unique index or key already contains. */
export function isUniqueViolation(error: unknown): error is StatementError {
  return error instanceof StatementError && error.kind === 'unique'
}

/**
 * Runs a statement whose condition a caller wrote. An error of the statement is then the caller's error.
 * @throws AppError `invalid`, reason `bad_filter`.
 */
export function withCallerErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw cause instanceof StatementError ? invalidFilterError(cause) : cause
  }
}

/** The error of a filter or sort that the database cannot run. */
export function invalidFilterError(cause: Error): AppError {
  const message = 'The filter or sort cannot be evaluated; make it simpler'
  return new AppError('invalid', message, { reason: 'bad_filter', cause })
}

/** The error of a read whose cost depends on the client and that used the `ms` which it may use. */
export function tooCostly(ms: number): AppError {
  return new AppError(
    'invalid',
    `The list took more than the ${ms / 1_000} s of processor time that one may take; narrow it with &&: by id, ` +
      'by a time such as created, or by a relation of the record itself; sort by created, and skip the total ' +
      'with skipTotal=true',
    { reason: 'filter_too_costly' },
  )
}

/** An error of the storage, after which nothing was written. */
export function storageFull(message: string, reason: string, cause: unknown): AppError {
  return new AppError('storage_full', message, { reason, cause })
}

/** The error of a flush to disk that failed. */
export function unflushed(cause: unknown): AppError {
  return storageFull(
    'The disk with the database failed to flush what was written; check it and the system log, then start svc again',
    'storage_unflushed',
    cause,
  )
}

/**
 * Whether a flush to disk has failed. The operating system may discard the data that it could not write and
 * still report success for the next flush, so the content of the file is unknown until another process reads
 * it.
 */
export function isUnflushed(error: unknown): error is AppError {
  return error instanceof AppError && error.reason === 'storage_unflushed'
}
