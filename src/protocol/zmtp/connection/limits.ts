const KIB = 1024
const MIB = 1024 * KIB

/** Sizes and times that bound one socket. Every field can be overridden, in tests to small values. */
export interface SocketLimits {
  /** Largest message from a driver to the server, all frames together, in bytes. */
  toServerBytes: number
  /** Largest message from the server to a driver, all frames together, in bytes. */
  toDriverBytes: number
  /** Bytes a peer may send before the handshake is complete, greeting included. */
  preAuthBytes: number
  /** Largest body of one command, in bytes. */
  commandBytes: number
  /** Most frames in one message. */
  frames: number
  /** Most metadata properties of a peer. */
  properties: number
  /** Time for TCP and TLS to be set up, in ms. */
  tlsHandshakeMs: number
  /** Time for greeting and handshake after TLS, in ms. */
  handshakeMs: number
  /** Pause between two PINGs of ours, in ms. */
  pingIntervalMs: number
  /** A connection without a single received byte for this long is dead, in ms. */
  deadAfterMs: number
  /** High-water mark: messages that wait to be written. */
  queuedMessages: number
  /** High-water mark: bytes that wait to be written. */
  queuedBytes: number
  /** Most TCP connections on one listening port at a time. */
  connections: number
  /** Idle time before the first TCP keep-alive probe, in ms. */
  keepAliveMs: number
  /** Time for a closing connection to write what it holds before it is destroyed, in ms. */
  closeGraceMs: number
  /** Refusals of one address are logged at most once in this time, in ms. */
  refusalLogMs: number
}

/**
 * The limits of the product. A libzmq peer with short heartbeats gives up while a large message is on its way,
 * so pings must not become more frequent.
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
  connections: 16,
  keepAliveMs: 15_000,
  closeGraceMs: 1_000,
  refusalLogMs: 10_000,
}
