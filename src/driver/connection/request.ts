import {
  AppError,
  type Clock,
  DAY_MS,
  formatDuration,
  MINUTE_MS,
  reasonOf,
  withTimeout,
} from '../../base/index.ts'

interface RequestOptions {
  method: 'GET' | 'POST'
  body?: unknown
  /**
   * `https:` only. `ca`: the only trusted root; `unverified`: for content that is checked by its fingerprint.
   */
  trust: { ca: string } | 'unverified'
  /** Time for the whole exchange; 10 s if unset. */
  timeoutMs?: number | undefined
  clock: Clock
  signal: AbortSignal
}

/** Status and body of a response, whatever the status. */
export interface ServerResponse {
  status: number
  text: string
  /** Seconds from the `Retry-After` header. */
  retryAfter: number | undefined
  /** Time of the server from its `Date` header, Unix ms; NaN without one. */
  serverTime: number
}

const TIMEOUT_MS = 10_000
/** Certificate errors of the runtime, which have the names of OpenSSL. */
const BAD_CERTIFICATE = /CERT|SIGNATURE|INVALID_(CA|PURPOSE)/
const MAX_RESPONSE_BYTES = 64 * 1024

/**
 * One HTTP exchange with the server: at most `timeoutMs`, a response of at most 64 KiB, no redirects.
 * @throws AppError `unavailable` when there is no complete response; with the reason `untrusted_certificate`
 *   when the server's certificate is not trusted, in which case nothing was sent.
 */
export async function request(url: string, options: RequestOptions): Promise<ServerResponse> {
  const { timeoutMs = TIMEOUT_MS, clock, signal } = options
  try {
    return await withTimeout((stop) => exchange(url, options, stop), {
      clock,
      ms: timeoutMs,
      signal,
      onTimeout: () => {
        throw new Error(`no response within ${timeoutMs / 1_000} s`)
      },
    })
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (BAD_CERTIFICATE.test(code)) {
      const refused = `the server at ${url} has no acceptable certificate (${code}); nothing was sent to it`
      throw new AppError(
        'unavailable',
        await withClockDifference(refused, { svcAddr: new URL(url).origin, clock, signal }),
        { cause, reason: 'untrusted_certificate' },
      )
    }
    throw new AppError('unavailable', `cannot reach the server at ${url}: ${reasonOf(cause)}`, { cause })
  }
}

/** What TLS reports of a certificate that is not valid at the time of this machine. */
const OUTSIDE_VALIDITY = /not.yet.valid|has.expired/i

/**
 * A failure to connect; of a certificate that is not valid now, with the difference of the clocks of this
 * machine and the server if that may be the cause. The server's time is a hint: nothing vouches for it.
 */
export async function withClockDifference(
  failure: string,
  { svcAddr, clock, signal }: { svcAddr: string; clock: Clock; signal: AbortSignal },
): Promise<string> {
  if (!OUTSIDE_VALIDITY.test(failure)) return failure
  const url = `${svcAddr}/api/pub/root-ca.pem`
  const response = await request(url, { method: 'GET', trust: 'unverified', clock, signal }).catch(
    () => undefined,
  )
  const ms = clock.now() - (response?.serverTime ?? Number.NaN)
  if (!(Math.abs(ms) >= MINUTE_MS)) return failure
  const days = Math.round(Math.abs(ms) / DAY_MS)
  const size = days >= 2 ? `${days} days` : formatDuration(Math.round(Math.abs(ms) / MINUTE_MS) * MINUTE_MS)
  return `${failure}; the clock of this machine is ${size} ${ms < 0 ? 'behind' : 'ahead of'} the server's: set it`
}

async function exchange(
  url: string,
  { method, body, trust }: RequestOptions,
  signal: AbortSignal,
): Promise<ServerResponse> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    // A reused connection could be one whose certificate was not verified.
    keepalive: false,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
    ...(url.startsWith('https:') && {
      tls: trust === 'unverified' ? { rejectUnauthorized: false } : { ca: trust.ca },
    }),
    signal: signal,
  })
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return {
    status: response.status,
    text: await readText(response),
    retryAfter: retryAfter >= 0 ? retryAfter : undefined,
    serverTime: Date.parse(response.headers.get('date') ?? ''),
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_RESPONSE_BYTES) throw new Error(`the response is longer than ${MAX_RESPONSE_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
