import type { Clock, Log } from '../../base/index.ts'
import type { CertificateStore } from './certificate-store.ts'

/** Pause before the port is opened again after a failure. */
const RETRY_MS = 1_000

/** The part of a running HTTP server that is used here. */
interface Listening {
  readonly port: number | undefined
  readonly pendingRequests: number
  stop(closeActiveConnections?: boolean): Promise<void>
}

/** The HTTPS port for as long as it is open. */
export interface HttpsPort {
  /** The port in use, also when port 0 was requested. */
  readonly port: number
  /** Requests in progress, responses that are being sent included. */
  readonly pendingRequests: number
  /** Stops listening; resolves when all requests have ended, or immediately with `force`. */
  stop(force?: boolean): Promise<void>
}

/**
 * Opens the HTTPS port and switches it to the new certificate after each renewal.
 *
 * `serve` starts the HTTP server with the given certificate on the given port (0: as configured). The
 * runtime cannot replace the certificate of a running server, so a renewal stops listening and listens
 * again in the same turn; requests in progress, event streams included, finish on the old server.
 */
export function openHttps(options: {
  certificates: CertificateStore
  clock: Pick<Clock, 'sleep'>
  log: Log
  serve: (tls: { key: string; cert: string }, port: number) => Listening
}): HttpsPort {
  const { certificates, clock, serve } = options
  const log = options.log.child('https')
  const tlsOf = () => ({ key: certificates.material.keyPem, cert: certificates.material.certPem })
  const retiring = new Set<Listening>()
  let current = serve(tlsOf(), 0)
  const port = current.port ?? 0

  function retire(server: Listening): void {
    retiring.add(server)
    server
      .stop()
      .catch((error) => log.warn('the previous HTTPS listener did not stop cleanly', { error }))
      .finally(() => retiring.delete(server))
  }

  const stopped = new AbortController()
  /** Set while the port is not open after a renewal. */
  let isClosed = false

  /** Listens again, immediately or, if another program or a missing descriptor prevents it, in a moment. */
  async function listen(): Promise<void> {
    isClosed = true
    while (!stopped.signal.aborted) {
      try {
        current = serve(tlsOf(), port)
        isClosed = false
        log.info('serving the new certificate', { port })
        return
      } catch (error) {
        log.error('cannot listen with the new certificate; trying again', { port, error })
        await clock.sleep(RETRY_MS, stopped.signal).catch(() => undefined)
      }
    }
  }

  const unsubscribe = certificates.onRenew(() => {
    // A renewal during the attempts is served by the next one.
    if (isClosed) return
    retire(current)
    void listen()
  })

  return {
    port,
    get pendingRequests() {
      return [current, ...retiring].reduce((sum, server) => sum + server.pendingRequests, 0)
    },
    async stop(force = false) {
      unsubscribe()
      stopped.abort()
      await Promise.all([current, ...retiring].map((server) => server.stop(force)))
    },
  }
}
