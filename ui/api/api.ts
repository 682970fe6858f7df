import * as v from 'valibot'
import { type FieldFailure, failureBody } from './model.ts'

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

/** A typed client of the HTTP API. Every method rejects with `ApiError`. */
export interface Api {
  get<T>(path: string, schema: Schema<T>, signal?: AbortSignal): Promise<T>
  post<T>(path: string, body: unknown, schema: Schema<T>): Promise<T>
  /** Sends a POST request and discards the response body. */
  send(path: string, body: unknown): Promise<void>
}

interface ApiOptions {
  /** Prefix of each path; empty in the browser. */
  base?: string
  token: () => string | undefined
  /** Called when the server rejects the token of a request. */
  onUnauthorized: () => void
}

/** Creates a client that sends the current token with each request. */
export function createApi({ base = '', token, onUnauthorized }: ApiOptions): Api {
  const request = async (path: string, init: RequestInit): Promise<unknown> => {
    const sent = token()
    const headers = new Headers(init.headers)
    if (sent) headers.set('authorization', sent)
    const response = await fetch(base + path, { ...init, headers }).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'AbortError') throw error
      throw new ApiError(0, 'The server did not respond. Check the connection and try again')
    })
    const body: unknown = await response.json().catch(() => undefined)
    if (response.ok) return body
    if (response.status === 401 && sent !== undefined && sent === token()) onUnauthorized()
    throw toApiError(response, body)
  }
  const post = (path: string, body: unknown) =>
    request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    get: async (path, schema, signal) => read(schema, path, await request(path, signal ? { signal } : {})),
    post: async (path, body, schema) => read(schema, path, await post(path, body)),
    send: async (path, body) => void (await post(path, body)),
  }
}

function read<T>(schema: Schema<T>, path: string, body: unknown): T {
  const parsed = v.safeParse(schema, body)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  const place = v.getDotPath(issue)
  throw new ApiError(
    0,
    `The response of ${path} is not as expected${place ? ` at ${place}` : ''}: ${issue.message}`,
  )
}

function toApiError(response: Response, body: unknown): ApiError {
  const parsed = v.safeParse(failureBody, body)
  if (!parsed.success) {
    return new ApiError(
      response.status,
      `The server answered ${response.status} ${response.statusText}`.trimEnd(),
    )
  }
  const { message, code, request_id, data } = parsed.output
  return new ApiError(response.status, message, {
    code: code ?? '',
    requestId: request_id ?? response.headers.get('x-request-id') ?? '',
    fields: data,
  })
}

/** Converts any error to an `ApiError` that a panel can show. */
export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError
    ? error
    : new ApiError(0, error instanceof Error ? error.message : String(error))
}
