import { existsSync, readFileSync, statSync } from 'node:fs'
import * as v from 'valibot'
import { savedAccount } from '../../../clients/js/src/accounts.ts'
import { isObject, MIB, messageOf, sha256 } from '../../base/index.ts'
import {
  fingerprintOf,
  parseFingerprint,
  type Receipt,
  type ReceiptDocument,
  receipt,
  verifyReceipt,
} from '../../protocol/index.ts'
import { asUsage } from '../client/connection.ts'
import { fields } from '../client/output.ts'
import { ExitError, UsageError } from '../command-line/usage-error.ts'

/** Longer files are no receipts, which have programs of at most 64 KiB. */
const MAX_RECEIPT_BYTES = 16 * MIB
/** Results are flat; JSON text that is deep enough exhausts the stack after seconds. */
const MAX_DEPTH = 100
const FIELDS = Object.keys(receipt.entries)

/** What `svc verify` has checked of a receipt. */
interface VerifiedJobReceipt {
  receipt: ReceiptDocument
  /** SHA-256 of the root CA that vouches for it. */
  ca_fingerprint: string
  /** Why that root is the trusted one. */
  trusted_by: string
  /** File whose results are those of the receipt; null = none was given. */
  result: string | null
}

/**
 * The receipt in a file; undefined for a folder, a missing file, and everything without two of the fields
 * of a receipt, one of which may be damaged.
 * @throws ExitError 1 for a receipt that is not JSON any more.
 */
export function findReceipt(path: string): object | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file?.isFile() || file.size > MAX_RECEIPT_BYTES) return undefined
  const text = readFileSync(path, 'latin1')
  if (FIELDS.filter((name) => text.includes(`"${name}"`)).length < 2) return undefined
  const content = explained(path, () => JSON.parse(text) as unknown)
  return isObject(content) && FIELDS.filter((name) => name in content).length >= 2 ? content : undefined
}

/**
 * Checks the signature, that the trusted root CA vouches for its key, and whether results are those of the
 * job.
 *
 * @throws ExitError 1 that says what does not fit; UsageError if no root is trusted.
 */
export function verifyJobReceipt(
  path: string,
  content: object,
  {
    ca,
    profile,
    result,
  }: { ca?: string | undefined; profile?: string | undefined; result?: string | undefined },
): VerifiedJobReceipt {
  const trusted = trustedRoot(ca, profile)
  const { document, root } = explained(path, () => verifyReceipt(receiptOf(content)))
  const fingerprint = root.fingerprint256.replaceAll(':', '').toLowerCase()
  if (fingerprint !== trusted.fingerprint)
    throw new ExitError(
      1,
      `${path}: it is by the root CA ${fingerprint}, not by ${trusted.fingerprint} (${trusted.by})`,
    )
  if (result !== undefined) assertResults(result, document)
  return { receipt: document, ca_fingerprint: fingerprint, trusted_by: trusted.by, result: result ?? null }
}

/** Prints what was checked and what was not, and the main facts of the receipt. */
export function printReceipt({ receipt: document, ...checked }: VerifiedJobReceipt): void {
  const { job, issued_at, server_version, results_sha256 } = document
  const text = (name: string) => String(job[name] ?? '')
  const charge = text('charged_seconds')
  const results = checked.result ?? (results_sha256 ? 'not checked; give their file with --result' : 'none')
  const lines = fields({
    Job: `${job.id}, ${job.status}`,
    Submitted: text('created'),
    Ended: text('finished_at'),
    Charged: charge === '' ? '' : `${charge} s of QPU time`,
    'SHA-256 of its program': text('program_sha256'),
    'SHA-256 of its results': results_sha256 ?? '',
    'Signed by the server': `${issued_at}, version ${server_version}`,
    'Signature and document': 'OK',
    'Certificate by root CA': `OK: ${checked.ca_fingerprint} (${checked.trusted_by})`,
    Results: checked.result === null ? results : `OK: ${results}`,
  })
  console.log(lines.join('\n'))
}

/** The root CA that is trusted, and who says so. */
function trustedRoot(
  ca: string | undefined,
  profile: string | undefined,
): { fingerprint: string; by: string } {
  if (ca !== undefined) {
    const isFile = existsSync(ca)
    try {
      const fingerprint = isFile ? fingerprintOf(readFileSync(ca, 'utf8')) : parseFingerprint(ca)
      return { fingerprint, by: isFile ? ca : '--ca' }
    } catch (error) {
      throw new UsageError(`--ca ${ca}: ${messageOf(error)}`)
    }
  }
  const name = profile ?? (process.env['SVC_PROFILE'] || 'default')
  const pinned = asUsage(() => savedAccount(name, profile !== undefined))?.ca_fingerprint
  if (pinned !== undefined) return { fingerprint: parseFingerprint(pinned), by: `profile ${name}` }
  throw new UsageError(
    `no root CA to trust: give the file or fingerprint of the server's with --ca, or log in with svc login; profile ${name} has none`,
  )
}

function receiptOf(content: object): Receipt {
  const { success, output, issues } = v.safeParse(receipt, content, { abortEarly: true })
  if (success) return output
  const [issue] = issues
  throw new SyntaxError(`it is not a receipt: ${issue && v.getDotPath(issue)}: ${issue?.message}`)
}

/**
 * Asserts that a file has the results of a receipt, alone or in a job; only their formatting may differ.
 */
function assertResults(path: string, { results_sha256: expected }: ReceiptDocument): void {
  if (!existsSync(path)) throw new UsageError(`there is no ${path}`)
  const content: unknown = explained(path, () => parseFlat(readFileSync(path, 'utf8')))
  const candidates = [content, ...(isObject(content) ? [content['results']] : [])]
  const hashes = candidates.map((value) => sha256(JSON.stringify(value ?? null)))
  if (expected !== null && hashes.includes(expected)) return
  throw new ExitError(1, `${path}: these are not the results of the receipt, whose SHA-256 is ${expected}`)
}

/** @throws SyntaxError for a text that is not JSON, or nested deeper than results are. */
function parseFlat(text: string): unknown {
  let depth = 0
  let isInText = false
  for (const [sign] of text.matchAll(/\\.|["[\]{}]/gs)) {
    if (sign === '"') isInText = !isInText
    if (!isInText && /[[{]/.test(sign)) depth += 1
    if (!isInText && /[\]}]/.test(sign)) depth -= 1
    if (depth > MAX_DEPTH)
      throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH} levels, as no results are`)
  }
  return JSON.parse(text)
}

function explained<T>(path: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ExitError(1, `${path}: ${error.message}`)
    throw error
  }
}
