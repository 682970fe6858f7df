import 'reflect-metadata'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** A certificate with its private key (PKCS #8), both PEM: what a TLS server takes. */
export interface KeyedCertificate {
  keyPem: string
  certPem: string
}

/** A root CA, certificates it signed, and the variants a client has to refuse. */
export interface TestCertificates extends KeyedCertificate {
  caPem: string
  caKeyPem: string
  /** Signed by the same CA, but a second key pair: for renewals. */
  renewed: KeyedCertificate
  /** Signed by the same CA for other addresses (`192.0.2.1`, `elsewhere.test`). */
  wrongName: KeyedCertificate
  /** Signed by the same CA, out of date since yesterday. */
  expired: KeyedCertificate
  /** Another CA with the same subject name, and a certificate of it for the right addresses. */
  foreign: KeyedCertificate & { caPem: string }
}

interface Names {
  ips?: string[]
  dns?: string[]
}

interface Authority {
  keys: CryptoKeyPair
  certificate: X509Certificate
}

const KEY = { name: 'ECDSA', namedCurve: 'P-256' }
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' }
const DAY_MS = 86_400_000
const SUBJECT = 'CN=svc test root'

let serial = 0

function nextSerial(): string {
  serial += 1
  return (0x10_00_00 + serial).toString(16).padStart(8, '0')
}

function newKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(KEY, true, ['sign', 'verify'])
}

async function keyPemOf(key: CryptoKey): Promise<string> {
  return PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}

async function makeAuthority(): Promise<Authority> {
  const keys = await newKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: nextSerial(),
    name: SUBJECT,
    notBefore: new Date(Date.now() - 2 * DAY_MS),
    notAfter: new Date(Date.now() + 30 * DAY_MS),
    signingAlgorithm: SIGNING,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { keys, certificate }
}

async function issue(authority: Authority, names: Names, notAfterMs: number): Promise<KeyedCertificate> {
  const keys = await newKeys()
  const certificate = await X509CertificateGenerator.create({
    serialNumber: nextSerial(),
    subject: 'CN=svc test server',
    issuer: authority.certificate.subject,
    notBefore: new Date(Date.now() - 2 * DAY_MS),
    notAfter: new Date(notAfterMs),
    signingAlgorithm: SIGNING,
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...(names.ips ?? []).map((value) => ({ type: 'ip' as const, value })),
        ...(names.dns ?? []).map((value) => ({ type: 'dns' as const, value })),
      ]),
      await AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { keyPem: await keyPemOf(keys.privateKey), certPem: certificate.toString('pem') }
}

/**
 * Makes a fresh CA and a certificate for the given addresses (default `127.0.0.1`), plus the bad variants.
 */
export async function makeTestCertificates(names: Names = { ips: ['127.0.0.1'] }): Promise<TestCertificates> {
  const [authority, foreign] = await Promise.all([makeAuthority(), makeAuthority()])
  const nextMonth = Date.now() + 30 * DAY_MS
  const elsewhere = { ips: ['192.0.2.1'], dns: ['elsewhere.test'] }
  const [own, renewed, wrongName, expired, foreignOwn, caKeyPem] = await Promise.all([
    issue(authority, names, nextMonth),
    issue(authority, names, nextMonth),
    issue(authority, elsewhere, nextMonth),
    issue(authority, names, Date.now() - DAY_MS),
    issue(foreign, names, nextMonth),
    keyPemOf(authority.keys.privateKey),
  ])
  return {
    ...own,
    caPem: authority.certificate.toString('pem'),
    caKeyPem,
    renewed,
    wrongName,
    expired,
    foreign: { ...foreignOwn, caPem: foreign.certificate.toString('pem') },
  }
}
