import { AppError, type Clock, type Log } from '../../base/index.ts'
import { leadsToRoot, openRoot, type Root } from './authority.ts'
import { publicPart } from './certificate.ts'
import { type Leaf, openLeaf } from './leaf.ts'
import { type ServerNames, serverNames } from './names.ts'

const DAY_MS = 86_400_000
/** How long before its end a certificate that nobody renews by itself is mentioned in the log. */
const LEAF_WARNING_MS = 14 * DAY_MS
const ROOT_WARNING_MS = 365 * DAY_MS

/** Paths of the four PEM files. */
export interface TlsFiles {
  caCert: string
  caKey: string
  cert: string
  key: string
}

/** All a TLS port needs, as one consistent whole. */
export interface TlsMaterial {
  /** Certificate of the root CA, as served at `/api/pub/root-ca.pem`. */
  caPem: string
  /** SHA-256 of the root's DER as 64 lower-case hexadecimal digits: what drivers pin. */
  caFingerprint: string
  /** Private key of the server certificate. */
  keyPem: string
  /** Server certificate, followed by its intermediates if any. */
  certPem: string
  /** End of the server certificate, in ms since the epoch. */
  notAfter: number
}

/** The server's certificate for as long as the server lives. */
export interface CertificateStore {
  /** What to serve now; a new object after each renewal. */
  readonly material: TlsMaterial
  /** Calls `listener` after each renewal; the returned function ends that. */
  onRenew(listener: (material: TlsMaterial) => void): () => void
  /**
   * Replaces a certificate of our own that is due, and takes over one that an administrator has put in place
   * meanwhile. Returns whether the material changed. When it throws, the old material stays in use.
   * @throws AppError `invalid`, `storage_full` or `unavailable` naming the file and the remedy.
   */
  renewIfDue(): Promise<boolean>
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
    // Without the mark in front, which only the file needs.
    keyPem: leaf.keyPem.slice(leaf.keyPem.indexOf('-----BEGIN')),
    certPem: publicPart(leaf.certPem),
    notAfter: leaf.chain[0]?.validToDate.getTime() ?? 0,
  }
}

/** What an administrator should know about files that work today. */
function warningsOf(root: Root, leaf: Leaf, names: ServerNames, now: number): string[] {
  const end = leaf.chain[0]?.validToDate.getTime() ?? 0
  const publicIp = names.ips[0] ?? ''
  const found: [boolean, string][] = [
    [
      root.keyPem === undefined,
      'the private key of the root CA is absent: the server certificate is not renewed by the server',
    ],
    [
      !leadsToRoot(leaf.chain, root.certificate),
      'the server certificate is not signed by the root CA: drivers will refuse it; put the certificate of its issuer in the root CA file',
    ],
    [
      leaf.chain[0]?.checkIP(publicIp) === undefined,
      'the server certificate does not name the address of --ip-addr: drivers that connect to it will refuse it',
    ],
    [
      !leaf.isRenewed && end - now < LEAF_WARNING_MS,
      'the server certificate expires within 14 days and nobody renews it by itself',
    ],
    [
      root.certificate.validToDate.getTime() - now < ROOT_WARNING_MS,
      'the root CA expires within a year: plan its replacement, as every driver pins it',
    ],
  ]
  return found.filter(([applies]) => applies).map(([, text]) => text)
}

/**
 * Opens the server's certificate authority and certificate, making whatever is absent.
 * @throws AppError `invalid` naming the flag or file, what is wrong and the remedy.
 */
export async function openCertificateStore(options: CertificateStoreOptions): Promise<CertificateStore> {
  const { files, clock } = options
  const log = options.log.child('tls')
  const names = serverNames(options)
  const warned = new Set<string>()
  const listeners = new Set<(material: TlsMaterial) => void>()

  async function load(pinned: string | undefined): Promise<TlsMaterial> {
    const now = clock.now()
    const rootFiles = { cert: files.caCert, key: files.caKey }
    const root = await openRoot({ files: rootFiles, mayCreate: pinned === undefined, now })
    if (pinned !== undefined && root.fingerprint !== pinned) {
      throw new AppError(
        'invalid',
        `Root CA ${files.caCert} was replaced while the server runs; restart the server and give every driver the new fingerprint`,
      )
    }
    if (root.isNew) log.info('root CA made', { file: files.caCert, fingerprint: root.fingerprint })
    const leaf = await openLeaf({ files, root, rootKeyFile: files.caKey, names, now })
    if (leaf.issuedBecause !== undefined) {
      const until = leaf.chain[0]?.validToDate.toISOString()
      log.info('server certificate made', { file: files.cert, reason: leaf.issuedBecause, until })
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
        // One port that cannot reload must not keep the others on the old certificate.
        log.error('a port did not take the new certificate', { error })
      }
    }
    return true
  }

  let running: Promise<boolean> | undefined
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
  }
}
