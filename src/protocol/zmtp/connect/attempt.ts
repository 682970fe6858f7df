import type { TLSSocket } from 'node:tls'
import { type Clock, type Log, messageOf } from '../../../base/index.ts'
import { type Ending, ZmtpConnection } from '../connection/connection.ts'
import type { Counters } from '../connection/counters.ts'
import type { SocketLimits } from '../connection/limits.ts'
import { receiver, type Taken } from '../connection/receive.ts'
import type { Mechanism } from '../handshake/greeting.ts'
import { nullPeer, ownProperties, PROTOCOL_VERSION, plainClient, type Role } from '../handshake/handshake.ts'
import { dial } from './dial.ts'

/** The part of a connecting socket's options that each of its attempts uses. */
export interface AttemptOptions {
  role: Role
  host: string
  port: number
  /** The pinned root certificate (PEM), which the caller has compared with its fingerprint. */
  ca: string
  /** At most 255 bytes, like the password. */
  user: string
  password: string
  /** `NULL` sends no credentials: for tests only. */
  mechanism?: Mechanism
  /**
   * Handles a message of one frame (pull role). If it returns false, the connection stores the message, stops
   * reading and delivers it again after `resume()`. Copy the body to store it: it may be a view into a larger
   * buffer.
   */
  onMessage?(body: Uint8Array): Taken
  /** A message of several frames; without this handler they are dropped and logged. */
  onFrames?(frames: readonly Uint8Array[]): Taken
  clock: Clock
  log: Log
  protocolVersion?: string
  appVersion?: string
}

interface Owner {
  limits: SocketLimits
  counters: Counters
  /** Ends the attempt immediately, in any phase. */
  signal: AbortSignal
  onReady(connection: ZmtpConnection): void
}

/** How an attempt ended, and whether messages ever flowed. */
export interface Attempt extends Ending {
  wasReady: boolean
}

const CLOSED: Ending = { reason: 'closed by this side', kind: 'closed' }

/** One attempt, from TCP to the end of its connection. Never rejects. */
export async function attempt(options: AttemptOptions, owner: Owner): Promise<Attempt> {
  const { limits, signal } = owner
  try {
    const socket = await dial({ ...options, timeoutMs: limits.tlsHandshakeMs, signal })
    return await speak(socket, options, owner)
  } catch (error) {
    if (signal.aborted) return { ...CLOSED, wasReady: false }
    return { reason: messageOf(error), kind: 'lost', wasReady: false }
  }
}

function handshakeOf(options: AttemptOptions, mechanism: Mechanism, limits: SocketLimits, version: string) {
  const { user, password } = options
  const properties = ownProperties(options.role, version, options.appVersion)
  const ours = { properties, maxProperties: limits.properties }
  return mechanism === 'PLAIN' ? plainClient({ ...ours, user, password }) : nullPeer(ours)
}

function speak(socket: TLSSocket, options: AttemptOptions, owner: Owner): Promise<Attempt> {
  const { mechanism = 'PLAIN', protocolVersion = PROTOCOL_VERSION, clock, log } = options
  const { limits, counters, signal } = owner
  return new Promise((resolve) => {
    const connection: ZmtpConnection = new ZmtpConnection({
      socket,
      role: options.role,
      asServer: false,
      mechanism,
      handshake: handshakeOf(options, mechanism, limits, protocolVersion),
      protocolVersion,
      limits,
      counters,
      clock,
      onReady: () => owner.onReady(connection),
      onMessage: receiver({
        log,
        counters,
        onMessage: (body) => options.onMessage?.(body),
        onFrames: options.onFrames && ((frames) => options.onFrames?.(frames)),
      }),
      onEnd(ending) {
        signal.removeEventListener('abort', onAbort)
        resolve({ ...ending, wasReady: connection.wasReady })
      },
    })
    const onAbort = () => connection.destroy(CLOSED)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
