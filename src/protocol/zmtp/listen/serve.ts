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
  /** What `authenticate` answered, or the user; empty without authentication. */
  readonly lease: string
  /** Writes what was accepted, then closes. */
  close(reason: string): void
  /** Stops reading from this peer, which then stalls. */
  pause(): void
  resume(): void
}

/** The answer to a user and password: true stands for a lease named like the user. */
export type Authentication = boolean | { lease: string }

/** The part of a listening socket's options that each of its connections uses. */
export interface ServeOptions {
  role: Role
  /** `NULL` accepts everybody: for tests only. */
  mechanism?: Mechanism
  /** Whether this user may have the port; equal leases replace one another, another lease is refused. */
  authenticate(user: string, password: string, address: string): Promise<Authentication> | Authentication
  /**
   * A message of one frame (pull role). Returning false keeps it, stops reading, and hands it over again after
   * `peer.resume()`. Copy the body to keep it for long: it may be a view into a larger buffer.
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
  onEnd(served: Served, ending: Ending): void
}

/** Speaks ZMTP with a client that has just completed TLS. */
export function serve(socket: TLSSocket, options: ServeOptions, owner: Owner): Served {
  const { clock, log, mechanism = 'PLAIN', protocolVersion = PROTOCOL_VERSION } = options
  const { limits, counters } = owner
  const address = socket.remoteAddress ?? 'unknown'
  const handshakeOptions = {
    properties: ownProperties(options.role, protocolVersion, options.appVersion),
    mostProperties: limits.properties,
  }
  let user = ''
  let lease = ''

  async function verify(name: string, password: string): Promise<Refusal | undefined> {
    user = name
    try {
      const answer = await options.authenticate(name, password, address)
      lease = typeof answer === 'object' ? answer.lease : name
      return answer === false ? { code: '400', reason: 'wrong user or password' } : undefined
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
