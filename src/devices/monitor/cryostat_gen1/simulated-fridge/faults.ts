import type { ServerResponse } from 'node:http'

interface Asked {
  path: string
  /** What the answer would be without fault. */
  reply: object
  response: ServerResponse
  /** Acts after `ms`, unless the fridge stops first. */
  later(ms: number, act: () => void): void
}

const SLOW_MS = 10_000
const LATE_DATE_MS = 600_000
const OVERSIZED = 2 * 1024 * 1024

/** How a faulty channel answers instead. */
export const FAULTS = {
  /** 404. */
  absent: ({ path, response }: Asked) => send(response, 404, complaint(404, `No such value: ${path}`)),
  /** A complaint with HTTP status 200. */
  error: ({ path, response }: Asked) =>
    send(response, 200, complaint(1_001, `Device of ${path} does not answer`)),
  /** The other form of complaint, which repeats what was asked, with its key. */
  echo: ({ response }: Asked) =>
    send(response, 200, { error: { code: 2, details: `Cannot serve ${response.req.url}` } }),
  malformed: ({ response }: Asked) => void response.end('{"data": {"content": '),
  /** Good, but 10 s late. */
  slow: ({ response, reply, later }: Asked) => later(SLOW_MS, () => send(response, 200, reply)),
  /** No answer: the connection is closed. */
  dropped: ({ response }: Asked) => void response.socket?.destroy(),
  /** The connection is closed in the middle of the answer. */
  cut_off({ response, later }: Asked) {
    response.writeHead(200, { 'content-length': '1000' }).write('{"data":')
    later(1, () => response.socket?.destroy())
  },
  oversized: ({ response }: Asked) => void response.end(`{"data": "${'x'.repeat(OVERSIZED)}"}`),
  redirect: ({ response }: Asked) => void response.writeHead(302, { location: '/system' }).end(),
} satisfies Record<string, (asked: Asked) => void>

/** What can be wrong with a channel: no usable answer, an old value, or a sensor that is gone. */
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
export function complaint(code: number, description: string): object {
  return { status: 'ERROR', code, name: 'APPLICATION_ERROR', description }
}

/** Answers with JSON. */
export function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
