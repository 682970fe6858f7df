// The certificate library reads decorator metadata while it loads, so this import comes first.
import 'reflect-metadata'

import { createPrivateKey } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { AppError, DAY_MS, HOUR_MS, randomBytes } from '../../base/index.ts'
import { DOCUMENT_SIGNING, RECEIPT_KEY_NAME } from '../../protocol/index.ts'
import { type CertifiedKey, KEY_MARK, ORGANIZATION, ROOT_NAME } from './certificate.ts'
import type { ServerNames } from './names.ts'

/** A new certificate is also accepted by clients whose clock is behind by less than this. */
const BACKDATE_MS = HOUR_MS
const LEAF_LIFE_MS = 7 * DAY_MS
const ROOT_LIFE_YEARS = 10
const P256 = { name: 'ECDSA', namedCurve: 'P-256' }

interface SigningKey {
  key: CryptoKey
  algorithm: EcdsaParams | Algorithm
}

/** 127 random bits: positive in DER and unique, as required by RFC 5280 §4.1.2.2. */
function newSerial(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return Buffer.from(bytes).toString('hex')
}

/** Times in certificates are whole seconds; rounded down, text and comparison agree. */
function wholeSeconds(ms: number): Date {
  return new Date(Math.floor(ms / 1000) * 1000)
}

async function keyToPem(key: CryptoKey): Promise<string> {
  const der = await crypto.subtle.exportKey('pkcs8', key)
  return `${KEY_MARK}\n${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n`
}

function newKeyPair(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(P256, true, ['sign', 'verify'])
}

/** Creates a self-signed root (ECDSA P-256, valid for 10 years, may sign leaves only). */
export async function createRoot(now: number): Promise<CertifiedKey> {
  const keys = await newKeyPair()
  const keyId = await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)
  const end = wholeSeconds(now)
  end.setUTCFullYear(end.getUTCFullYear() + ROOT_LIFE_YEARS)
  // The name contains a part of the key id, so that browsers list the roots of two servers under different
  // names.
  const name = [{ CN: [`${ROOT_NAME} ${keyId.keyId.slice(0, 8)}`] }, { O: [ORGANIZATION] }]
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    serialNumber: newSerial(),
    notBefore: wholeSeconds(now - BACKDATE_MS),
    notAfter: end,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      keyId,
    ],
  })
  return { certPem: `${cert.toString('pem')}\n`, keyPem: await keyToPem(keys.privateKey) }
}

async function signingKey(keyPem: string, keyFile: string): Promise<SigningKey> {
  const key = createPrivateKey(keyPem)
  const der = new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }))
  const curve = key.asymmetricKeyDetails?.namedCurve
  const kinds: Record<string, [EcKeyImportParams | RsaHashedImportParams, EcdsaParams | Algorithm]> = {
    prime256v1: [P256, { name: 'ECDSA', hash: 'SHA-256' }],
    secp384r1: [
      { name: 'ECDSA', namedCurve: 'P-384' },
      { name: 'ECDSA', hash: 'SHA-384' },
    ],
    rsa: [{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, { name: 'RSASSA-PKCS1-v1_5' }],
  }
  const kind = kinds[curve ?? key.asymmetricKeyType ?? '']
  if (!kind) {
    throw new AppError(
      'invalid',
      `Root CA key ${keyFile} has a type that the server cannot sign with (${curve ?? key.asymmetricKeyType}); use ECDSA P-256, ECDSA P-384 or RSA`,
    )
  }
  return { key: await crypto.subtle.importKey('pkcs8', der, kind[0], false, ['sign']), algorithm: kind[1] }
}

/** A root that issues certificates, and the file of its key for messages. */
interface Issuer {
  root: CertifiedKey
  rootKeyFile: string
  now: number
}

/**
 * Issues a server certificate with a new ECDSA P-256 key, signed by the root. It is valid for 7 days, but not
 * longer than the root.
 * @throws AppError `invalid` when the key of the root has an unsupported type.
 */
export function issueLeaf({ names, ...issuer }: Issuer & { names: ServerNames }): Promise<CertifiedKey> {
  return issue(issuer, {
    name: 'svc server',
    lifeMs: LEAF_LIFE_MS,
    extensions: [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.ips.map((value) => ({ type: 'ip' as const, value })),
        ...names.hosts.map((value) => ({ type: 'dns' as const, value })),
      ]),
    ],
  })
}

/**
 * Issues a certificate with a new ECDSA P-256 key that signs receipts, and nothing else. It is valid as long
 * as the root.
 * @throws as `issueLeaf`.
 */
export function issueReceiptKey(issuer: Issuer): Promise<CertifiedKey> {
  const extensions = [new x509.ExtendedKeyUsageExtension([DOCUMENT_SIGNING])]
  return issue(issuer, { name: RECEIPT_KEY_NAME, lifeMs: Number.POSITIVE_INFINITY, extensions })
}

async function issue(
  { root, rootKeyFile, now }: Issuer,
  { name, lifeMs, extensions }: { name: string; lifeMs: number; extensions: x509.Extension[] },
): Promise<CertifiedKey> {
  const issuer = new x509.X509Certificate(root.certPem)
  const signer = await signingKey(root.keyPem, rootKeyFile)
  const keys = await newKeyPair()
  const cert = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [name] }, { O: [ORGANIZATION] }],
    issuer: issuer.subjectName,
    serialNumber: newSerial(),
    notBefore: wholeSeconds(now - BACKDATE_MS),
    notAfter: wholeSeconds(Math.min(now + lifeMs, issuer.notAfter.getTime())),
    publicKey: keys.publicKey,
    signingKey: signer.key,
    signingAlgorithm: signer.algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      ...extensions,
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return { certPem: `${cert.toString('pem')}\n`, keyPem: await keyToPem(keys.privateKey) }
}
