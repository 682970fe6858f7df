import { createServer } from 'node:net'

/** Counts the connections to an address that must not get any. */
export interface Counter extends AsyncDisposable {
  readonly port: number
  /** TCP connections so far. */
  readonly connections: number
}

/** Listens on 127.0.0.1 and closes every connection at once. */
export async function countConnections(): Promise<Counter> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the counter has no port')
  return {
    port: address.port,
    get connections() {
      return connections
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** One request as an eavesdropper sees it. */
export interface Recorded {
  method: string
  path: string
  headers: string
  body: string
}

/** A server that records every request. */
export interface Recorder extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly Recorded[]
  /** Whether `secret` was in any part of any request. */
  has(secret: string): boolean
}

interface RecorderOptions {
  /** Responds after the request was recorded. */
  response(request: Recorded): Response
  /** Serves HTTPS with this key and certificate. */
  tls?: { key: string; cert: string }
}

/** Listens on 127.0.0.1 and records every request. */
export function recordRequests({ response, tls }: RecorderOptions): Recorder {
  const requests: Recorded[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    ...(tls && { tls }),
    async fetch(request) {
      const recorded = {
        method: request.method,
        path: new URL(request.url).pathname,
        headers: JSON.stringify([...request.headers]),
        body: await request.text(),
      }
      requests.push(recorded)
      return response(recorded)
    },
  })
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${server.port}`,
    requests,
    has: (secret) => requests.some((each) => JSON.stringify(each).includes(secret)),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
