import { AppError } from '../../base/index.ts'
import type { ServerResponse } from './request.ts'

/** The server refused a request, or its response is not acceptable to this driver. */
export class ConnectRefusal extends AppError {
  /** HTTP status; 0 when the content of the response was not acceptable. */
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

/** The reaction of a driver to a failed connect. `backoff`: 250 ms, doubled up to 10 s. */
export type Retry = 'stop' | 'backoff' | { pauseMs: number }

/** Maximum pause that the driver accepts from `Retry-After`. */
const MAX_PAUSE_MS = 60_000

/**
 * Decides how to proceed after a failed connect. `started` is true once this driver has had a lease: a
 * refusal at the first start needs an operator, a later one may be resolved on the server while nobody
 * watches the driver.
 *
 * | Response | First start | Later |
 * |---|---|---|
 * | none, 408, 429, 5xx | back-off, or the pause of `Retry-After` | the same |
 * | 401, unknown token | stop | stop |
 * | 409, another driver or process has the lease: this one is on standby | every 2 s | every 2 s |
 * | 403, the driver or its QPU is disabled | every 4 s | every 4 s |
 * | any other refusal; an untrusted certificate | stop | every 30 s |
 */
export function planRetry(error: unknown, started: boolean): Retry {
  if (error instanceof AppError && error.reason === 'untrusted_certificate') return retryForOperator(started)
  if (!(error instanceof ConnectRefusal)) return 'backoff'
  const { status, retryAfter } = error
  if (status === 401) return 'stop'
  if (status === 409) return { pauseMs: 2_000 }
  // An operator who enables it expects it back within 5 s.
  if (status === 403) return { pauseMs: 4_000 }
  if (status === 408 || status === 429 || status >= 500) {
    return retryAfter ? { pauseMs: Math.min(retryAfter * 1_000, MAX_PAUSE_MS) } : 'backoff'
  }
  return retryForOperator(started)
}

function retryForOperator(started: boolean): Retry {
  return started ? { pauseMs: 30_000 } : 'stop'
}

/** The refusal for a response without success, with the server's message if there is one. */
export function refusalOf(what: string, response: Omit<ServerResponse, 'serverTime'>): ConnectRefusal {
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
    // The body is not from svc, perhaps from a proxy: only the status is reported.
  }
  return undefined
}
