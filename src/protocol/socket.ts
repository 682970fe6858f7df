/**
 * Message sockets between server and drivers: ZMTP 3.1 over TLS 1.3. The server listens, the driver connects;
 * messages flow one way, from PUSH to PULL. What goes over the wire: docs/reference/message-sockets.md.
 */
export { type Connection, type ConnectOptions, connect } from './zmtp/connector.ts'
export type { Counters } from './zmtp/counters.ts'
export { PROTOCOL_VERSION, type Role } from './zmtp/handshake.ts'
export { DEFAULT_LIMITS, type SocketLimits } from './zmtp/limits.ts'
export { type Listener, type ListenOptions, listen } from './zmtp/listener.ts'
export type { Body } from './zmtp/message.ts'
export type { Taken } from './zmtp/receive.ts'
export type { Authentication, Peer } from './zmtp/serve.ts'
