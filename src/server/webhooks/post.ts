import { isIP } from 'node:net'
import { connect, type SecureContext, type TLSSocket } from 'node:tls'
import { AppError, type Clock, messageOf, reasonOf, withTimeout } from '../../base/index.ts'
import type { AddressGuard } from './addresses.ts'
import { ResponseReader } from './response-reader.ts'

/** Time in which a receiver has to respond, including the look-up of its name and the TLS handshake. */
const RESPONSE_TIMEOUT_MS = 10_000
/** Further time for the beginning of the response body, which is for the owner only. */
const BODY_TIMEOUT_MS = 1_000
/** Addresses of one name that are tried. */
const MAX_ADDRESSES = 4

/** A request to a receiver. */
interface Post {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

interface PostDependencies {
  clock: Clock
  guard: AddressGuard
  /** Trusted certificates; those of the runtime when absent. */
  secureContext: SecureContext | undefined
  /** Ends the request. */
  signal: AbortSignal
}

/** The outcome of a request. `error` is '' for a status of 200 to 299, else a code, a colon and details. */
interface PostOutcome {
  /** 0 without a response. */
  status: number
  error: string
  durationMs: number
  /** The beginning of the response body. */
  response: string
}

/**
 * Sends a body of JSON by HTTPS to a checked address of the host. Certificate and name are verified,
 * redirects are not followed, and only the beginning of the response is read. Never throws.
 */
export async function post(request: Post, dependencies: PostDependencies): Promise<PostOutcome> {
  const { clock, signal } = dependencies
  const begun = clock.monotonic()
  const sockets = new Set<TLSSocket>()
  let durationMs = 0
  try {
    const { reader, head } = await withTimeout(
      async (over) => {
        const reader = await send(request, dependencies, { over, sockets })
        return { reader, head: await reader.head() }
      },
      { clock, ms: RESPONSE_TIMEOUT_MS, signal, onTimeout: refuseLate },
    )
    durationMs = clock.monotonic() - begun
    const wait = { clock, ms: BODY_TIMEOUT_MS, signal, onTimeout: () => undefined }
    await withTimeout(reader.receiveBody(head), wait)
    return { status: head.status, error: errorOf(head.status), durationMs, response: reader.bodyText(head) }
  } catch (error) {
    durationMs ||= clock.monotonic() - begun
    return { status: 0, error: describe(error), durationMs, response: '' }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

function refuseLate(): never {
  throw new AppError('unavailable', `no response within ${RESPONSE_TIMEOUT_MS / 1_000} s`, {
    reason: 'timeout',
  })
}

/** Connects to the first address that accepts a connection, and writes the request. */
async function send(
  { url, headers, body }: Post,
  { guard, secureContext }: PostDependencies,
  { over, sockets }: { over: AbortSignal; sockets: Set<TLSSocket> },
): Promise<ResponseReader> {
  const { hostname, host, port, pathname, search } = new URL(url)
  const addresses = (await guard.addressesOf(hostname)).slice(0, MAX_ADDRESSES)
  let failure: unknown
  for (const address of addresses) {
    over.throwIfAborted()
    const socket = connect({
      host: address,
      port: port === '' ? 443 : Number(port),
      // The certificate is verified for the name, although the connection is made to the checked address.
      ...(isIP(address) !== 0 && isIP(bare(hostname)) === 0 ? { servername: hostname } : {}),
      ALPNProtocols: ['http/1.1'],
      ...(secureContext ? { secureContext } : {}),
    })
    sockets.add(socket)
    over.addEventListener('abort', () => socket.destroy(), { once: true })
    try {
      await secured(socket)
    } catch (error) {
      failure = error
      continue
    }
    const reader = new ResponseReader(socket)
    const length = Buffer.byteLength(body)
    const lines = Object.entries({ host, connection: 'close', 'content-length': length, ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.write(`POST ${pathname}${search} HTTP/1.1\r\n${head}\r\n${body}`)
    return reader
  }
  throw failure
}

/** The address in brackets that a URL has for IPv6. */
function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

function secured(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', () => {
      if (socket.authorized) resolve()
      else reject(socket.authorizationError ?? new Error('the certificate is not trusted'))
    })
    socket.on('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
  })
}

function errorOf(status: number): string {
  if (status >= 200 && status < 300) return ''
  if (status >= 300 && status < 400) return `redirect: HTTP ${status}; redirects are not followed`
  return `http_status: HTTP ${status}`
}

const CERTIFICATE_ERROR = /CERT|SELF_SIGNED|ISSUER|ALTNAME|SIGNATURE/

/** A code that programs can compare, and details for people. */
function describe(error: unknown): string {
  if (error instanceof AppError) return `${error.reason ?? error.code}: ${error.message}`
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (CERTIFICATE_ERROR.test(code)) return `certificate: ${messageOf(error)}`
  return `connection: ${reasonOf(error)}`
}
