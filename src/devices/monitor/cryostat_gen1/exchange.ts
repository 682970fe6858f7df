import { X509Certificate } from 'node:crypto'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import { type Clock, messageOf, withTimeout } from '../../../base/index.ts'

interface ExchangeOptions {
  timeoutMs: number
  clock: Clock
  signal: AbortSignal
  lookup: LookupFunction
  /** Certificates (PEM) to trust instead of the public authorities. */
  pinned: string | undefined
}

/** Status and body of an answer, whatever the status. */
export interface Answer {
  status: number
  text: string
}

const ANSWER_BYTES_MAX = 1024 * 1024
/** How the runtime names what is wrong with a certificate: by OpenSSL's names for it. */
const BAD_CERTIFICATE = /CERT|SIGNATURE|INVALID_(CA|PURPOSE)/

/**
 * One GET: no redirect is followed, no proxy is used, and the answer has at most 1 MiB. Uses node:http because
 * `fetch` sends requests to a proxy of the environment and cannot be told which addresses of a name to use.
 * @throws Error whose message says why there is no complete answer, without the address, which may hold a key.
 */
export async function exchange(url: URL, options: ExchangeOptions): Promise<Answer> {
  const { clock, timeoutMs, signal } = options
  signal.throwIfAborted()
  const asked = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    agent: false,
    lookup: options.lookup,
    headers: { accept: 'application/json' },
    ...(options.pinned !== undefined && trustOnly(options.pinned)),
  })
  const answer = new Promise<Answer>((resolve, reject) => {
    asked.on('response', (response) => void readAnswer(response).then(resolve, reject))
    asked.on('error', (error) => reject(new Error(reasonOf(error))))
  })
  asked.end()
  try {
    return await withTimeout(answer, {
      ...{ clock, ms: timeoutMs, signal },
      onTimeout: () => {
        throw new Error(`timeout after ${timeoutMs / 1_000} s`)
      },
    })
  } finally {
    asked.destroy()
  }
}

/** TLS settings that accept a pinned certificate whatever its names, and what it signed for the right name. */
function trustOnly(pem: string) {
  const own = new Set(certificatesOf(pem).map(({ fingerprint256 }) => fingerprint256))
  return {
    ca: pem,
    // Also a certificate that is not self-signed, without the one that signed it.
    allowPartialTrustChain: true,
    checkServerIdentity: (...[host, certificate]: Parameters<typeof checkServerIdentity>) =>
      own.has(certificate.fingerprint256) ? undefined : checkServerIdentity(host, certificate),
  }
}

/** The certificates of a PEM file. @throws Error when there is none or one is malformed. */
export function certificatesOf(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new Error('it holds no certificate in PEM form')
  return blocks.map((block) => new X509Certificate(block))
}

function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (BAD_CERTIFICATE.test(code)) {
    return `the certificate is not trusted (${code}); name a file with it in SVC_CRYOSTAT_CA_FILE`
  }
  return code === 'ECONNRESET' ? 'the connection was lost' : messageOf(error)
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      bytes += chunk.length
      if (bytes > ANSWER_BYTES_MAX) break
      chunks.push(chunk)
    }
  } catch {
    throw new Error('the connection was lost')
  }
  if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`)
  if (!response.complete) throw new Error('the connection was lost')
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }
}
