import { CLASS_OF_CODE, CLASS_OF_STATUS } from './generated/error-classes.gen.ts'

/** What is wrong with one field of a request. */
export interface FieldError {
  readonly code: string
  readonly message: string
  /** What a syntax error has: `line` and `column` in the program. */
  readonly params?: { readonly [key: string]: unknown }
}

/** What an error response says. */
export interface ErrorDetails {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly requestId: string
  /** Invalid fields by their path, such as `circuits.0.circuit`. */
  readonly fields: { readonly [path: string]: FieldError }
  /** Seconds after which the server asks to try again. */
  readonly retryAfter?: number
}

/** Any error that the server responded with. Programs decide by its class or its `code`. */
export class SvcError extends Error {
  readonly status: number
  readonly code: string
  /** Under which the log of the server has the request. */
  readonly requestId: string
  readonly fields: { readonly [path: string]: FieldError }
  readonly retryAfter: number | undefined
  /** Key of a submission that may have made a job although it failed; `client.resume` finds that job. */
  idempotencyKey: string | undefined

  constructor({ status, code, message, requestId, fields, retryAfter }: ErrorDetails) {
    super(message)
    this.name = new.target.name
    this.status = status
    this.code = code
    this.requestId = requestId
    this.fields = fields
    this.retryAfter = retryAfter
  }
}

/** A field, a program or a parameter is invalid; `fields` says which. */
export class InvalidRequestError extends SvcError {}
/** The token is missing, expired or deleted. */
export class AuthenticationError extends SvcError {}
/** The account, or the scope of its token, does not allow this. */
export class PermissionDeniedError extends SvcError {}
/** The balance of QPU seconds is used up. */
export class InsufficientTimeError extends PermissionDeniedError {}
/** It does not exist, or belongs to another person. */
export class NotFoundError extends SvcError {}
/** It contradicts the present state. */
export class ConflictError extends SvcError {}
/** The job runs or has ended. */
export class NotPendingError extends ConflictError {}
/** The account has as many pending jobs as it may have. */
export class TooManyPendingJobsError extends ConflictError {}
/** The idempotency key was used for another submission. */
export class IdempotencyConflictError extends ConflictError {}
/** The session has ended: its time or the balance is over, a booking began, or it was ended. */
export class SessionEndedError extends ConflictError {}
/** The request, or the page that it asks for, is larger than the server allows. */
export class TooLargeError extends SvcError {}
/** Too many requests, also after the repetitions of this client. */
export class RateLimitedError extends SvcError {}
/** The QPU is disabled or in maintenance; the message has the reason. */
export class QpuUnavailableError extends SvcError {}
/** The server failed, or is temporarily unavailable. */
export class ServerError extends SvcError {}

const CLASSES = {
  InvalidRequestError,
  AuthenticationError,
  PermissionDeniedError,
  InsufficientTimeError,
  NotFoundError,
  ConflictError,
  NotPendingError,
  TooManyPendingJobsError,
  IdempotencyConflictError,
  SessionEndedError,
  TooLargeError,
  RateLimitedError,
  QpuUnavailableError,
}

/** The error of a response, in the class of its code or, failing that, of its status. */
export function errorOf(details: ErrorDetails): SvcError {
  const byCode: { readonly [code: string]: keyof typeof CLASSES } = CLASS_OF_CODE
  const byStatus: { readonly [status: number]: keyof typeof CLASSES } = CLASS_OF_STATUS
  const name = byCode[details.code] ?? byStatus[details.status]
  return new (name === undefined ? ServerError : CLASSES[name])(details)
}

/** The error of a response that belongs to another request, as where processes share a connection. */
export function otherResponse(asked: string, received: string): SvcError {
  const message = `Asked for ${asked}, received ${received}: a proxy or a shared connection mixes up responses`
  return errorOf({ status: 200, code: 'other_response', message, requestId: '', fields: {} })
}

/** No server could be reached, or the connection ended before the response. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError'
  /** The server may have carried out the request. */
  maybeDone: boolean
  /**
   * Repeating it does not help: no server has the name, its certificate is not trusted, or the browser shows
   * none of its responses to this page.
   */
  readonly isDefinite: boolean
  /** Key of a submission that may have made a job although it failed; `client.resume` finds that job. */
  idempotencyKey: string | undefined

  constructor(
    address: string,
    {
      maybeDone,
      isDefinite,
      cause,
      origin,
    }: { maybeDone: boolean; isDefinite: boolean; cause: unknown; origin?: string | undefined },
  ) {
    const state = maybeDone
      ? 'The connection ended before the response; the server may have carried out the request'
      : 'No connection'
    const reason = cause instanceof Error && isDefinite ? ` (${cause.message})` : ''
    super(
      origin === undefined
        ? `${state}: ${address}${reason}`
        : `No response from ${address}: it is down, or it does not allow pages of ${origin}, which its setting --cors-origins does`,
      { cause },
    )
    this.maybeDone = maybeDone
    this.isDefinite = isDefinite
  }
}

/** A job that was awaited failed. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError'
  readonly jobId: string
  readonly code: string

  constructor(jobId: string, code: string, message: string) {
    super(`Job ${jobId} failed: ${message}`)
    this.jobId = jobId
    this.code = code
  }
}

/** A job that was awaited has been cancelled. */
export class JobCancelledError extends Error {
  override readonly name = 'JobCancelledError'
  readonly jobId: string

  constructor(jobId: string, why = '') {
    super(`Job ${jobId} was cancelled${why}`)
    this.jobId = jobId
  }
}

/** The time to wait is over; the job goes on, and can be awaited again. */
export class JobTimeoutError extends Error {
  override readonly name = 'JobTimeoutError'
  readonly jobId: string

  constructor(jobId: string, timeoutMs: number) {
    super(`Job ${jobId} has not ended within ${timeoutMs / 1000} s; it goes on`)
    this.jobId = jobId
  }
}
