import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { Transform } from 'node:stream'

/**
 * A TCP relay that can fall silent like a cut cable: nothing arrives any more and neither end is notified.
 */
export interface Proxy extends AsyncDisposable {
  port: number
  /** Falls silent after so many more bytes of both directions. */
  freeze(afterBytes?: number): void
}

/** Relays to a port of 127.0.0.1. */
export async function openProxy(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  const relay = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (chunk: Buffer) => {
      if (left > 0) to.write(chunk.subarray(0, left))
      left -= chunk.length
    })
    from.on('end', () => {
      if (left > 0) to.end()
    })
    from.on('error', () => undefined)
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: target, allowHalfOpen: true })
    relay(client, upstream)
    relay(upstream, client)
  })
  return {
    port: await portOf(server),
    freeze(afterBytes = 0) {
      left = afterBytes
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Relays to a port of 127.0.0.1; bytes from clients at a limited rate, bytes to clients without a limit. */
export async function openSlowProxy(
  target: number,
  bytesPerSecond: number,
): Promise<{ port: number; close(): void }> {
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: target })
    const slow = new Transform({
      transform: (chunk: Buffer, _, done) =>
        void setTimeout(() => done(null, chunk), (chunk.length / bytesPerSecond) * 1_000),
    })
    client.pipe(slow).pipe(upstream).pipe(client)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => undefined)
      socket.on('close', () => other.destroy())
    }
  })
  return { port: await portOf(server), close: () => void server.close() }
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
