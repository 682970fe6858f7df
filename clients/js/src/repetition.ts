import { environment } from './accounts.ts'
import { ConnectionLostError, QpuUnavailableError, RateLimitedError, SvcError } from './errors.ts'

/** How often and for how long a request is repeated. */
export interface Retries {
  /** Attempts in all, without those that reach a server that stands by; default 5. */
  readonly tries?: number
  /** Time in ms after which no further attempt starts; default 60,000. */
  readonly withinMs?: number
  /**
   * Time in ms for which submissions and the first reading of a job are repeated, however many attempts that
   * takes. Each attempt of a submission has the same key, so that there is one job. Default 600,000, at most
   * 23 hours.
   */
  readonly withoutResponseMs?: number
}

const FIRST_PAUSE_MS = 200
const MAX_RETRY_AFTER_MS = 60_000
/** Longest pause of a submission, which is repeated for minutes. */
const MAX_PAUSE_MS = 10_000
/** The server keeps the keys of submissions for 24 hours. */
const MAX_WITHOUT_RESPONSE_MS = 23 * 3_600_000
/** Requests without a response for longer than this are mentioned. */
const NOTICE_AFTER_MS = 3_000
/** Statuses of a server that did not carry out the request, whatever it was. */
const REFUSED = new Set([429, 503])
/** Statuses after which it is unknown whether the request was carried out. */
const FAILED = new Set([500, 502, 504])

/**
 * The limits with their defaults.
 *
 * @throws RangeError if submissions last longer than the server keeps keys.
 */
export function retriesOf(retries: Retries = {}): Required<Retries> {
  const limits = { tries: 5, withinMs: 60_000, withoutResponseMs: 600_000, ...retries }
  if (!(limits.withoutResponseMs >= 0 && limits.withoutResponseMs <= MAX_WITHOUT_RESPONSE_MS))
    throw new RangeError(
      `withoutResponseMs is ${limits.withoutResponseMs}; expected 0 to ${MAX_WITHOUT_RESPONSE_MS} (23 hours)`,
    )
  return limits
}

/** Whether a later attempt may succeed: the network or the server failed, rather than the request. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionLostError) return !error.isDefinite
  if (!(error instanceof SvcError) || error instanceof QpuUnavailableError) return false
  return REFUSED.has(error.status) || FAILED.has(error.status)
}

/** Whether the server stands by while another one leads: it did nothing, and may lead next. */
export function isFromStandby(error: unknown): error is SvcError {
  return error instanceof SvcError && error.code === 'not_leader'
}

/** Whether the client sends the request again. */
export function isRetried(error: unknown, isRepeatable: boolean): boolean {
  if (!isTemporary(error) || isRepeatable) return isTemporary(error)
  return error instanceof ConnectionLostError ? !error.maybeDone : REFUSED.has((error as SvcError).status)
}

/**
 * Whether the failure of an attempt counts as one of the tries. Being limited does not, nor does a server
 * that stands by; where a response is awaited, only what the server itself reports counts.
 */
export function isFailure(error: unknown, awaitsResponse: boolean): boolean {
  if (!awaitsResponse) return !(error instanceof RateLimitedError || isFromStandby(error))
  return error instanceof SvcError && error.status === 500 && error.code !== ''
}

/**
 * What the server asks for and up to as much again, or exponential with full jitter, so that clients do not
 * return all together.
 */
export function pauseAfter(error: unknown, attempt: number): number {
  const asked = error instanceof SvcError ? error.retryAfter : undefined
  if (asked !== undefined) return Math.min(asked * 1000, MAX_RETRY_AFTER_MS) * (1 + Math.random())
  return Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt)
}

/** The longest time of a timer, in ms: 24.8 days. Runtimes end a longer one immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Calls `act` after any time; returns what prevents it. */
export function after(ms: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const start = (left: number) => {
    const next = left > MAX_TIMER_MS ? () => start(left - MAX_TIMER_MS) : act
    timer = setTimeout(next, Math.min(left, MAX_TIMER_MS))
  }
  start(ms)
  return () => clearTimeout(timer)
}

/** A signal that is aborted after `ms`, counted again from each `restart`, unless it was ended. */
export function limitOf(ms: number): { signal: AbortSignal; restart(): void; end(): void } {
  const limit = new AbortController()
  const start = () => after(ms, () => limit.abort(new DOMException('The time is over', 'TimeoutError')))
  let end = start()
  return {
    signal: limit.signal,
    restart() {
      end()
      end = start()
    },
    end: () => end(),
  }
}

/** Resolves after `ms`; rejects with the reason of `signal` when it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      end()
      reject(signal?.reason)
    }
    const end = after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** What is repeated until the server has responded. */
interface Repeated {
  /** For people. */
  readonly what: string
  /** Idempotency key of a submission. */
  readonly key?: string | undefined
  readonly address: string
  readonly withinMs: number
}

/**
 * A request while it is repeated until the server has responded. A terminal shows after 3 s that it is,
 * unless `SVC_PROGRESS=0`.
 */
export class Repetition {
  readonly #key: string | undefined
  #reason: string
  #maybeDone = false
  readonly #notice: ReturnType<typeof setTimeout> | undefined

  constructor({ what, key, address, withinMs }: Repeated) {
    this.#key = key
    this.#reason = `No response from ${address}`
    const { stderr } = (globalThis as { process?: { stderr?: Terminal } }).process ?? {}
    if (!stderr?.isTTY || environment('SVC_PROGRESS') === '0') return
    const limit = withinMs < 120_000 ? `${withinMs / 1000} s` : `${Math.round(withinMs / 60_000)} min`
    const text = `The ${what} is repeated for up to ${limit}; Ctrl+C ends that`
    this.#notice = setTimeout(() => stderr.write(`${this.#reason}. ${text}\n`), NOTICE_AFTER_MS)
  }

  /** Takes in the failure of an attempt after which there is another one. */
  note(error: unknown): void {
    this.#maybeDone ||= isMaybeDone(error)
    if (error instanceof Error) this.#reason = error.message
  }

  /** Adds the key to the error of the last attempt, unless it says for certain that there is no job. */
  giveUp(error: unknown): void {
    if (!(error instanceof SvcError) && !(error instanceof ConnectionLostError)) return
    if (this.#key === undefined) return
    const maybeDone = this.#maybeDone || isMaybeDone(error)
    const isUndecided =
      maybeDone && (error instanceof ConnectionLostError || [401, 403].includes(error.status))
    if (error instanceof ConnectionLostError) error.maybeDone = maybeDone
    if (!isTemporary(error) && !isUndecided) return
    error.idempotencyKey = this.#key
    const state = maybeDone ? 'there may be a job' : 'no job was submitted'
    error.message += `; ${state}, its idempotency key is ${this.#key}: client.resume(key) finds it`
  }

  /** Ends the notice. */
  end(): void {
    clearTimeout(this.#notice)
  }
}

/** What Node, Bun and Deno have, and browsers do not. */
interface Terminal {
  readonly isTTY?: boolean
  write(text: string): void
}

function isMaybeDone(error: unknown): boolean {
  return error instanceof ConnectionLostError ? error.maybeDone : FAILED.has((error as SvcError).status)
}
