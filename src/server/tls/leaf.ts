import type { X509Certificate } from 'node:crypto'
import { AppError } from '../../base/index.ts'
import { isSignedBy } from '../../protocol/index.ts'
import type { Root } from './authority.ts'
import { type CertifiedKey, isIssuedByOwnKind, isPair, KEY_MARK, namesOf, parseChain } from './certificate.ts'
import { type ServerNames, sameNames } from './names.ts'
import { type PairFiles, readCertFile, readKeyFile, recoverPair, writePair } from './pair-files.ts'
import { type LeafProperties, type LeafState, planLeaf } from './plan.ts'

/** The server certificate ready to serve. */
export interface Leaf extends CertifiedKey {
  /** Leaf first, then the intermediates that were in the file. */
  chain: X509Certificate[]
  /** Whether the server renews it automatically. */
  isRenewed: boolean
  /** Why it was created just now; undefined when it existed already. */
  issuedBecause: string | undefined
  /** Why it could not be renewed although it is due; it is still valid. */
  notRenewedBecause?: string
}

function keyState(keyPem: string): LeafState['key'] {
  if (keyPem === '') return 'missing'
  if (keyPem.startsWith(KEY_MARK)) return 'made'
  return keyPem.includes('-----BEGIN') ? 'given' : 'unreadable'
}

/** Whether a client that connects to the public address, or to the domain, accepts the certificate. */
function covers(certificate: X509Certificate, { ips, hosts }: ServerNames): boolean {
  const publicIp = ips[0]
  const domains = hosts.filter((host) => host !== 'localhost')
  return (
    (publicIp !== undefined && certificate.checkIP(publicIp) !== undefined) ||
    domains.some((host) => certificate.checkHost(host) !== undefined)
  )
}

function propertiesOf(
  certificate: X509Certificate,
  found: CertifiedKey,
  root: Root,
  names: ServerNames,
): LeafProperties {
  const isByRoot = isSignedBy(certificate, root.certificate)
  const certifiedNames = namesOf(certificate)
  return {
    isByRoot,
    isByOwnKind: isByRoot || isIssuedByOwnKind(certificate),
    isPaired: isPair(found),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    hasExactNames: certifiedNames !== undefined && sameNames(certifiedNames, names),
    isCovering: covers(certificate, names),
  }
}

function refusal(files: PairFiles, file: 'cert' | 'key', problem: string, root: Root): AppError {
  const what = file === 'cert' ? `TLS certificate ${files.cert}` : `TLS private key ${files.key}`
  const remedy =
    root.keyPem === undefined
      ? 'install a valid certificate and its key, or the private key of the root CA so that the server creates its own'
      : `install a valid certificate and its key, or remove ${files.cert} and ${files.key} so that the server creates its own`
  return new AppError('invalid', `${what} ${problem}; ${remedy}`)
}

interface LeafOptions {
  files: PairFiles
  root: Root
  rootKeyFile: string
  names: ServerNames
  now: number
}

async function issue({ files, root, ...rest }: LeafOptions, reason: string): Promise<Leaf> {
  if (root.keyPem === undefined) throw new TypeError('planLeaf() requires a certificate without a root key')
  const signer = { certPem: root.certPem, keyPem: root.keyPem }
  const { issueLeaf } = await import('./issue.ts')
  const made = await issueLeaf({ root: signer, ...rest })
  await writePair(files, made)
  return { ...made, chain: parseChain(made.certPem), isRenewed: true, issuedBecause: reason }
}

/**
 * Loads the server certificate and renews it if `planLeaf` decides so.
 * @throws AppError `invalid` that names the file and the remedy.
 */
export async function openLeaf(options: LeafOptions): Promise<Leaf> {
  const { files, root, names, now } = options
  const canIssue = root.keyPem !== undefined
  await recoverPair(files)
  const certPem = (await readCertFile(files.cert)) ?? ''
  const keyPem = (await readKeyFile(files.key)) ?? ''
  const chain = parseChain(certPem)
  const properties = chain[0] && propertiesOf(chain[0], { certPem, keyPem }, root, names)
  const key = keyState(keyPem)
  const plan = planLeaf({
    cert: properties ?? (certPem === '' ? 'missing' : 'unreadable'),
    key,
    canIssue,
    now,
  })
  if (plan.action === 'refuse') throw refusal(files, plan.file, plan.problem, root)
  if (plan.action === 'issue') {
    return issue(options, plan.reason).catch((error: unknown) => {
      const isUsable = properties?.isPaired === true && properties.notAfter > now
      if (!isUsable || !(error instanceof AppError) || error.code !== 'storage_full') throw error
      const old = { certPem, keyPem, chain, isRenewed: true, issuedBecause: undefined }
      return { ...old, notRenewedBecause: error.message }
    })
  }
  const isRenewed = canIssue && key === 'made' && properties?.isByOwnKind === true
  return { certPem, keyPem, chain, isRenewed, issuedBecause: undefined }
}
