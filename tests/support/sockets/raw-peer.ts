import { once } from 'node:events'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { encodeCommand, encodeHello, encodeProperties } from '../../../src/protocol/zmtp/framing/command.ts'
import { encodeGreeting } from '../../../src/protocol/zmtp/handshake/greeting.ts'
import { until } from '../until.ts'
import { certificates, PASSWORD, USER } from './message-sockets.ts'

/** The bytes a good PLAIN client sends, step by step. */
export const GREETING = encodeGreeting('PLAIN', false)
export const HELLO = encodeHello(USER, PASSWORD)
export const initiate = (properties: Record<string, string> = { 'Socket-Type': 'PUSH' }) =>
  encodeCommand('INITIATE', encodeProperties(properties))

/** A TLS client that sends given bytes. */
export interface RawPeer {
  socket: TLSSocket
  /** Everything received so far. */
  received(): Buffer
  write(...parts: Uint8Array[]): void
  /** Resolves when the other side has closed the connection. */
  closed(): Promise<void>
  /** Greets, authenticates and waits for READY. */
  becomeReady(): Promise<void>
}

/** Options of a plain TLS client that trusts the test CA. */
export function tlsOptions(port: number): ConnectionOptions {
  return { host: '127.0.0.1', port, ca: [certificates.caPem], servername: '', minVersion: 'TLSv1.3' }
}

export async function openRawPeer(port: number, options: ConnectionOptions = {}): Promise<RawPeer> {
  const socket = connect({ ...tlsOptions(port), ...options })
  const chunks: Buffer[] = []
  let isClosed = false
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('close', () => {
    isClosed = true
  })
  await once(socket, 'secureConnect')
  // A peer that is cut off in the middle of writing gets an error besides the close.
  socket.on('error', () => undefined)
  const received = () => Buffer.concat(chunks)
  return {
    socket,
    received,
    write: (...parts) => void socket.write(Buffer.concat(parts)),
    async closed() {
      await until('the server closed the connection', () => isClosed)
    },
    async becomeReady() {
      socket.write(Buffer.concat([GREETING, HELLO, initiate()]))
      await until('READY arrived', () => received().includes('READY'))
    },
  }
}
