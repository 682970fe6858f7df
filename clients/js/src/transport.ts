import { Addresses } from './addresses.ts'
import { type CredentialOptions, type Credentials, credentialsOf } from './credentials.ts'
import {
  AuthenticationError,
  ConnectionLostError,
  type ErrorDetails,
  errorOf,
  InvalidRequestError,
  otherResponse,
  SvcError,
} from './errors.ts'
import type { Error as ErrorBody } from './generated/wire.gen.ts'
import {
  isFailure,
  isFromStandby,
  isRetried,
  limitOf,
  pauseAfter,
  Repetition,
  type Retries,
  retriesOf,
  sleep,
} from './repetition.ts'

/**
 * `fetch` of the runtime, or one that behaves alike. A rejection with a `code` such as `ENOTFOUND`, or that
 * begins with `CERT_`, is not repeated.
 */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>

/** How a client connects. */
export interface TransportOptions extends CredentialOptions {
  /** Default: that of the runtime. */
  readonly fetch?: Fetch
  readonly retries?: Retries
  /** Time in ms without any part of the response to a request; default 75,000. */
  readonly timeoutMs?: number
}

export interface RequestOptions {
  readonly query?: { readonly [name: string]: string | number | boolean | undefined }
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string } | undefined
  readonly signal?: AbortSignal | undefined
  /** In place of that of the client. */
  readonly token?: string | undefined
  /** The request may reach the server twice without harm; default for GET and DELETE. */
  readonly isRepeatable?: boolean
  /** Idempotency key of a submission, which is repeated until the server has responded. */
  readonly key?: string
  /** What is repeated until the server has responded, for people. */
  readonly untilResponse?: string
  /** The request is repeated by who makes it; a limit counts as a failure too. */
  readonly isOnce?: boolean
}

/** Bodies above this size are compressed. */
const COMPRESSED_FROM = 64 * 1024

/** Sends requests: credentials, repetition, time limits and errors. One for all parts of a client. */
export class Transport {
  readonly #addresses: Addresses
  readonly #credentials: Credentials
  readonly #fetch: Fetch
  readonly #retries: Required<Retries>
  readonly #timeoutMs: number
  /** The server is of a build that refuses `omit`. */
  #refusesOmit = false

  /** The session and the QPU of submissions. */
  get place(): Pick<Credentials, 'session' | 'qpu'> {
    return this.#credentials
  }

  constructor({ fetch, retries, timeoutMs = 75_000, ...given }: TransportOptions) {
    this.#credentials = credentialsOf(given)
    this.#addresses = new Addresses(this.#credentials.address)
    // Browsers refuse a fetch that is called as a method.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.#retries = retriesOf(retries)
    this.#timeoutMs = timeoutMs
  }

  /**
   * Sends a request, again where that is safe, and returns the JSON of its response; undefined without a
   * body.
   *
   * @throws SvcError in the class of the response's code; ConnectionLostError without a response.
   */
  async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const { key, untilResponse } = options
    const what = key === undefined ? untilResponse : `submission ${key}`
    if (what === undefined) return this.#repeated(method, path, options)
    const withinMs = this.#retries.withoutResponseMs
    const repetition = new Repetition({ what, key, address: this.#addresses.current, withinMs })
    const headers = key === undefined ? options.headers : { 'Idempotency-Key': key }
    try {
      return await this.#repeated(method, path, { ...options, headers, isRepeatable: true }, repetition)
    } catch (error) {
      repetition.giveUp(error)
      throw error
    } finally {
      repetition.end()
    }
  }

  /** Reads a response without the fields of `omit`; with them where the server knows no `omit`. */
  async read<T>(path: string, omit: string, options: RequestOptions = {}): Promise<T> {
    if (!this.#refusesOmit)
      try {
        return await this.request('GET', path, { ...options, query: { ...options.query, omit } })
      } catch (error) {
        if (!(error instanceof InvalidRequestError && 'omit' in error.fields)) throw error
        this.#refusesOmit = true
      }
    return this.request('GET', path, options)
  }

  async #repeated<T>(
    method: string,
    path: string,
    options: RequestOptions,
    repetition?: Repetition,
  ): Promise<T> {
    const { tries, withinMs, withoutResponseMs } = this.#retries
    const { isRepeatable = method === 'GET' || method === 'DELETE', signal } = options
    const end = Date.now() + (repetition ? withoutResponseMs : withinMs)
    let failures = 0
    for (let attempt = 1; ; attempt += 1) {
      try {
        const text = await this.#text(method, path, options)
        return ofRequest(path, contentOf<T>(text, this.#addresses.current))
      } catch (error) {
        signal?.throwIfAborted()
        const pause = this.#pauseAfter(error, attempt)
        if (isFailure(error, repetition !== undefined)) failures += 1
        if (
          failures >= tries ||
          options.isOnce ||
          !isRetried(error, isRepeatable) ||
          Date.now() + pause > end
        )
          throw error
        repetition?.note(error)
        await sleep(pause, signal)
      }
    }
  }

  /** The body of a response, which is lost once nothing comes for `timeoutMs`. */
  async #text(method: string, path: string, options: RequestOptions): Promise<string> {
    const { signal } = options
    const silence = limitOf(this.#timeoutMs)
    const until = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal
    try {
      return await this.#send(method, path, { ...options, signal: until }, (response) =>
        textOf(response, silence.restart),
      )
    } finally {
      silence.end()
    }
  }

  /** None before an address that has not been asked yet, if the one just asked does not lead. */
  #pauseAfter(error: unknown, attempt: number): number {
    return isFromStandby(error) && attempt < this.#addresses.count ? 0 : pauseAfter(error, attempt)
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
    { query, body, headers, signal, token: other }: RequestOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const address = this.#addresses.current
    const { token: given } = this.#credentials
    const token = other ?? (typeof given === 'function' ? await given() : given)
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
      this.#addresses.reach(address)
      if (!response.ok) throw errorOf(await detailsOf(response))
      return await read(response)
    } catch (error) {
      if (isFromStandby(error)) this.#addresses.leave(address, false)
      throw error instanceof SvcError ? this.#described(error, address, token) : this.#lost(address, error)
    }
  }

  #described(error: SvcError, address: string, token: string | undefined): SvcError {
    if (error instanceof AuthenticationError)
      error.message = unauthorizedText(token, this.#credentials, address)
    return error
  }

  /** The error of a request without a response; goes on with the next address. */
  #lost(address: string, cause: unknown): ConnectionLostError {
    const origin = this.#addresses.unreadFrom(address)
    const isWrong = origin === undefined ? DEFINITE.test(codesOf(cause)) : this.#addresses.isSilent(address)
    const maybeDone = (origin !== undefined || !isWrong) && !UNSENT.test(codesOf(cause))
    if (maybeDone && origin === undefined) this.#addresses.reach(address)
    const isDefinite = this.#addresses.leave(address, isWrong)
    return new ConnectionLostError(address, { maybeDone, cause, isDefinite, origin })
  }
}

function unauthorizedText(
  token: string | undefined,
  { profile, session }: Credentials,
  address: string,
): string {
  const login = `run: svc login ${address}`
  if (profile !== undefined)
    return `The token of profile ${profile} is not valid; ${login} --profile ${profile}`
  if (token === undefined)
    return `There is no API token: pass apiToken, set SVC_API_TOKEN, or sign in; ${login}`
  return token === session
    ? 'The secret of a session submits and reads jobs only; this request needs an API token'
    : `The API token is not valid: it is wrong, has expired or was deleted; ${login}`
}

/** Paths with the id that their response has. */
const WITH_ID =
  /^\/api\/(?:jobs|op\/jobs|tokens|sessions|collections\/[^/]+\/records)\/(?!by-key\/|changes$)([^/?]+)/

/** @throws ServerError if the content is that of another request, as where processes share a connection. */
function ofRequest<T>(path: string, content: T): T {
  const asked = WITH_ID.exec(path)?.[1]
  const { id } = Object(content)
  if (asked === undefined || typeof id !== 'string' || encodeURIComponent(id) === asked) return content
  throw otherResponse(path, id)
}

/** The body of a response; `onPart` is called whenever a part of it has come. */
async function textOf({ body }: Response, onPart: () => void): Promise<string> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  let text = ''
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    onPart()
    text += decoder.decode(part.value, { stream: true })
  }
  return text + decoder.decode()
}

function contentOf<T>(text: string, address: string): T {
  if (text === '') return undefined as T
  try {
    return JSON.parse(text)
  } catch {
    const message = `The server at ${address} responded with something other than JSON`
    throw errorOf({ status: 200, code: '', message, requestId: '', fields: {} })
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

/** Codes of Node and Bun for connections that were not established; browsers do not tell. */
const UNSENT =
  /ECONNREFUSED|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|ConnectionRefused|FailedToOpen/

/** Codes of names that no server has, and of certificates that are not trusted. */
const DEFINITE = /ENOTFOUND|CERT_|_CERT|WRONG_VERSION_NUMBER|UNABLE_TO_(GET|VERIFY|DECRYPT)/

function codesOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  return `${code} ${cause?.code}`
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
