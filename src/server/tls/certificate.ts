import { createPrivateKey, X509Certificate } from 'node:crypto'
import { canonicalIp, type ServerNames } from './names.ts'

/** The organization in every certificate made here. */
export const ORGANIZATION = 'svc'
/** Name of each root; a part of its key id follows. */
export const ROOT_NAME = 'svc root CA'

/** First line of every private key written here; PEM readers skip it. */
export const KEY_MARK =
  '# Made by svc, which also replaces it; put your own key and certificate here to stop that'

/** A certificate and its private key as PEM text. */
export interface CertifiedKey {
  certPem: string
  keyPem: string
}

/** The addresses and host names of a certificate; undefined when it contains names of other types. */
export function namesOf({ subjectAltName }: X509Certificate): ServerNames | undefined {
  const ips: string[] = []
  const hosts: string[] = []
  for (const name of subjectAltName?.split(', ') ?? []) {
    const [, type, value = ''] = /^(DNS|IP Address):([^"]+)$/.exec(name) ?? []
    if (type === 'DNS') hosts.push(value.toLowerCase())
    else if (type === 'IP Address') ips.push(canonicalIp(value) ?? value)
    else return undefined
  }
  return { ips, hosts }
}

/**
 * Whether the issuer has the name that `createRoot` gives to each root, of this installation or an earlier
 * one.
 */
export function isIssuedByOwnKind({ issuer }: X509Certificate): boolean {
  const fields = issuer.split('\n')
  return fields.includes(`O=${ORGANIZATION}`) && fields.some((each) => each.startsWith(`CN=${ROOT_NAME} `))
}

function blocksOf(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
}

/** Only the certificates of a PEM text, because the file may also contain the private key. */
export function publicPart(pem: string): string {
  return blocksOf(pem)
    .map((block) => `${block}\n`)
    .join('')
}

/** The certificates of a PEM text in order, without other text; empty when one is damaged. */
export function parseChain(pem: string): X509Certificate[] {
  try {
    return blocksOf(pem).map((block) => new X509Certificate(block))
  } catch {
    return []
  }
}

/** Whether the first certificate belongs to the private key; false when either is damaged or encrypted. */
export function isPair({ certPem, keyPem }: CertifiedKey): boolean {
  try {
    return parseChain(certPem)[0]?.checkPrivateKey(createPrivateKey(keyPem)) ?? false
  } catch {
    return false
  }
}
