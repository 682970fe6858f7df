import { connect, type Socket } from 'node:net'
import type { Target } from '../attack.ts'

/** An open event stream. */
export interface OpenStream {
  /** Client id, for subscriptions. */
  id: string
  socket: Socket
}

const GIVE_UP_MS = 10_000

/** Opens an event stream; undefined if it is refused. `from` is the number of its
 * address. The stream stays open until the process ends. */
export function openStream(target: Target, from: number, token?: string): Promise<OpenStream | undefined> {
  const { promise, resolve } = Promise.withResolvers<OpenStream | undefined>()
  const socket = connect({
    ...{ host: '127.0.0.1', port: target.port, localAddress: target.addressOf(from) },
  })
  const authorization = token === undefined ? '' : `authorization: ${token}\r\n`
  socket.on('connect', () =>
    socket.write(
      `GET /api/realtime HTTP/1.1\r\nhost: attack\r\n${authorization}accept: text/event-stream\r\n\r\n`,
    ),
  )
  let received = ''
  socket.on('data', (chunk) => {
    if (received.length > 4_096) return
    received += chunk
    const id = /"clientId":\s*"([^"]+)"/.exec(received)?.[1]
    if (id !== undefined) resolve({ id, socket })
    else if (/^HTTP\/1\.1 [45]/.test(received)) resolve(undefined)
  })
  socket.on('error', () => resolve(undefined))
  socket.on('close', () => resolve(undefined))
  setTimeout(() => resolve(undefined), GIVE_UP_MS).unref()
  return promise
}
