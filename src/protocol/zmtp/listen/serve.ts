import type { TLSSocket } from 'node:tls'
import type { Clock, Log } from '../../../base/index.ts'
import { type Ending, type Refusal, ZmtpConnection } from '../connection/connection.ts'
import type { Counters } from '../connection/counters.ts'
import type { SocketLimits } from '../connection/limits.ts'
import { receiver, type Taken } from '../connection/receive.ts'
import type { Mechanism } from '../handshake/greeting.ts'
import { nullPeer, ownProperties, PROTOCOL_VERSION, plainServer, type Role } from '../handshake/handshake.ts'

/** A driver whose connection is ready. */
export interface Peer {
  /** Its IP address. */
  readonly address: string
  readonly user: string
  /** The lease that `authenticate` returned, or the user; empty without authentication. */
  readonly lease: string
  /** Writes what was accepted, then closes. */
  close(reason: string): void
  /** Stops reading from this peer, which then stalls. */
  pause(): void
  resume(): void
}

/** Result of checking user and password: true stands for a lease with the name of the user. */
export type Authentication = boolean | { lease: string }

/** The part of a listening socket's options that each of its connections uses. */
export interface ServeOptions {
  role: Role
  /** `NULL` accepts every client: for tests only. */
  mechanism?: Mechanism
  /** Whether this user may use the port. Equal leases replace one another; another lease is refused. */
  authenticate(user: string, password: string, address: string): Promise<Authentication> | Authentication
  /**
   * Handles a message of one frame (pull role). If it returns false, the connection stores the message, stops
   * reading and delivers it again after `peer.resume()`. Copy the body to store it: it may be a view into a
   * larger buffer.
   */
  onMessage?(body: Uint8Array, peer: Peer): Taken
  /** A message of several frames; without this handler they are dropped and logged. */
  onFrames?(frames: readonly Uint8Array[], peer: Peer): Taken
  clock: Clock
  log: Log
  protocolVersion?: string
  appVersion?: string
}

/** One connection of a listening socket. */
export interface Served {
  connection: ZmtpConnection
  peer: Peer
}

interface Owner {
  limits: SocketLimits
  counters: Counters
  admit(served: Served): Refusal | undefined
  onReady(served: Served): void
  onSilence(served: Served, silentMs: number): void
  onEnd(served: Served, ending: Ending): void
}

/** Serves a client that has just completed the TLS handshake. */
export function serve(socket: TLSSocket, options: ServeOptions, owner: Owner): Served {
  const { clock, log, mechanism = 'PLAIN', protocolVersion = PROTOCOL_VERSION } = options
  const { limits, counters } = owner
  const address = socket.remoteAddress ?? 'unknown'
  const handshakeOptions = {
    properties: ownProperties(options.role, protocolVersion, options.appVersion),
    maxProperties: limits.properties,
  }
  let user = ''
  let lease = ''

  async function verify(name: string, password: string): Promise<Refusal | undefined> {
    user = name
    try {
      const authentication = await options.authenticate(name, password, address)
      lease = typeof authentication === 'object' ? authentication.lease : name
      return authentication === false ? { code: '400', reason: 'wrong user or password' } : undefined
    } catch (error) {
      log.error('message socket authentication could not run', { user: name, address, error })
      return { code: '500', reason: 'authentication could not run' }
    }
  }

  const connection = new ZmtpConnection({
    socket,
    role: options.role,
    asServer: true,
    mechanism,
    handshake: mechanism === 'PLAIN' ? plainServer(handshakeOptions) : nullPeer(handshakeOptions),
    protocolVersion,
    limits,
    counters,
    clock,
    verify,
    admit: () => owner.admit(served),
    onReady: () => owner.onReady(served),
    onSilence: (silentMs) => owner.onSilence(served, silentMs),
    onMessage: receiver({
      log,
      counters,
      onMessage: (body) => options.onMessage?.(body, served.peer),
      onFrames: options.onFrames && ((frames) => options.onFrames?.(frames, served.peer)),
    }),
    onEnd: (ending) => owner.onEnd(served, ending),
  })
  const served: Served = {
    connection,
    peer: {
      address,
      get user() {
        return user
      },
      get lease() {
        return lease
      },
      close: (reason) => connection.close(reason),
      pause: () => connection.pause(),
      resume: () => connection.resume(),
    },
  }
  return served
}
