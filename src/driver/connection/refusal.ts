import { AppError } from '../../base/index.ts'
import type { ServerResponse } from './request.ts'

/** The server answered, but not with what was asked for; or with what this driver cannot accept. */
export class ConnectRefusal extends AppError {
  /** HTTP status; 0 when the answer itself was not acceptable. */
  readonly status: number

  constructor(status: number, message: string, retryAfter?: number) {
    super(
      status === 401
        ? 'unauthorized'
        : status === 403
          ? 'forbidden'
          : status === 409
            ? 'conflict'
            : 'invalid',
      message,
      retryAfter === undefined ? {} : { retryAfter },
    )
    this.name = 'ConnectRefusal'
    this.status = status
  }
}

/** What a driver does after it could not connect. `backoff`: 250 ms, doubled up to 10 s. */
export type Retry = 'stop' | 'backoff' | { pauseMs: number }

/** The longest pause a server may ask for. */
const MAX_PAUSE_MS = 60_000

/**
 * Decides how to go on after a failed connect. `started` is true once this driver has held a lease: a refusal at the
 * first start is for a person to read, later it may be undone while nobody looks at the driver.
 *
 * | Answer | First start | Later |
 * |---|---|---|
 * | none, 408, 429, 5xx | back-off, or as long as the server asks | the same |
 * | 401, the token is not known | stop | stop |
 * | 409, another driver holds the lease: this one stands by | each 2 s | each 2 s |
 * | 403, the driver is disabled; any other refusal; a certificate that is not to be trusted | stop | each 30 s |
 */
export function planRetry(error: unknown, started: boolean): Retry {
  if (error instanceof AppError && error.reason === 'untrusted_certificate') return retryForOperator(started)
  if (!(error instanceof ConnectRefusal)) return 'backoff'
  const { status, retryAfter } = error
  if (status === 401) return 'stop'
  if (status === 409) return { pauseMs: 2_000 }
  if (status === 408 || status === 429 || status >= 500) {
    return retryAfter ? { pauseMs: Math.min(retryAfter * 1_000, MAX_PAUSE_MS) } : 'backoff'
  }
  return retryForOperator(started)
}

function retryForOperator(started: boolean): Retry {
  return started ? { pauseMs: 30_000 } : 'stop'
}

/** The refusal an answer that is not a success amounts to, in the server's own words where it has any. */
export function refusalOf(what: string, response: ServerResponse): ConnectRefusal {
  const serverMessage = messageIn(response.text)
  return new ConnectRefusal(
    response.status,
    `${what} refused (${response.status})${serverMessage ? `: ${serverMessage}` : ''}`,
    response.retryAfter,
  )
}

function messageIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string') {
      return body.message.slice(0, 500)
    }
  } catch {
    // Not our server, or something between: the status has to do.
  }
  return undefined
}
