import * as v from 'valibot'
import { saveFile } from '../lib/save-file.ts'
import { createJoinedReads } from './joined-reads.ts'
import { type FieldFailure, failureBody } from './model/failure.ts'
import { type Pause, pauseFor, repeatRead } from './repeat-reads.ts'

/**
 * A failed request with the message of the server, or the network error. `status` is 0 without a response.
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string
  /** Field errors by their path in the body. */
  readonly fields: Record<string, FieldFailure>

  constructor(
    status: number,
    message: string,
    details: Partial<Pick<ApiError, 'code' | 'requestId' | 'fields'>> = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = details.code ?? ''
    this.requestId = details.requestId ?? ''
    this.fields = details.fields ?? {}
  }
}

type Schema<T> = v.GenericSchema<unknown, T>

/**
 * A typed client of the HTTP API. Every method rejects with `ApiError`. Reads are repeated while the server
 * is busy, and those that begin together are sent as one request.
 */
export interface Api {
  get<T>(path: string, schema: Schema<T>, signal?: AbortSignal): Promise<T>
  /** With `idempotencyKey`, repeating the request has no further effect. */
  post<T>(path: string, body: unknown, schema: Schema<T>, idempotencyKey?: string): Promise<T>
  patch<T>(path: string, body: unknown, schema: Schema<T>): Promise<T>
  /** Sends a POST request and discards the response body. */
  send(path: string, body: unknown, signal?: AbortSignal): Promise<void>
  /** Sends a DELETE request and discards the response body. */
  remove(path: string): Promise<void>
  /** Fetches a file with the credentials of the account. */
  file(path: string): Promise<Blob>
  /** Fetches a file and hands it to the browser to be saved under a name. */
  download(path: string, name: string): Promise<void>
}

interface ApiOptions {
  /** Prefix of each path; empty in the browser. */
  base?: string
  token: () => string | undefined
  /** Called when the server rejects the token of a request. */
  onUnauthorized: () => void
  /** Waits before a read is repeated; tests do not. */
  pause?: Pause
}

/** Creates a client that sends the current token with each request. */
export function createApi({ base = '', token, onUnauthorized, pause = pauseFor }: ApiOptions): Api {
  const joined = createJoinedReads(base)
  const exchange = async (path: string, init: RequestInit, isJoined = false): Promise<Response> => {
    const used = token()
    const headers = new Headers(init.headers)
    if (used) headers.set('authorization', used)
    const isRoute = path.startsWith('/api/')
    const send = () => (isJoined && isRoute ? joined.read : fetch)(base + path, { ...init, headers })
    const isRead = init.method === undefined
    const sent = isRead ? repeatRead(send, { signal: init.signal, pause }) : send()
    const response = await sent.catch(interrupted('The server did not respond'))
    if (response.ok) return response
    const body: unknown = await response.json().catch(() => undefined)
    if (response.status === 401 && used !== undefined && used === token()) onUnauthorized()
    throw toApiError(response, body)
  }
  const readBody = <T>(body: Promise<T>) => body.catch(interrupted('The response could not be read'))
  const write = (
    method: 'POST' | 'PATCH',
    path: string,
    body: unknown,
    { key, signal }: { key?: string | undefined; signal?: AbortSignal | undefined } = {},
  ) =>
    exchange(path, {
      method,
      headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
  const parse = async <T>(schema: Schema<T>, path: string, response: Promise<Response>) =>
    read(schema, path, await readBody((await response).json()))
  const discard = async (response: Promise<Response>) =>
    void (await (await response).arrayBuffer().catch(() => undefined))
  const file = async (path: string) => readBody((await exchange(path, {})).blob())
  return {
    get: (path, schema, signal) => parse(schema, path, exchange(path, signal ? { signal } : {}, true)),
    post: (path, body, schema, key) => parse(schema, path, write('POST', path, body, { key })),
    patch: (path, body, schema) => parse(schema, path, write('PATCH', path, body)),
    send: (path, body, signal) => discard(write('POST', path, body, { signal })),
    remove: (path) => discard(exchange(path, { method: 'DELETE' })),
    file,
    download: async (path, name) => saveFile(await file(path), name),
  }
}

function read<T>(schema: Schema<T>, path: string, body: unknown): T {
  const parsed = v.safeParse(schema, body)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  const place = v.getDotPath(issue)
  throw new ApiError(
    0,
    `The response of ${path} is not as expected${place ? ` at ${place}` : ''}. Reload the page; the server may have been updated`,
  )
}

function toApiError(response: Response, body: unknown): ApiError {
  const parsed = v.safeParse(failureBody, body)
  if (!parsed.success) {
    return new ApiError(
      response.status,
      `The server responded with ${response.status} ${response.statusText}`.trimEnd(),
    )
  }
  const { message, code, request_id, data } = parsed.output
  const fields = Object.entries(data).map(([path, field]): [string, FieldFailure] => [
    path,
    { ...field, message: withoutRoutes(field.message) },
  ])
  return new ApiError(response.status, withoutRoutes(message), {
    code: code ?? '',
    requestId: request_id ?? response.headers.get('x-request-id') ?? '',
    fields: Object.fromEntries(fields),
  })
}

/** A message of the server without the remedies of programs, which name routes. */
function withoutRoutes(message: string): string {
  return message.replace(/[;,] [^;,]*\b(GET|POST|PUT|PATCH|DELETE) \/api\/[^;,.]*/g, '')
}

/** Words what a browser says of a request that failed; an aborted one stays what it is. */
function interrupted(what: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, `${what}. Check the connection and try again`)
  }
}

/**
 * Converts any error to an `ApiError` that a panel can show. One that no request has thrown is a fault of the
 * page: the browser reports it with its stack.
 */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  reportError(error)
  return new ApiError(0, 'This page failed. Reload it, and report it if it happens again')
}
