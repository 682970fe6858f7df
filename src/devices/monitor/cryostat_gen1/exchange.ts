import { X509Certificate } from 'node:crypto'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import { type Clock, MIB, messageOf, withTimeout } from '../../../base/index.ts'

interface ExchangeOptions {
  timeoutMs: number
  clock: Clock
  signal: AbortSignal
  lookup: LookupFunction
  /** Certificates (PEM) to trust instead of the public authorities. */
  pinned: string | undefined
}

/** Status and body of a response, whatever the status. */
export interface HttpResponse {
  status: number
  text: string
}

const MAX_RESPONSE_BYTES = MIB
/** OpenSSL's error codes for certificates, which the runtime passes on. */
const BAD_CERTIFICATE = /CERT|SIGNATURE|INVALID_(CA|PURPOSE)/

/**
 * One GET request: it follows no redirect, uses no proxy and reads at most 1 MiB. Uses node:http because
 * `fetch` sends requests to a proxy of the environment and takes no `lookup` function.
 * @throws Error when there is no complete response; its message does not contain the address, which may hold
 *   a key.
 */
export async function exchange(url: URL, options: ExchangeOptions): Promise<HttpResponse> {
  const { clock, timeoutMs, signal } = options
  signal.throwIfAborted()
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    agent: false,
    lookup: options.lookup,
    headers: { accept: 'application/json' },
    ...(options.pinned !== undefined && trustOnly(options.pinned)),
  })
  const received = new Promise<HttpResponse>((resolve, reject) => {
    request.on('response', (response) => void readResponse(response).then(resolve, reject))
    request.on('error', (error) => reject(new Error(reasonOf(error))))
  })
  request.end()
  try {
    return await withTimeout(received, {
      clock,
      ms: timeoutMs,
      signal,
      onTimeout: () => {
        throw new Error(`timeout after ${timeoutMs / 1_000} s`)
      },
    })
  } finally {
    request.destroy()
  }
}

/**
 * TLS settings that accept a pinned certificate for any host, and certificates it signed for their own hosts.
 */
function trustOnly(pem: string) {
  const own = new Set(certificatesOf(pem).map(({ fingerprint256 }) => fingerprint256))
  return {
    ca: pem,
    // Accepts a pinned certificate that is not self-signed, without its issuer.
    allowPartialTrustChain: true,
    checkServerIdentity: (...[host, certificate]: Parameters<typeof checkServerIdentity>) =>
      own.has(certificate.fingerprint256) ? undefined : checkServerIdentity(host, certificate),
  }
}

/**
 * The certificates of a PEM file.
 * @throws Error when there is none or one is malformed.
 */
export function certificatesOf(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new Error('the file contains no certificate in PEM format')
  return blocks.map((block) => new X509Certificate(block))
}

function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (BAD_CERTIFICATE.test(code)) {
    return `the certificate is not trusted (${code}); name a file with it in SVC_CRYOSTAT_CA_FILE`
  }
  return code === 'ECONNRESET' ? 'the connection was lost' : messageOf(error)
}

async function readResponse(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      bytes += chunk.length
      if (bytes > MAX_RESPONSE_BYTES) break
      chunks.push(chunk)
    }
  } catch {
    throw new Error('the connection was lost')
  }
  if (bytes > MAX_RESPONSE_BYTES) throw new Error(`the response is longer than ${MAX_RESPONSE_BYTES} bytes`)
  if (!response.complete) throw new Error('the connection was lost')
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }
}
