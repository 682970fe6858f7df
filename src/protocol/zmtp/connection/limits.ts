import { KIB, MIB } from '../../../base/index.ts'

/** Size and time limits of one socket. Every field can be overridden; tests use small values. */
export interface SocketLimits {
  /** Maximum size of a message from a driver to the server, all frames together, in bytes. */
  toServerBytes: number
  /** Maximum size of a message from the server to a driver, all frames together, in bytes. */
  toDriverBytes: number
  /** Bytes a peer may send before the handshake is complete, greeting included. */
  preAuthBytes: number
  /** Maximum body size of a command, in bytes. */
  commandBytes: number
  /** Maximum number of frames in a message. */
  frames: number
  /** Maximum number of metadata properties of a peer. */
  properties: number
  /** Time for TCP and TLS to be set up, in ms. */
  tlsHandshakeMs: number
  /** Time for greeting and handshake after TLS, in ms. */
  handshakeMs: number
  /** Interval between the PINGs that this side sends, in ms. */
  pingIntervalMs: number
  /** A connection that receives no byte for this long is considered dead, in ms. */
  deadAfterMs: number
  /** High-water mark: messages that wait to be written. */
  queuedMessages: number
  /** High-water mark: bytes that wait to be written. */
  queuedBytes: number
  /** Maximum number of TCP connections on one listening port that have not completed the handshake. */
  unreadyConnections: number
  /** Commands (PINGs, for example) that a ready peer may send per second; twice as many in a burst. */
  commandsPerSecond: number
  /** Idle time before the first TCP keep-alive probe, in ms. */
  keepAliveMs: number
  /** Grace period in which a closing connection writes its messages before it is destroyed, in ms. */
  closeGraceMs: number
  /** Refusals of one address are logged at most once in this time, in ms. */
  refusalLogMs: number
}

/**
 * Default limits. A libzmq peer with short heartbeats gives up while it receives a large message, so PINGs
 * must not become more frequent.
 */
export const DEFAULT_LIMITS: Readonly<SocketLimits> = {
  toServerBytes: 64 * MIB,
  toDriverBytes: 16 * MIB,
  preAuthBytes: 4 * KIB,
  commandBytes: 4 * KIB,
  frames: 1024,
  properties: 32,
  tlsHandshakeMs: 5_000,
  handshakeMs: 10_000,
  pingIntervalMs: 5_000,
  deadAfterMs: 15_000,
  queuedMessages: 1_000,
  queuedBytes: 16 * MIB,
  unreadyConnections: 16,
  commandsPerSecond: 100,
  keepAliveMs: 15_000,
  closeGraceMs: 1_000,
  refusalLogMs: 10_000,
}
