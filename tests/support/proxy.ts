import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP relay that can fall silent, as a cut cable does: nothing arrives any more and nobody is told. */
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    freeze(afterBytes = 0) {
      left = afterBytes
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
