import { createHash, createPublicKey, verify } from 'node:crypto'

/*
 * Signatures of minisign, https://jedisct1.github.io/minisign/ ("Signature format", "Public key format"):
 * Ed25519 over the BLAKE2b-512 hash of the file, and a second one over the first with the trusted comment.
 */

const KEY_ID = 8
const PUBLIC_KEY = 32
const SIGNATURE = 64
/** Bytes of Ed25519 keys in the form SPKI before the 32 of the key (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** A public key with which releases are signed. */
export interface PublicKey {
  /** Id of the pair of keys, hexadecimal, as minisign prints it. */
  readonly id: string
  readonly bytes: Buffer
}

/**
 * Reads a public key: a line in base64, or the file of minisign with its comment before it.
 *
 * @throws SyntaxError for another text.
 */
export function readPublicKey(text: string): PublicKey {
  const line = text.trim().split('\n').at(-1) ?? ''
  const bytes = decode(line, 'Ed', KEY_ID + PUBLIC_KEY)
  if (!bytes) throw new SyntaxError('not a public key of minisign, which begins with RW')
  return { id: idOf(bytes), bytes: bytes.subarray(KEY_ID) }
}

/** What a signature says about a file, once it is checked. */
export interface Signed {
  /** Text that the signature covers, such as `svc 2026.12.0`. */
  readonly comment: string
  readonly key: PublicKey
}

/**
 * Checks the signature of `content` by one of `keys`.
 *
 * @param signature the text of a `.minisig` file.
 * @throws SyntaxError with the reason if it is no signature, by another key, or of something else.
 */
export function checkSignature(
  content: Uint8Array,
  { signature, keys }: { signature: string; keys: readonly PublicKey[] },
): Signed {
  const [, first = '', commentLine = '', second = '', ...rest] = signature.split('\n')
  const signed = decode(first, 'ED', KEY_ID + SIGNATURE)
  const over = bytesOf(second)
  const comment = /^trusted comment: (.*)$/.exec(commentLine)?.[1]
  if (!signed || over.length !== SIGNATURE || comment === undefined || rest.join('') !== '')
    throw new SyntaxError('it is not a signature of minisign')
  const key = keys.find(({ id }) => id === idOf(signed))
  if (!key)
    throw new SyntaxError(`it is by the key ${idOf(signed)}, which is not one of the keys of releases`)
  const own = signed.subarray(KEY_ID)
  if (!isBy(key, createHash('blake2b512').update(content).digest(), own))
    throw new SyntaxError('it is the signature of another file')
  if (!isBy(key, Buffer.concat([own, Buffer.from(comment)]), over))
    throw new SyntaxError('its trusted comment has been changed')
  return { comment, key }
}

/** The bytes after the two letters of the algorithm; undefined for another algorithm or length. */
function decode(base64: string, algorithm: string, length: number): Buffer | undefined {
  const bytes = bytesOf(base64)
  if (bytes.length !== 2 + length || bytes.toString('latin1', 0, 2) !== algorithm) return undefined
  return bytes.subarray(2)
}

/** None for a text that is not base64 as it is written: a decoder skips foreign signs and unused bits. */
function bytesOf(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? bytes : Buffer.alloc(0)
}

/** minisign prints an integer of 64 bits without leading zeros, the bytes of which are stored in reverse. */
function idOf(bytes: Buffer): string {
  return Buffer.from(bytes.subarray(0, KEY_ID)).reverse().toString('hex').replace(/^0+/, '').toUpperCase()
}

function isBy({ bytes }: PublicKey, message: Buffer, signature: Buffer): boolean {
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' })
  return verify(null, message, key, signature)
}
