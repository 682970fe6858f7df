import { AppError, type ErrorCode, type FieldError, type Log } from '../../../base/index.ts'

const STATUS: Record<ErrorCode, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_coding: 415,
  unprocessable: 422,
  limited: 429,
  unavailable: 503,
  storage_full: 507,
  over_quota: 507,
  internal: 500,
}

/** The `code` of 405, for which no `AppError` is thrown. */
export const METHOD_NOT_ALLOWED = 'method_not_allowed'

/** The `code` of errors without a reason, by status; undefined when all of them have one or no body. */
export function kindOfStatus(status: number): string | undefined {
  if (status === 405) return METHOD_NOT_ALLOWED
  return Object.entries(STATUS).find(([kind, each]) => each === status && kind !== 'over_quota')?.[0]
}

/** Body of every response with a status of 400 or above. */
interface ErrorBody {
  status: number
  message: string
  /** Stable identifier for programs: the reason of the error, or its kind. */
  code: string
  request_id: string
  data: Record<string, FieldError>
}

/** Turns a message into a sentence with a capital and a full stop, as clients of record stores expect. */
function asSentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.?!]$/.test(text) ? text : `${text}.`
}

/** The body of an error response without invalid fields. */
export function problem(status: number, code: string, message: string, requestId: string): ErrorBody {
  return { status, message: asSentence(message), code, request_id: requestId, data: {} }
}

/**
 * Encodes anything thrown by a route; an unexpected error is logged in full and reported as a generic 500.
 */
export function errorBody(error: unknown, requestId: string, log: Log): ErrorBody {
  if (!(error instanceof AppError) || error.code === 'internal') {
    log.error('request failed', { error })
    return problem(500, 'internal', 'Something went wrong while processing your request', requestId)
  }
  const status = STATUS[error.code]
  return { ...problem(status, error.reason ?? error.code, error.message, requestId), data: error.fields }
}
