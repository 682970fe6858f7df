import type { X509Certificate } from 'node:crypto'
import { AppError, type Clock, DAY_MS, type Log } from '../../base/index.ts'
import type { ReceiptKey } from '../../protocol/index.ts'
import { leadsToRoot, openRoot, type Root } from './authority.ts'
import { publicPart } from './certificate.ts'
import { type Leaf, openLeaf } from './leaf.ts'
import { type ServerNames, serverNames } from './names.ts'
import { openReceiptKey } from './receipt-key.ts'

/** Time before its expiry at which a certificate without automatic renewal is reported in the log. */
const LEAF_WARNING_MS = 14 * DAY_MS
const ROOT_WARNING_MS = 365 * DAY_MS
/** The same for a certificate between the root and that of the server. */
const ISSUER_WARNING_MS = 90 * DAY_MS

/** Paths of the four PEM files. */
export interface TlsFiles {
  caCert: string
  caKey: string
  cert: string
  key: string
}

/** Everything that a TLS port needs, as a consistent set. */
export interface TlsMaterial {
  /** Certificate of the root CA, as served at `/api/pub/root-ca.pem`. */
  caPem: string
  /** SHA-256 of the DER of the root as 64 lower-case hexadecimal digits, which drivers pin. */
  caFingerprint: string
  /** Private key of the server certificate. */
  keyPem: string
  /** Server certificate, followed by its intermediates if any. */
  certPem: string
  /** Expiry of the server certificate, in ms since the epoch. */
  notAfter: number
  /** End of the root CA or of a certificate below it, whichever comes first. */
  caNotAfter: number
}

/** The certificate of a running server. */
export interface CertificateStore {
  /** The certificate to serve now; a new object after each renewal. */
  readonly material: TlsMaterial
  /** Calls `listener` after each renewal; the returned function unsubscribes it. */
  onRenew(listener: (material: TlsMaterial) => void): () => void
  /**
   * Replaces a certificate of our own that is due, and loads one that an administrator has installed in the
   * meantime. Returns whether the material has changed. When it throws, the old material stays in use.
   * @throws AppError `invalid`, `storage_full` or `unavailable` that names the file and the remedy.
   */
  renewIfDue(): Promise<boolean>
  /**
   * The key that signs receipts, which is made at its first use.
   * @throws AppError `unavailable` (`no_receipt_key`); the log has the reason and the remedy.
   */
  receiptKey(): Promise<ReceiptKey>
}

interface CertificateStoreOptions {
  files: TlsFiles
  /** `--ip-addr`: IPv4 or IPv6. */
  ipAddr: string
  /** `--domain`, or empty. */
  domain: string
  clock: Clock
  log: Log
}

function materialOf(root: Root, leaf: Leaf): TlsMaterial {
  return {
    caPem: root.certPem,
    caFingerprint: root.fingerprint,
    // Without the leading mark, which only the file needs.
    keyPem: leaf.keyPem.slice(leaf.keyPem.indexOf('-----BEGIN')),
    certPem: publicPart(leaf.certPem),
    notAfter: leaf.chain[0]?.validToDate.getTime() ?? 0,
    caNotAfter: Math.min(endOf(root.certificate), ...leaf.chain.slice(1).map(endOf)),
  }
}

function endOf({ validToDate }: X509Certificate): number {
  return validToDate.getTime()
}

/** Warnings for the administrator about files that still work. */
function warningsOf(root: Root, leaf: Leaf, names: ServerNames, now: number): string[] {
  const end = leaf.chain[0]?.validToDate.getTime() ?? 0
  const publicIp = names.ips[0] ?? ''
  const checks: [boolean, string][] = [
    [
      root.keyPem === undefined,
      'the private key of the root CA is missing: the server cannot renew its certificate',
    ],
    [
      !leadsToRoot(leaf.chain, root.certificate),
      'the server certificate is not signed by the root CA: drivers will refuse it; store the certificate of its issuer in the root CA file',
    ],
    [
      leaf.chain[0]?.checkIP(publicIp) === undefined,
      'the server certificate does not contain the address of --ip-addr: drivers that connect to it will refuse it',
    ],
    [
      !leaf.isRenewed && end - now < LEAF_WARNING_MS,
      'the server certificate expires within 14 days and is not renewed automatically',
    ],
    [
      endOf(root.certificate) - now < ROOT_WARNING_MS,
      'the root CA expires within a year: plan its replacement, because every driver pins it',
    ],
    [
      endOf(root.certificate) - now < ISSUER_WARNING_MS,
      'the root CA expires within 90 days: replace it, and give every driver the new fingerprint',
    ],
    [
      leaf.chain.slice(1).some((issuer) => endOf(issuer) - now < ISSUER_WARNING_MS),
      'a certificate of the CA that has signed the server certificate expires within 90 days; renew it and the server certificate',
    ],
  ]
  return checks.filter(([applies]) => applies).map(([, text]) => text)
}

/**
 * Opens the certificate authority and the certificate of the server and creates missing ones.
 * @throws AppError `invalid` that names the flag or file, the problem and the remedy.
 */
export async function openCertificateStore(options: CertificateStoreOptions): Promise<CertificateStore> {
  const { files, clock } = options
  const log = options.log.child('tls')
  const names = serverNames(options)
  const rootFiles = { cert: files.caCert, key: files.caKey }
  const warned = new Set<string>()
  const listeners = new Set<(material: TlsMaterial) => void>()

  async function load(pinned: string | undefined): Promise<TlsMaterial> {
    const now = clock.now()
    const root = await openRoot({ files: rootFiles, mayCreate: pinned === undefined, now })
    if (pinned !== undefined && root.fingerprint !== pinned) {
      throw new AppError(
        'invalid',
        `Root CA ${files.caCert} was replaced while the server is running; restart the server and give every driver the new fingerprint`,
      )
    }
    if (root.isNew) log.info('root CA created', { file: files.caCert, fingerprint: root.fingerprint })
    const leaf = await openLeaf({ files, root, rootKeyFile: files.caKey, names, now })
    if (leaf.issuedBecause !== undefined) {
      const until = leaf.chain[0]?.validToDate.toISOString()
      log.info('server certificate created', { file: files.cert, reason: leaf.issuedBecause, until })
    }
    if (leaf.notRenewedBecause !== undefined) {
      log.error('server certificate not renewed', { reason: leaf.notRenewedBecause })
    }
    for (const warning of warningsOf(root, leaf, names, now)) {
      if (!warned.has(warning)) log.warn(warning, { root: files.caCert, certificate: files.cert })
      warned.add(warning)
    }
    return materialOf(root, leaf)
  }

  let material = await load(undefined)

  async function renew(): Promise<boolean> {
    const next = await load(material.caFingerprint)
    if (next.certPem === material.certPem && next.keyPem === material.keyPem) return false
    material = next
    for (const listener of listeners) {
      try {
        listener(material)
      } catch (error) {
        // A port that cannot reload must not prevent the others from using the new certificate.
        log.error('a port could not load the new certificate', { error })
      }
    }
    return true
  }

  async function loadReceiptKey(): Promise<ReceiptKey> {
    try {
      return await openReceiptKey({ rootFiles, now: clock.now() })
    } catch (error) {
      log.error('no key for receipts', { error })
      const message = 'The server has no key for receipts; its operator finds the reason in the log'
      throw new AppError('unavailable', message, { reason: 'no_receipt_key', cause: error })
    }
  }

  let running: Promise<boolean> | undefined
  let receiptKey: Promise<ReceiptKey> | undefined
  return {
    get material() {
      return material
    },
    onRenew(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    renewIfDue() {
      running ??= renew().finally(() => {
        running = undefined
      })
      return running
    },
    receiptKey() {
      receiptKey ??= loadReceiptKey().catch((error: unknown) => {
        receiptKey = undefined
        throw error
      })
      return receiptKey
    },
  }
}
