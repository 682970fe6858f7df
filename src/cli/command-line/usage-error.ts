import { AppError } from '../../base/index.ts'

/** A wrong call of the program: one line on standard error, exit status 2. */
export class UsageError extends Error {}

/** A command that ends with an exit status of its own, after one line on standard error. */
export class ExitError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const STATUS_BY_REASON: Record<string, number> = {
  bad_config: 2,
  database_behind: 3,
  database_damaged: 3,
  database_lost: 75,
  database_newer: 3,
  log_lost: 3,
  migration_changed: 3,
  migration_failed: 3,
  migration_missing: 3,
  not_a_backup: 3,
  storage_io: 70,
  storage_unflushed: 70,
}

/**
 * Exit status of an error: 2 for wrong calls and settings, 3 for a database that cannot be used, 70 for a
 * disk that fails, 75 for a database that is lost until the next start, otherwise 1.
 */
export function exitStatus(error: unknown): number {
  if (error instanceof UsageError) return 2
  if (error instanceof ExitError) return error.status
  if (!(error instanceof AppError)) return 1
  return STATUS_BY_REASON[error.reason ?? ''] ?? 1
}
