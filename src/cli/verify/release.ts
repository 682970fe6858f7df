import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { messageOf, whatFile } from '../../base/index.ts'
import { ExitError, UsageError } from '../command-line/usage-error.ts'
import { CHECKSUMS, hashOf, readChecksums, SIGNATURE } from './checksums.ts'
import { checkSignature, type PublicKey, readPublicKey } from './minisign.ts'
import { RELEASE_KEYS } from './release-keys.ts'

/** What `svc verify` has checked of a release. */
interface VerifiedRelease {
  /** Files whose hashes are those of the release. */
  files: string[]
  /** As signed, such as `svc 2026.12.0`. */
  release: string
  /** Id of the key that signed it. */
  key: string
}

function keysFrom(given: string | undefined): PublicKey[] {
  const texts = given === undefined ? RELEASE_KEYS : [existsSync(given) ? readFileSync(given, 'utf8') : given]
  if (texts.length === 0)
    throw new UsageError('this program has no key of releases; give the public key with --key')
  try {
    return texts.map(readPublicKey)
  } catch (error) {
    const isFile = given === undefined || existsSync(given)
    throw new UsageError(`--key: ${isFile ? '' : `there is no file ${given}, and it is `}${messageOf(error)}`)
  }
}

/**
 * Checks the signature of the list, then the hash of the file, or of each file of the folder. `givenKey`:
 * public key of minisign or its file; without it the keys in this program count.
 *
 * @throws ExitError 1 naming the first file that is not as it was signed, missing or not listed.
 */
export async function verifyRelease(path: string, givenKey: string | undefined): Promise<VerifiedRelease> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === undefined) throw new UsageError(`there is no ${path}`)
  const folder = isFolder ? path : dirname(path)
  if (!existsSync(join(folder, CHECKSUMS))) {
    const missing = `${join(folder, CHECKSUMS)} is missing`
    throw new ExitError(
      1,
      `${path} (${whatFile(path)}) is neither a receipt nor of a signed release: ${missing}`,
    )
  }
  const keys = keysFrom(givenKey)
  const list = readFileSync(join(folder, CHECKSUMS))
  const { comment, key } = explained(join(folder, SIGNATURE), () =>
    checkSignature(list, { signature: read(join(folder, SIGNATURE)).toString(), keys }),
  )
  const hashes = explained(join(folder, CHECKSUMS), () => readChecksums(list.toString()))
  const files = isFolder ? everyFile(folder, hashes) : [basename(path)]
  for (const file of files) {
    const expected = hashes.get(file)
    if (expected === undefined) throw new ExitError(1, `${join(folder, file)}: ${CHECKSUMS} does not list it`)
    const found = existsSync(join(folder, file)) ? await hashOf(join(folder, file)) : 'missing'
    if (found !== expected) throw new ExitError(1, `${join(folder, file)}: is ${found}, not ${expected}`)
  }
  return { files, release: comment, key: key.id }
}

/** The files that the list names and those of the folder that it does not, sorted. */
function everyFile(folder: string, hashes: ReadonlyMap<string, string>): string[] {
  const present = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .filter((name) => name !== CHECKSUMS && name !== SIGNATURE)
  return [...new Set([...hashes.keys(), ...present])].toSorted()
}

function read(path: string): Buffer {
  if (!existsSync(path)) throw new ExitError(1, `${path} is missing: these are no files of a signed release`)
  return readFileSync(path)
}

function explained<T>(path: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw error instanceof SyntaxError ? new ExitError(1, `${path}: ${error.message}`) : error
  }
}
