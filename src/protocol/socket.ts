/**
 * Message sockets between server and drivers: ZMTP 3.1 over TLS 1.3. The server listens, the driver connects;
 * messages flow one way, from PUSH to PULL. The wire format: docs/reference/message-sockets.md.
 */
export { type Connection, type ConnectOptions, connect } from './zmtp/connect/connector.ts'
export type { Counters } from './zmtp/connection/counters.ts'
export { DEFAULT_LIMITS, type SocketLimits } from './zmtp/connection/limits.ts'
export type { Body } from './zmtp/connection/message.ts'
export type { Taken } from './zmtp/connection/receive.ts'
export { PROTOCOL_VERSION, type Role } from './zmtp/handshake/handshake.ts'
export { type Listener, type ListenOptions, listen } from './zmtp/listen/listener.ts'
export type { Authentication, Peer } from './zmtp/listen/serve.ts'
