import { assertEncrypted } from '../../../clients/js/src/credentials.ts'
import type { Fetch } from '../../../clients/js/src/index.ts'
import { fingerprintMatches } from '../../protocol/index.ts'
import { ExitError } from '../command-line/usage-error.ts'

/** Exit status of a server that is not the one expected, as EX_NOPERM of sysexits(3). */
const NOT_TRUSTED = 77

/**
 * A `fetch` that trusts nothing but the root CA with this SHA-256 fingerprint. The server offers the CA
 * itself; it is compared before anything else is sent.
 *
 * @param addresses of the server, one or several separated by commas.
 * @throws TypeError for an address of plain HTTP.
 * @throws ExitError 77 from each request to a server with another CA.
 */
export function trustingFetch(addresses: string | readonly string[], fingerprint: string): Fetch {
  assertEncrypted(addresses, fingerprint)
  const authorities = new Map<string, string>()
  return async (input, init) => {
    const { origin } = new URL(input)
    const known = authorities.get(origin)
    const ca = known ?? (await obtainAuthority(origin, fingerprint, init.signal ?? undefined))
    authorities.set(origin, ca)
    return fetch(input, { ...init, tls: { ca } })
  }
}

async function obtainAuthority(origin: string, fingerprint: string, signal?: AbortSignal): Promise<string> {
  const response = await fetch(`${origin}/api/pub/root-ca.pem`, {
    redirect: 'manual',
    keepalive: false,
    tls: { rejectUnauthorized: false },
    ...(signal && { signal }),
  })
  // A proxy of a server that restarts, for example: it may respond later.
  if (response.status === 429 || response.status >= 500)
    throw new Error(`${origin} responded ${response.status} when it was asked for its root CA`)
  const pem = response.ok ? await response.text() : ''
  if (isMatch(pem, fingerprint)) return pem
  const error = new ExitError(
    NOT_TRUSTED,
    `the server at ${origin} has another root CA than the fingerprint names; nothing was sent to it`,
  )
  // The code that makes the client stop trying.
  throw Object.assign(error, { code: 'CERT_NOT_PINNED' })
}

function isMatch(pem: string, fingerprint: string): boolean {
  try {
    return fingerprintMatches(pem, fingerprint)
  } catch {
    return false
  }
}
