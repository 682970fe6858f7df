import type { X509Certificate } from 'node:crypto'
import { AppError } from '../../base/index.ts'
import { fingerprintOf, isSignedBy } from '../../protocol/index.ts'
import { type CertifiedKey, isPair, parseChain, publicPart } from './certificate.ts'
import { type PairFiles, readCertFile, readKeyFile, recoverPair, writePair } from './pair-files.ts'

/** The root CA, loaded or created; `keyPem` is absent when only its certificate exists. */
export interface Root {
  certPem: string
  keyPem: string | undefined
  certificate: X509Certificate
  /** SHA-256 of the DER of the certificate as 64 lower-case hexadecimal digits, which drivers pin. */
  fingerprint: string
}

const NEW_ROOT_REMEDY =
  'restore it from a backup, or remove both root CA files so that the server creates a new root; every driver then needs the new fingerprint'

function refuse(file: string, problem: string): never {
  throw new AppError('invalid', `Root CA ${file} ${problem}; ${NEW_ROOT_REMEDY}`)
}

function parseRoot(certPem: string, file: string): X509Certificate {
  const [certificate, ...others] = parseChain(certPem)
  if (!certificate) refuse(file, 'cannot be read as a PEM certificate')
  if (others.length > 0) {
    throw new AppError(
      'invalid',
      `Root CA ${file} contains ${others.length + 1} certificates, but drivers pin exactly one; keep only the root in this file`,
    )
  }
  return certificate
}

function checkRoot(certificate: X509Certificate, file: string, now: number): void {
  if (!certificate.ca) refuse(file, 'is not a CA certificate (CA:TRUE is missing)')
  if (now >= certificate.validToDate.getTime()) {
    refuse(file, `expired at ${certificate.validToDate.toISOString()}`)
  }
  if (now < certificate.validFromDate.getTime()) {
    throw new AppError(
      'invalid',
      `Root CA ${file} is valid only from ${certificate.validFromDate.toISOString()}; correct the clock of this machine`,
    )
  }
}

/**
 * Loads the root CA, or creates it when there is none and `mayCreate` is set.
 * @throws AppError `invalid` that names the file and the remedy.
 */
export async function openRoot(options: {
  files: PairFiles
  mayCreate: boolean
  now: number
}): Promise<Root & { isNew: boolean }> {
  const { files, now } = options
  await recoverPair(files)
  const found = { certPem: await readCertFile(files.cert), keyPem: await readKeyFile(files.key) }
  if (found.certPem === undefined && found.keyPem !== undefined) refuse(files.cert, 'is missing')
  const isNew = found.certPem === undefined && options.mayCreate
  let made: CertifiedKey | undefined
  if (isNew) {
    // Loading the certificate library takes a tenth of a start that does not need it.
    const { createRoot } = await import('./issue.ts')
    made = await createRoot(now)
    await writePair(files, made)
  }
  const { certPem, keyPem } = made ?? found
  if (certPem === undefined) refuse(files.cert, 'is missing')
  const certificate = parseRoot(certPem, files.cert)
  checkRoot(certificate, files.cert, now)
  if (keyPem !== undefined && !isPair({ certPem, keyPem })) {
    refuse(files.key, `is damaged, encrypted or does not belong to ${files.cert}`)
  }
  return {
    certPem: publicPart(certPem),
    keyPem,
    certificate,
    fingerprint: fingerprintOf(publicPart(certPem)),
    isNew,
  }
}

/** Whether each certificate of the chain, leaf first, is signed by the next one, up to the root. */
export function leadsToRoot(chain: X509Certificate[], root: X509Certificate): boolean {
  return chain.some(
    (certificate, at) =>
      isSignedBy(certificate, root) &&
      chain.slice(0, at).every((each, index) => {
        const next = chain[index + 1]
        return next !== undefined && isSignedBy(each, next)
      }),
  )
}
