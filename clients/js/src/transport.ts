import { Addresses } from './addresses.ts'
import { type CredentialOptions, type Credentials, credentialsOf } from './credentials.ts'
import {
  AuthenticationError,
  ConnectionLostError,
  type ErrorDetails,
  errorOf,
  QpuUnavailableError,
  RateLimitedError,
  SvcError,
} from './errors.ts'
import type { Error as ErrorBody } from './generated/wire.gen.ts'

/** How often and for how long a request is repeated. */
export interface Retries {
  /** Attempts in all; default 5. */
  readonly tries?: number
  /** Time in ms after which no further attempt starts; default 60,000. */
  readonly withinMs?: number
}

/** `fetch` of the runtime, or one that behaves alike. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>

/** How a client connects. */
export interface TransportOptions extends CredentialOptions {
  /** Default: that of the runtime. */
  readonly fetch?: Fetch
  readonly retries?: Retries
  /** Time in ms for the response to one request; default 75,000. */
  readonly timeoutMs?: number
}

export interface RequestOptions {
  readonly query?: { readonly [name: string]: string | number | boolean | undefined }
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly signal?: AbortSignal | undefined
  /** The request may reach the server twice without harm; default for GET and DELETE. */
  readonly isRepeatable?: boolean
  readonly retries?: Retries
}

/** Bodies above this size are compressed. */
const COMPRESSED_FROM = 64 * 1024
const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 60_000
/** Statuses of a server that did not carry out the request, whatever it was. */
const REFUSED = new Set([429, 503])
/** Statuses after which it is unknown whether the request was carried out. */
const FAILED = new Set([500, 502, 504])

/** Sends requests: credentials, repetition, time limits and errors. One for all parts of a client. */
export class Transport {
  readonly #addresses: Addresses
  readonly #credentials: Credentials
  readonly #fetch: Fetch
  readonly #retries: Required<Retries>
  readonly #timeoutMs: number

  constructor({ fetch, retries, timeoutMs = 75_000, ...given }: TransportOptions) {
    this.#credentials = credentialsOf(given)
    this.#addresses = new Addresses(this.#credentials.address)
    // Browsers refuse a fetch that is called as a method.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.#retries = { tries: 5, withinMs: 60_000, ...retries }
    this.#timeoutMs = timeoutMs
  }

  /**
   * Sends a request, again where that is safe, and returns the JSON of its response; undefined without a
   * body.
   *
   * @throws SvcError in the class of the response's code; ConnectionLostError without a response.
   */
  async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const { tries, withinMs } = { ...this.#retries, ...options.retries }
    const { isRepeatable = method === 'GET' || method === 'DELETE', signal } = options
    const end = Date.now() + withinMs
    for (let attempt = 1; ; ) {
      try {
        const timeout = AbortSignal.timeout(this.#timeoutMs)
        const until = signal ? AbortSignal.any([signal, timeout]) : timeout
        const text = await this.#send(method, path, { ...options, signal: until }, (response) =>
          response.text(),
        )
        return (text === '' ? undefined : JSON.parse(text)) as T
      } catch (error) {
        signal?.throwIfAborted()
        const pause = pauseAfter(error, attempt)
        if (attempt >= tries || !isRetried(error, isRepeatable) || Date.now() + pause > end) throw error
        // A limit is no failure: only the time ends the attempts.
        if (!(error instanceof RateLimitedError)) attempt += 1
        await sleep(pause, signal)
      }
    }
  }

  /** Opens a response that has no end; it is read until `signal` is aborted. */
  stream(path: string, signal: AbortSignal): Promise<Response> {
    return this.#send(
      'GET',
      path,
      { signal, headers: { Accept: 'text/event-stream' } },
      async (response) => response,
    )
  }

  async #send<T>(
    method: string,
    path: string,
    { query, body, headers, signal }: RequestOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const address = this.#addresses.current
    const { token: given, profile } = this.#credentials
    const token = typeof given === 'function' ? await given() : given
    if (token !== undefined) warnOfPlainHttp(address)
    const encoded = body === undefined ? undefined : await encode(JSON.stringify(body))
    try {
      const response = await this.#fetch(`${address}${path}${queryText(query)}`, {
        method,
        headers: {
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(encoded && { 'Content-Type': 'application/json' }),
          ...(encoded?.isCompressed && { 'Content-Encoding': 'gzip' }),
          ...headers,
        },
        ...(encoded && { body: encoded.bytes }),
        ...(signal && { signal }),
      })
      if (!response.ok) throw errorOf(await detailsOf(response))
      return await read(response)
    } catch (error) {
      if (error instanceof AuthenticationError && profile !== undefined)
        error.message = `The token of profile ${profile} is not valid; run: svc login ${address} --profile ${profile}`
      if (error instanceof SvcError) throw error
      this.#addresses.leave(address)
      throw new ConnectionLostError(address, !isUnsent(error), error)
    }
  }
}

const warned = new Set<string>()

/**
 * A token that goes to another machine without encryption can be read on the way: told once for each address.
 */
function warnOfPlainHttp(address: string): void {
  if (!address.startsWith('http:') || warned.has(address)) return
  warned.add(address)
  const { hostname } = new URL(address)
  if (hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')) return
  console.warn(`The API token is sent to ${address} without encryption; use https`)
}

/** Resolves after `ms`; rejects with the reason of `signal` when it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Whether a later attempt may succeed: the network or the server failed, rather than the request. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionLostError) return true
  if (!(error instanceof SvcError) || error instanceof QpuUnavailableError) return false
  return REFUSED.has(error.status) || FAILED.has(error.status)
}

function isRetried(error: unknown, isRepeatable: boolean): boolean {
  if (!isTemporary(error) || isRepeatable) return isTemporary(error)
  return error instanceof ConnectionLostError ? !error.maybeDone : REFUSED.has((error as SvcError).status)
}

/**
 * What the server asks for and up to as much again, or exponential with full jitter, so that clients do not
 * return all at once.
 */
function pauseAfter(error: unknown, attempt: number): number {
  const asked = error instanceof SvcError ? error.retryAfter : undefined
  if (asked !== undefined) return Math.min(asked * 1000, MAX_PAUSE_MS) * (1 + Math.random())
  return Math.random() * FIRST_PAUSE_MS * 2 ** attempt
}

/** Codes of Node and Bun for connections that were not established; browsers do not tell. */
const UNSENT =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|ConnectionRefused|FailedToOpen/

function isUnsent(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  return UNSENT.test(`${code} ${cause?.code}`)
}

function queryText(query: RequestOptions['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

async function encode(text: string): Promise<{ bytes: Uint8Array<ArrayBuffer>; isCompressed: boolean }> {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= COMPRESSED_FROM || typeof CompressionStream === 'undefined')
    return { bytes, isCompressed: false }
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
  return { bytes: new Uint8Array(await new Response(stream).arrayBuffer()), isCompressed: true }
}

async function detailsOf(response: Response): Promise<ErrorDetails> {
  const text = await response.text()
  const body = parse(text)
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN)
  return {
    status: response.status,
    code: body?.code ?? '',
    // Proxies in front of the server respond with pages of their own.
    message: body?.message ?? `The server responded ${response.status} ${response.statusText}`.trim(),
    requestId: body?.request_id ?? response.headers.get('X-Request-Id') ?? '',
    fields: body?.data ?? {},
    ...(Number.isFinite(retryAfter) && { retryAfter }),
  }
}

function parse(text: string): ErrorBody | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
