import { isIP } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { type Clock, withTimeout } from '../../../base/index.ts'
import { fingerprintOf } from '../../certificates/fingerprint.ts'
import { ALPN, NO_TICKETS, rootFingerprint } from '../connection/tls.ts'

interface DialOptions {
  host: string
  port: number
  /** The pinned root certificate (PEM): the only one that is trusted. */
  ca: string
  clock: Clock
  /** Time for TCP and TLS together. */
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Opens a TLS 1.3 connection to a server whose certificate names `host` and ends at the pinned root.
 * Rejects with a readable reason when any of that fails or takes too long.
 */
export async function dial(options: DialOptions): Promise<TLSSocket> {
  const { host, port, ca, clock, timeoutMs, signal } = options
  const pinned = fingerprintOf(ca)
  const socket = connectTls({
    host,
    port,
    ca: [ca],
    // Server name indication is for names only; an address is compared with the certificate as it is.
    servername: isIP(host) ? '' : host,
    minVersion: 'TLSv1.3',
    secureOptions: NO_TICKETS,
    ALPNProtocols: [ALPN],
    rejectUnauthorized: true,
  })
  let isConnected = false
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('connect', () => {
      isConnected = true
    })
    socket.once('secureConnect', resolve)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed the connection during the TLS handshake')))
  })
  try {
    await withTimeout(opened, {
      clock,
      ms: timeoutMs,
      signal,
      onTimeout: () => {
        throw new Error(
          isConnected
            ? `no TLS handshake within ${timeoutMs} ms`
            : `no connection within ${timeoutMs} ms; a firewall may block the port`,
        )
      },
    })
    // Old runtimes accepted any certificate here, so the result is checked once more.
    if (!socket.authorized) throw new Error('the certificate of the server is not authorized')
    if (rootFingerprint(socket) !== pinned) throw new Error('the certificate of the server has another root')
    return socket
  } catch (error) {
    socket.on('error', () => undefined)
    socket.destroy()
    throw error
  }
}
