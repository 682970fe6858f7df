import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { AppError } from '../../../src/base/index.ts'
import {
  fingerprintMatches,
  fingerprintOf,
  parseFingerprint,
} from '../../../src/protocol/certificates/fingerprint.ts'
import { makeTestCertificates } from '../../support/sockets/certificates.ts'

const certificates = await makeTestCertificates()

function sha256OfDer(pem: string): string {
  const base64 = pem.replace(/-----[^-]+-----|\s/g, '')
  return createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex')
}

const withColons = (hex: string) => hex.replace(/..(?=.)/g, '$&:').toUpperCase()

describe('fingerprintOf()', () => {
  test('is the SHA-256 of the DER bytes in lower-case hexadecimal', () => {
    expect(fingerprintOf(certificates.caPem)).toBe(sha256OfDer(certificates.caPem))
  })

  test.each([
    ['no certificate', '', 'found 0'],
    ['two certificates', certificates.caPem + certificates.foreign.caPem, 'found 2'],
    ['a certificate that is not a CA', certificates.certPem, 'not a CA certificate'],
    [
      'a body that is not a certificate',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      'cannot be read',
    ],
  ])('refuses %s', (_name, pem, message) => {
    expect(() => fingerprintOf(pem)).toThrow(AppError)
    expect(() => fingerprintOf(pem)).toThrow(message)
  })
})

describe('fingerprintMatches()', () => {
  const pinned = fingerprintOf(certificates.caPem)

  test.each([
    ['plain', pinned],
    ['upper case', pinned.toUpperCase()],
    ['with colons', withColons(pinned)],
    ['with spaces around', `  ${withColons(pinned)}\n`],
  ])('accepts the same digest written %s', (_name, text) => {
    expect(fingerprintMatches(certificates.caPem, text)).toBe(true)
  })

  test('refuses a certificate of another CA with the same subject', () => {
    expect(fingerprintMatches(certificates.foreign.caPem, pinned)).toBe(false)
  })
})

describe('parseFingerprint()', () => {
  test.each(['', 'ab', `${'a'.repeat(63)}g`, 'a'.repeat(65), `${'aa:'.repeat(16)}${'aa'.repeat(16)}`])(
    'refuses %p and describes the form of a fingerprint',
    (text) => {
      expect(() => parseFingerprint(text)).toThrow('64 hexadecimal digits')
    },
  )
})
