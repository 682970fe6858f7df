/**
 * Receipts of jobs: signed documents that say what a job ran and what it returned. A receipt is a JSON web
 * signature (RFC 7515, flattened JSON serialization): its three texts are base64url, and the signature covers
 * the first two as they are written, so that nothing has to be brought into a canonical form.
 */
import { createPrivateKey, sign, verify, X509Certificate } from 'node:crypto'
import * as v from 'valibot'

/** `typ` of a receipt's header: nothing else that the same key might sign is one. */
const RECEIPT_TYPE = 'svc-receipt+jws'
/** Extended key usage that allows to sign documents (RFC 9336); a certificate of a TLS server has another. */
export const DOCUMENT_SIGNING = '1.3.6.1.5.5.7.3.36'

const base64url = v.pipe(v.string(), v.regex(/^[\w-]+$/, 'Expected base64url without padding'))

/** A receipt as it is sent and stored. */
export const receipt = v.pipe(
  v.strictObject({
    payload: v.pipe(base64url, v.description('The document as JSON, in base64url')),
    protected: v.pipe(base64url, v.description('Algorithm and certificates, in base64url')),
    signature: v.pipe(base64url, v.description('ES256 of `protected`.`payload`, in base64url')),
  }),
  v.title('JobReceipt'),
  v.description('JSON web signature (RFC 7515) of what a job ran and returned; `svc verify` checks it'),
)
export type Receipt = v.InferOutput<typeof receipt>

const header = v.strictObject({
  alg: v.literal('ES256'),
  typ: v.literal(RECEIPT_TYPE),
  /** Certificate of the key, then the root CA that has signed it, as DER in base64. */
  x5c: v.strictTuple([v.string(), v.string()]),
})

const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'Expected 64 hexadecimal digits'))

/** What a receipt says. Later versions may add to it. */
const receiptDocument = v.looseObject({
  format: v.literal(1),
  /** UTC text. */
  issued_at: v.string(),
  server_version: v.string(),
  /** The job as `GET /api/jobs/{id}` shows it, without program and results. */
  job: v.looseObject({ id: v.string(), status: v.string() }),
  /** Programs and options; null if they have more than 64 KiB. */
  payload: v.unknown(),
  /** Hashes of payload and results as JSON text without white space; null = there are none. */
  payload_sha256: v.nullable(sha256),
  results_sha256: v.nullable(sha256),
})
export type ReceiptDocument = v.InferOutput<typeof receiptDocument>

/** A P-256 key as PEM, its certificate, and the root CA that has signed it. */
export interface ReceiptKey {
  keyPem: string
  certificate: X509Certificate
  root: X509Certificate
}

/** Signs a document. */
export function signReceipt(document: ReceiptDocument, { keyPem, certificate, root }: ReceiptKey): Receipt {
  const x5c = [certificate, root].map(({ raw }) => raw.toString('base64'))
  const signed = {
    protected: encode(JSON.stringify({ alg: 'ES256', typ: RECEIPT_TYPE, x5c })),
    payload: encode(JSON.stringify(document)),
  }
  const key = { key: createPrivateKey(keyPem), dsaEncoding: 'ieee-p1363' } as const
  const signature = sign('sha256', signingInput(signed), key).toString('base64url')
  return { payload: signed.payload, protected: signed.protected, signature }
}

/** A receipt whose signature and certificates belong together. Who has signed it, its root says. */
export interface VerifiedReceipt {
  document: ReceiptDocument
  root: X509Certificate
}

/**
 * Checks a receipt as far as it goes by itself: that the document was signed by a key for documents that the
 * contained root CA had certified at that time. Whether that root is trusted is left to the caller.
 * @throws SyntaxError that says what does not fit.
 */
export function verifyReceipt({ payload, protected: head, signature }: Receipt): VerifiedReceipt {
  const { x5c } = checked(header, decode(head, 'protected'), 'its header')
  const [certificate, root] = x5c.map(certificateOf)
  if (!certificate || !root) throw new SyntaxError('its certificates are missing')
  if (!root.ca || !isSignedBy(root, root)) throw new SyntaxError('its root certificate is no root CA')
  if (!isSignedBy(certificate, root))
    throw new SyntaxError('the certificate of its key was not signed by its root CA')
  if (!isForReceipts(certificate)) throw new SyntaxError('the certificate of its key is not one for receipts')
  const key = { key: certificate.publicKey, dsaEncoding: 'ieee-p1363' } as const
  const input = signingInput({ protected: head, payload })
  if (!verify('sha256', input, key, bytesOf(signature, 'signature')))
    throw new SyntaxError('its signature is not that of this document')
  const document = checked(receiptDocument, decode(payload, 'payload'), 'its document')
  const issuedAt = Date.parse(document.issued_at)
  const { validFromDate: from, validToDate: to } = certificate
  if (!(issuedAt >= from.getTime() && issuedAt <= to.getTime()))
    throw new SyntaxError('the certificate of its key was not valid when it was signed')
  return { document, root }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function signingInput(signed: Pick<Receipt, 'payload' | 'protected'>): Buffer {
  return Buffer.from(`${signed.protected}.${signed.payload}`)
}

/** @throws SyntaxError for a text that is not base64url as it is written: a decoder ignores unused bits. */
function bytesOf(text: string, name: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new SyntaxError(`its ${name} is not base64url`)
  return bytes
}

function decode(text: string, name: string): unknown {
  return JSON.parse(bytesOf(text, name).toString())
}

function checked<S extends v.GenericSchema>(schema: S, value: unknown, name: string): v.InferOutput<S> {
  const { success, output, issues } = v.safeParse(schema, value, { abortEarly: true })
  if (success) return output
  const [issue] = issues
  const field = issue ? v.getDotPath(issue) : undefined
  throw new SyntaxError(`${name} is not that of a receipt: ${field ? `${field}: ` : ''}${issue?.message}`)
}

function certificateOf(base64: string): X509Certificate {
  const der = Buffer.from(base64, 'base64')
  if (der.toString('base64') !== base64) throw new SyntaxError('its certificates are not base64')
  try {
    return new X509Certificate(der)
  } catch {
    throw new SyntaxError('its certificates are damaged')
  }
}

/** The name in certificates of keys for receipts: the root CA of a site may have others for documents. */
export const RECEIPT_KEY_NAME = 'svc receipts'

/** Whether the key of a certificate may sign receipts: ES256 is over P-256 (RFC 7518, section 3.4). */
export function isForReceipts({ ca, keyUsage, subject, publicKey }: X509Certificate): boolean {
  return (
    !ca &&
    keyUsage?.includes(DOCUMENT_SIGNING) === true &&
    subject.split('\n').includes(`CN=${RECEIPT_KEY_NAME}`) &&
    publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  )
}

/** Whether `issuer` has signed `certificate`, by name and by signature. */
export function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}
