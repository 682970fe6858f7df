import { constants } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'

/** Private key and certificate (or chain), both PEM. */
export interface TlsIdentity {
  key: string
  cert: string
}

/** Application protocol that a driver offers; a foreign client may offer none. */
export const ALPN = 'svc-zmtp/1'

/** Connections live long, so sessions are not resumed. */
export const NO_TICKETS = constants.SSL_OP_NO_TICKET

/** Fingerprint of the root certificate at the end of a verified peer's chain; undefined without one. */
export function rootFingerprint(socket: TLSSocket): string | undefined {
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true)
  // The root names itself as its issuer; the count only guards against a chain that never ends.
  for (let depth = 0; certificate && depth < 10; depth++) {
    const issuer: DetailedPeerCertificate | undefined = certificate.issuerCertificate
    if (!issuer || issuer.fingerprint256 === certificate.fingerprint256) break
    certificate = issuer
  }
  return certificate?.fingerprint256?.replaceAll(':', '').toLowerCase()
}
