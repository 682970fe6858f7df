const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Cryptographically secure random bytes. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}

/** A uniform random number in [0, 1) for jitter; not for secrets or simulations. */
export function randomFraction(): number {
  return Math.random()
}

/**
 * A new record id: 15 characters of `0-9a-z`, of which the first 8 encode `now` (ms since the epoch)
 * and the last 7 are random, so that ids sort by time and inserts stay at the end of the index.
 */
export function newId(now: number): string {
  let random = ''
  while (random.length < 7) {
    // 252 = 7 * 36: bytes above it would favor some characters.
    for (const byte of randomBytes(12)) if (byte < 252 && random.length < 7) random += ALPHABET[byte % 36]
  }
  return now.toString(36).padStart(8, '0').slice(-8) + random
}

/** Whether `text` has the form of a record id. */
export function isId(text: string): boolean {
  return /^[0-9a-z]{15}$/.test(text)
}

/** `bytes` random bytes as lower-case hexadecimal: for access tokens and keys. */
export function newSecret(bytes = 32): string {
  return Buffer.from(randomBytes(bytes)).toString('hex')
}

/** SHA-256 of a text or bytes, hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(content).digest('hex')
}
