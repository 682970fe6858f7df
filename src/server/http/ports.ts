import type { Server } from 'bun'
import { AppError, GIB, messageOf, newId, withTimeout } from '../../base/index.ts'
import type { ServerContext } from '../context.ts'
import { type HttpsPort, openHttps } from '../tls/https.ts'
import { hostForUrl, listenAddress } from './address.ts'
import type { App } from './app.ts'
import { IDLE_TIMEOUT_SECONDS } from './limits/idle-time.ts'
import { MAX_PIPELINED, PipeliningLimit } from './limits/pipelining.ts'
import { problem } from './response/error-response.ts'

/**
 * The runtime refuses a larger body on its own, without our error body. Each route has its own, much smaller
 * limit, and unread bodies take no memory.
 */
const MAX_BODY_BYTES = GIB
const IDLE_POLL_MS = 20
/** Time for requests in progress to finish when the server stops. */
const STOP_TIMEOUT_MS = 5_000

/** For TLS 1.2: forward secrecy and authenticated encryption only; those of TLS 1.3 all have both. */
const CIPHERS = 'ECDHE+AESGCM:ECDHE+CHACHA20'

type PortsContext = Pick<ServerContext, 'config' | 'tls' | 'clock' | 'log'>

/** The HTTP and the HTTPS port; both serve the same application. */
export class HttpPorts {
  readonly name = 'ports'
  readonly #context: PortsContext
  #plain: Server<undefined> | undefined
  #secure: HttpsPort | undefined

  constructor(context: PortsContext) {
    this.#context = context
  }

  /** Base URL of the HTTP port; empty while it is closed. */
  get url(): string {
    return this.#plain ? `http://${this.#host}:${this.#plain.port}` : ''
  }

  /** Base URL of the HTTPS port; undefined without one. */
  get httpsUrl(): string | undefined {
    return this.#secure && `https://${this.#host}:${this.#secure.port}`
  }

  get #host(): string {
    const { domain, ipAddr } = this.#context.config
    return hostForUrl(domain || ipAddr)
  }

  /**
   * Serves `app` on the configured ports, on all or on none.
   * @throws AppError `unavailable` naming the port and the remedy when it is taken.
   */
  async open(app: App): Promise<void> {
    const { config, tls, log } = this.#context
    this.#plain = this.#listen(app, config.serverPort, '--server-port')
    if (config.httpsPort === 0) return
    try {
      this.#secure = openHttps({
        clock: this.#context.clock,
        certificates: tls,
        log,
        serve: (identity, port) => this.#listen(app, port || config.httpsPort, '--https-port', identity),
      })
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Names a configured port that is not open; undefined when all are open. */
  health(): string | undefined {
    if (!this.#plain) return 'the HTTP port is not open'
    const isHttpsExpected = this.#context.config.httpsPort !== 0
    return isHttpsExpected && !this.#secure ? 'the HTTPS port is not open' : undefined
  }

  /** Resolves when no request is in progress, 5 s later at most. */
  async idle(): Promise<void> {
    const { clock } = this.#context
    const end = clock.monotonic() + STOP_TIMEOUT_MS
    while (this.#pending > 0 && clock.monotonic() < end) await clock.sleep(IDLE_POLL_MS)
  }

  get #pending(): number {
    return (this.#plain?.pendingRequests ?? 0) + (this.#secure?.pendingRequests ?? 0)
  }

  /** Refuses new requests, lets those in progress finish for 5 s, then ends them. */
  async close(): Promise<void> {
    const ports = [this.#plain, this.#secure].filter((each) => each !== undefined)
    const finished = Promise.all(ports.map((port) => port.stop()))
    const { clock } = this.#context
    await withTimeout(finished, { clock, ms: STOP_TIMEOUT_MS, onTimeout: () => undefined })
    await Promise.all(ports.map((port) => port.stop(true)))
    this.#plain = undefined
    this.#secure = undefined
  }

  #listen(app: App, port: number, flag: string, tls?: { key: string; cert: string }): Server<undefined> {
    const hostname = listenAddress(this.#context.config)
    const pipelining = new PipeliningLimit()
    try {
      return Bun.serve({
        hostname,
        port,
        ...(tls ? { tls: { ...tls, ciphers: CIPHERS } } : {}),
        idleTimeout: IDLE_TIMEOUT_SECONDS,
        maxRequestBodySize: MAX_BODY_BYTES,
        fetch: (request, server) =>
          pipelining.allows(() => connectionOf(request, server))
            ? app(request, server)
            : tooManyTogether(this.#context.clock.now()),
      })
    } catch (cause) {
      throw new AppError('unavailable', reasonNotOpen({ hostname, port, flag, cause }), { cause })
    }
  }
}

function connectionOf(request: Request, server: Server<undefined>): string {
  const peer = server.requestIP(request)
  return `${peer?.address} ${peer?.port}`
}

/**
 * Returned immediately, this response ends the connection together with the requests that still wait in it.
 */
function tooManyTogether(now: number): Response {
  const message = `A connection may send ${MAX_PIPELINED} requests together; wait for the responses before sending more`
  return Response.json(problem(429, 'too_many_pipelined', message, newId(now)), {
    status: 429,
    headers: { connection: 'close', 'cache-control': 'no-store' },
  })
}

/** Why a port cannot be opened, and the setting to change. */
function reasonNotOpen(attempt: { hostname: string; port: number; flag: string; cause: unknown }): string {
  const { hostname, port, flag, cause } = attempt
  const what = `Cannot listen on ${hostname} port ${port}`
  switch (cause instanceof Error && 'code' in cause ? cause.code : undefined) {
    case 'EADDRINUSE':
      return `${what}: another program uses the port; stop it or choose another port with ${flag}`
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
      return `${what}: this machine has no address ${hostname}; set --listen-addr to one of its own or to 0.0.0.0`
    case 'EACCES':
      return `${what}: ports below 1024 require a privilege; choose another with ${flag} or grant CAP_NET_BIND_SERVICE`
    default:
      return `${what} (${messageOf(cause)}); choose another port with ${flag}`
  }
}
