import type { ServerResponse } from 'node:http'
import { MIB, MINUTE_MS } from '../../../../base/index.ts'

interface FaultRequest {
  path: string
  /** The response without the fault. */
  reply: object
  response: ServerResponse
  /** Calls `run` after `ms`, unless the fridge stops first. */
  later(ms: number, run: () => void): void
}

const SLOW_MS = 10_000
const LATE_DATE_MS = 10 * MINUTE_MS
const OVERSIZED = 2 * MIB

/** Responses of a faulty channel. */
export const FAULTS = {
  /** 404. */
  absent: ({ path, response }: FaultRequest) => send(response, 404, errorBody(404, `No such value: ${path}`)),
  /** An error with HTTP status 200. */
  error: ({ path, response }: FaultRequest) =>
    send(response, 200, errorBody(1_001, `Device of ${path} does not answer`)),
  /** The other form of error, which repeats the request with its key. */
  echo: ({ response }: FaultRequest) =>
    send(response, 200, { error: { code: 2, details: `Cannot serve ${response.req.url}` } }),
  malformed: ({ response }: FaultRequest) => void response.end('{"data": {"content": '),
  /** A correct response, 10 s late. */
  slow: ({ response, reply, later }: FaultRequest) => later(SLOW_MS, () => send(response, 200, reply)),
  /** Closes the connection without a response. */
  dropped: ({ response }: FaultRequest) => void response.socket?.destroy(),
  /** Closes the connection in the middle of the response. */
  cut_off({ response, later }: FaultRequest) {
    response.writeHead(200, { 'content-length': '1000' }).write('{"data":')
    later(1, () => response.socket?.destroy())
  },
  oversized: ({ response }: FaultRequest) => void response.end(`{"data": "${'x'.repeat(OVERSIZED)}"}`),
  redirect: ({ response }: FaultRequest) => void response.writeHead(302, { location: '/system' }).end(),
} satisfies Record<string, (request: FaultRequest) => void>

/** Faults of a channel: no usable response, an old value, or a disconnected sensor. */
export type FridgeFault = keyof typeof FAULTS | 'outdated' | 'disconnected'

/** The description of one value, as of `now` (ms since the epoch). */
export function nodeOf(path: string, value: string, fault: FridgeFault | undefined, now: number): object {
  const isLost = fault === 'disconnected'
  const isOld = isLost || fault === 'outdated'
  const date = isOld ? now - LATE_DATE_MS : now
  const valid = { value, status: 'SYNCHRONIZED', outdated: isOld, date, exception: '' }
  const latest = isLost ? { ...valid, value: '', status: 'DISCONNECTED', date: now } : valid
  return {
    name: path,
    type: 'Value.Number.Float',
    content: { latest_valid_value: valid, latest_value: latest },
  }
}

/** The body of an error. */
export function errorBody(code: number, description: string): object {
  return { status: 'ERROR', code, name: 'APPLICATION_ERROR', description }
}

/** Sends a JSON response. */
export function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
