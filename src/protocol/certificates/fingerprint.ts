import { timingSafeEqual, X509Certificate } from 'node:crypto'
import { AppError } from '../../base/index.ts'

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

function certificateOf(pem: string): X509Certificate {
  const found = pem.match(PEM_CERTIFICATE) ?? []
  const [only] = found
  if (found.length !== 1 || !only) {
    throw new AppError('invalid', `Expected exactly one PEM certificate, found ${found.length}`)
  }
  try {
    return new X509Certificate(only)
  } catch (cause) {
    throw new AppError('invalid', 'The certificate cannot be read: it is damaged', { cause })
  }
}

/**
 * SHA-256 of the certificate's DER encoding as 64 lower-case hexadecimal characters without colons.
 * @throws AppError `invalid` unless `pem` holds exactly one certificate and that is a CA certificate.
 */
export function fingerprintOf(pem: string): string {
  const certificate = certificateOf(pem)
  if (!certificate.ca) {
    throw new AppError('invalid', 'The certificate is not a CA certificate; pin the root certificate')
  }
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase()
}

/**
 * Normalizes a SHA-256 fingerprint written with or without colons, in any case, to 64 hexadecimal characters.
 * @throws AppError `invalid` when it is not a fingerprint.
 */
export function parseFingerprint(text: string): string {
  const trimmed = text.trim()
  const plain = /^([0-9a-f]{2}:){31}[0-9a-f]{2}$/i.test(trimmed) ? trimmed.replaceAll(':', '') : trimmed
  if (!/^[0-9a-f]{64}$/i.test(plain)) {
    throw new AppError(
      'invalid',
      `"${text}" is not a SHA-256 fingerprint; write its 32 bytes as 64 hexadecimal digits, with or without colons`,
    )
  }
  return plain.toLowerCase()
}

/**
 * Whether the only certificate in `pem` has the pinned fingerprint; compares digests of fixed length.
 * @throws AppError `invalid` when `pem` or `pinned` is malformed.
 */
export function fingerprintMatches(pem: string, pinned: string): boolean {
  const expected = Buffer.from(parseFingerprint(pinned), 'hex')
  return timingSafeEqual(Buffer.from(fingerprintOf(pem), 'hex'), expected)
}
