import type { Socket } from 'bun'

/** A response as it arrived; `at` is the time of its last byte by `performance.now()`. */
export interface RawResponse {
  status: number
  head: string
  body: string
  at: number
}

/**
 * Sends a GET request over a socket of its own: `fetch` keeps at most 256 of them open. Resolves when the
 * body is complete. @throws when the connection cannot be opened or ends before.
 */
export async function rawGet(url: string, path: string, token: string): Promise<RawResponse> {
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
  let received = ''
  const socket: Socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        received += chunk.toString('latin1')
        const response = parse(received)
        if (response) resolve(response)
      },
      close: () => reject(new Error(`the connection ended after: ${received}`)),
      error: (_, error) => reject(error),
    },
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${token}\r\n\r\n`)
  return promise.finally(() => socket.end())
}

/** Undefined until the whole body, of a known length, has arrived. */
function parse(text: string): RawResponse | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = text.slice(0, end)
  const [, length = 'NaN'] = /^content-length: (\d+)/im.exec(head) ?? []
  const body = text.slice(end + 4)
  if (!(body.length >= Number(length))) return undefined
  return { status: Number(head.split(' ')[1]), head, body, at: performance.now() }
}
