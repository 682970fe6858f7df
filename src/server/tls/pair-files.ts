import { feature } from 'bun:bundle'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError, failpoint, flushFolder, newSecret, reasonOf } from '../../base/index.ts'
import { type CertifiedKey, isPair } from './certificate.ts'

/** Paths of a certificate and its private key. */
export interface PairFiles {
  cert: string
  key: string
}

function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  try {
    const file = await open(path, 'r')
    try {
      return await use(file)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    if (errnoOf(error) === 'ENOENT') return undefined
    throw new AppError(
      'invalid',
      `Cannot read ${path} (${reasonOf(error)}); make it a file that this user can read`,
      { cause: error },
    )
  }
}

/** The text of a certificate file; undefined when there is none. */
export function readCertFile(path: string): Promise<string | undefined> {
  return withFile(path, (file) => file.readFile('utf8'))
}

/**
 * The text of a private key file; undefined when there is none. The mode is read from the opened file.
 * @throws AppError `invalid` when group or others have any permission on it.
 */
export function readKeyFile(path: string): Promise<string | undefined> {
  return withFile(path, async (file) => {
    const mode = (await file.stat()).mode & 0o777
    // On Windows, permissions are stored elsewhere and the reported mode has no meaning.
    if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
      throw new AppError(
        'invalid',
        `Private key ${path} is open to other users (mode ${mode.toString(8).padStart(4, '0')}); run: chmod 600 ${path}`,
      )
    }
    return file.readFile('utf8')
  })
}

/**
 * Writes a temporary file, flushes and renames it, so that a file under its final name is complete and
 * durable.
 */
async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${newSecret(8)}.tmp`
  const file = await open(temporary, 'wx', mode)
  try {
    await file.writeFile(text)
    if (feature('FAILPOINTS')) failpoint('pair.writing')
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await flushFolder(dirname(path))
}

function pendingKey(files: PairFiles): string {
  return `${files.key}.next`
}

/**
 * Replaces certificate and key atomically: the key is written under a temporary name, the rename of the
 * certificate commits, then the key is renamed. If the process ends at any point, `recoverPair` restores the
 * complete old or the complete new pair.
 * @throws AppError `storage_full` or `unavailable` that names the files.
 */
export async function writePair(files: PairFiles, pair: CertifiedKey): Promise<void> {
  try {
    for (const path of [files.key, files.cert]) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    }
    await writeDurably(pendingKey(files), pair.keyPem, 0o600)
    if (feature('FAILPOINTS')) failpoint('pair.key-waits')
    await writeDurably(files.cert, pair.certPem, 0o644)
    if (feature('FAILPOINTS')) failpoint('pair.cert-renamed')
    await rename(pendingKey(files), files.key)
    if (feature('FAILPOINTS')) failpoint('pair.key-renamed')
    await flushFolder(dirname(files.key))
  } catch (error) {
    const isFull = ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '')
    throw new AppError(
      isFull ? 'storage_full' : 'unavailable',
      `Cannot write ${files.cert} and ${files.key} (${reasonOf(error)}); ${isFull ? 'free some space on that disk' : 'make their folder writable by this user'}`,
      { cause: error },
    )
  }
}

async function removeLeftovers(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => [])
  const isLeftover = (name: string) =>
    name.startsWith(`${basename(path)}.`) && /\.[0-9a-f]{16}\.tmp$/.test(name)
  for (const name of names.filter(isLeftover)) await rm(join(dirname(path), name), { force: true })
}

/** Completes or reverts a replacement that was interrupted by the end of the process. */
export async function recoverPair(files: PairFiles): Promise<void> {
  for (const path of [files.key, files.cert]) await removeLeftovers(path)
  const next = await readKeyFile(pendingKey(files))
  if (next === undefined) return
  const cert = await readCertFile(files.cert)
  if (cert !== undefined && isPair({ certPem: cert, keyPem: next }))
    await rename(pendingKey(files), files.key)
  else await rm(pendingKey(files), { force: true })
  await flushFolder(dirname(files.key))
}
