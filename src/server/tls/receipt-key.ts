import { dirname, join, parse } from 'node:path'
import { AppError } from '../../base/index.ts'
import { isForReceipts, isSignedBy, type ReceiptKey } from '../../protocol/index.ts'
import { openRoot } from './authority.ts'
import { isPair, parseChain } from './certificate.ts'
import { type PairFiles, readCertFile, readKeyFile, recoverPair, writePair } from './pair-files.ts'

/** `ca.pem` → `ca.receipts.pem` in the same folder. */
function beside(path: string): string {
  const { name, ext } = parse(path)
  return join(dirname(path), `${name}.receipts${ext}`)
}

/**
 * Loads the key that signs receipts, which lies beside the root CA, or makes a new one if it is missing,
 * damaged or certified by another root. Receipts contain their certificate, so a lost key needs no backup.
 * @throws AppError `invalid`, `storage_full` or `unavailable` that names the file and the remedy.
 */
export async function openReceiptKey({
  rootFiles,
  now,
}: {
  rootFiles: PairFiles
  now: number
}): Promise<ReceiptKey> {
  const root = await openRoot({ files: rootFiles, mayCreate: false, now })
  const files = { cert: beside(rootFiles.cert), key: beside(rootFiles.key) }
  await recoverPair(files)
  const stored = {
    certPem: (await readCertFile(files.cert)) ?? '',
    keyPem: (await readKeyFile(files.key)) ?? '',
  }
  const [certificate] = parseChain(stored.certPem)
  if (
    certificate &&
    isPair(stored) &&
    isForReceipts(certificate) &&
    isSignedBy(certificate, root.certificate)
  )
    return { keyPem: stored.keyPem, certificate, root: root.certificate }
  if (root.keyPem === undefined) {
    const message = `there is no key for receipts, ${files.key}, and without the private key of the root CA, ${rootFiles.key}, the server cannot make one; install it`
    throw new AppError('invalid', message)
  }
  const { issueReceiptKey } = await import('./issue.ts')
  const issuer = { root: { certPem: root.certPem, keyPem: root.keyPem }, rootKeyFile: rootFiles.key, now }
  const made = await issueReceiptKey(issuer)
  await writePair(files, made)
  const [issued] = parseChain(made.certPem)
  if (!issued) throw new TypeError('the certificate library made no certificate')
  return { keyPem: made.keyPem, certificate: issued, root: root.certificate }
}
