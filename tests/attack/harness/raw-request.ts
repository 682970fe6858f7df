import { connect } from 'node:net'
import type { AttackRequest, AttackResponse } from '../attack.ts'

const GIVE_UP_MS = 30_000
/** Bytes of a response that are kept; an export is longer. */
const MAX_KEPT_BYTES = 1024 * 1024

/**
 * Sends one request on a connection of its own from the loopback address `from`, so that each attacker has
 * the request limits of one address. Resolves with status 0 when there is no response within 30 s.
 */
export function sendRaw(
  port: number,
  from: string,
  { method, path, token, headers = {}, body }: AttackRequest,
): Promise<AttackResponse> {
  const { promise, resolve } = Promise.withResolvers<AttackResponse>()
  const socket = connect({ host: '127.0.0.1', port, localAddress: from })
  const chunks: Buffer[] = []
  let kept = 0
  const end = () => {
    socket.destroy()
    clearTimeout(timer)
    resolve(responseOf(Buffer.concat(chunks)))
  }
  const timer = setTimeout(end, GIVE_UP_MS)
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const all: Record<string, string> = {
    ...{ host: 'attack', connection: 'close' },
    ...(token === undefined ? {} : { authorization: token }),
    ...(bytes ? { 'content-type': 'application/json', 'content-length': String(bytes.length) } : {}),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on('connect', () => {
    socket.write(`${method ?? (bytes ? 'POST' : 'GET')} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    if (bytes) socket.write(bytes)
  })
  socket.on('data', (chunk: Buffer) => {
    if (kept < MAX_KEPT_BYTES) chunks.push(chunk)
    kept += chunk.byteLength
  })
  socket.on('end', end)
  // A server that refuses a body unread resets the connection after its response.
  socket.on('error', end)
  socket.on('close', end)
  return promise
}

function responseOf(received: Buffer): AttackResponse {
  const head = received.indexOf('\r\n\r\n')
  const status = /^HTTP\/1\.1 (\d{3})/.exec(received.toString('latin1', 0, 16))?.[1]
  if (head < 0 || status === undefined) return { status: 0, text: '' }
  return { status: Number(status), text: received.toString('utf8', head + 4) }
}
