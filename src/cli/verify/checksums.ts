import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** Name of the list of a release with the SHA-256 hash of each file. */
export const CHECKSUMS = 'SHA256SUMS'
/** Name of its signature. */
export const SIGNATURE = `${CHECKSUMS}.minisig`

/**
 * Reads a list as sha256sum writes it: for each file, by name, its hash.
 *
 * @throws SyntaxError that names a line in another form, or a file that is listed twice.
 */
export function readChecksums(text: string): Map<string, string> {
  const hashes = new Map<string, string>()
  for (const [at, line] of text.trimEnd().split('\n').entries()) {
    const [, hash, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? []
    if (hash === undefined || name === undefined)
      throw new SyntaxError(`line ${at + 1} is not a hash and a file name`)
    if (hashes.has(name)) throw new SyntaxError(`line ${at + 1} lists ${name} again`)
    hashes.set(name, hash)
  }
  return hashes
}

/** SHA-256 of a file, hexadecimal. @throws Error of the file system. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
