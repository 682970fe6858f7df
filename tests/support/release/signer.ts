import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A pair of keys as minisign makes them, for one test. */
export interface Signer {
  /** The public key, one line. */
  readonly key: string
  /** The text of the `.minisig` file of `content`. */
  sign(content: string, comment: string): string
}

/** Makes a pair of keys. */
export function makeSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const id = randomBytes(8)
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const line = (algorithm: string, bytes: Buffer) =>
    Buffer.concat([Buffer.from(algorithm), id, bytes]).toString('base64')
  return {
    key: line('Ed', raw),
    sign(content, comment) {
      const own = sign(null, createHash('blake2b512').update(content).digest(), privateKey)
      const over = sign(null, Buffer.concat([own, Buffer.from(comment)]), privateKey)
      return [
        'untrusted comment: of a test',
        line('ED', own),
        `trusted comment: ${comment}`,
        `${over.toString('base64')}\n`,
      ].join('\n')
    },
  }
}
