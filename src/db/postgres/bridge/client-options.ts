import type { SQL } from 'bun'
import type { ServerAddress } from '../../engine/server-address.ts'

/** Seconds in which a connection has to be made. */
const CONNECT_S = 8

/** What a session relies on, whatever its role, database or server have set; `assertUsable` reads it back. */
export const RELIED_ON = {
  synchronous_commit: 'on',
  default_transaction_read_only: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
} as const

/**
 * Settings of each session. Times are UTC, as all that are stored; `standard_conforming_strings` and
 * `default_transaction_isolation` are what statements rely on, whatever the defaults of the server are. The
 * server ends the session of a machine that has vanished within seconds.
 */
const SESSION = {
  ...RELIED_ON,
  TimeZone: 'UTC',
  client_min_messages: 'error',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  extra_float_digits: '1',
  // Reads find their rows by indexes. The planner takes them for slower than they are on flash disks, and
  // compiles a statement whose rows it overestimates, which takes seconds.
  random_page_cost: '1.1',
  jit: 'off',
  tcp_keepalives_idle: '1',
  tcp_keepalives_interval: '1',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '3000',
} as const

/** The options of the client for a server. */
export function clientOptions({
  rootCertificates,
  password,
  sessionName = 'svc',
  ...address
}: ServerAddress): SQL.PostgresOrMySQLOptions {
  return {
    adapter: 'postgres',
    hostname: address.host,
    port: address.port,
    database: address.database,
    username: address.user,
    ...(password !== undefined && { password }),
    ...(rootCertificates !== undefined && { tls: { ca: rootCertificates, rejectUnauthorized: true } }),
    connection: { ...SESSION, application_name: sessionName },
    connectionTimeout: CONNECT_S,
    idleTimeout: 0,
    maxLifetime: 0,
  }
}
