import { systemPath, systemReason } from './system-error.ts'

/** Kind of failure, which each boundary (HTTP, loop, socket, command line) translates. */
export type ErrorCode =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'unsupported_coding'
  | 'unprocessable'
  | 'limited'
  | 'unavailable'
  | 'storage_full'
  | 'over_quota'
  | 'internal'

/** A rejected field: a stable code and a sentence that says what to do. */
export interface FieldError {
  code: string
  message: string
  params?: Record<string, unknown>
}

export interface AppErrorDetails {
  /** Rejected fields by their path in the input. */
  fields?: Record<string, FieldError>
  /** A stable, more specific code for clients, such as `not_pending`. */
  reason?: string
  /** Seconds after which a retry makes sense. */
  retryAfter?: number
  cause?: unknown
}

/** An expected failure: thrown where it is found, translated at the boundaries. The message is for users. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly fields: Record<string, FieldError>
  readonly reason: string | undefined
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, details: AppErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.fields = details.fields ?? {}
    this.reason = details.reason
    this.retryAfter = details.retryAfter
  }
}

/** How a rejected field is reported; the code is the reason, or `validation_invalid_value`. */
type FieldDetails = Partial<Omit<FieldError, 'message'>> & Pick<AppErrorDetails, 'reason'>

/** The error of an input with one rejected field: `message` is about the input, `problem` about the field. */
export function badField(
  message: string,
  field: string,
  problem: string,
  { reason, code = reason ?? 'validation_invalid_value', params }: FieldDetails = {},
): AppError {
  const error = { code, message: problem, ...(params && { params }) }
  return new AppError('invalid', message, { fields: { [field]: error }, ...(reason && { reason }) })
}

/** The error of something that does not exist, or that the caller must not know of. */
export function notFound(): AppError {
  return new AppError('not_found', "The requested resource wasn't found")
}

/** The message of anything that was thrown; of an error of the system the file and what it means. */
export function messageOf(error: unknown): string {
  const path = error instanceof Error ? systemPath(error) : undefined
  return path === undefined ? reasonOf(error) : `${path}: ${reasonOf(error)}`
}

/** The same in a sentence that already names the file. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return systemReason(error) ?? error.message.replace(/^JSON Parse error: /, '')
}
