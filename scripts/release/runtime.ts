import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import lock from '../../package-lock.json' with { type: 'json' }
import { run } from './run.ts'

const REPOSITORY = join(import.meta.dir, '../..')

/** The systems for which the executable is built, and the package with the runtime of each. */
const RUNTIMES = {
  'linux-x64': '@oven/bun-linux-x64',
  'linux-arm64': '@oven/bun-linux-aarch64',
} as const

/** A system for which the executable is built, such as `linux-arm64`. */
export type Target = keyof typeof RUNTIMES

export const TARGETS = Object.keys(RUNTIMES) as Target[]

/** The locked package of a runtime. */
interface LockedPackage {
  version: string
  /** Hash of its archive as the lock file has it, such as `sha512-…`. */
  integrity: string
}

/**
 * Path of the Bun runtime for `target`, which the compiler puts into the executable. It is downloaded once
 * per installation, and only the archive that the lock file names is used: left to itself, the compiler
 * downloads one that nobody has checked.
 *
 * @throws Error if the lock file names another version than that of the compiler, or the archive has another
 *   hash.
 */
export async function pinnedRuntime(target: Target): Promise<string> {
  const name = RUNTIMES[target]
  const locked: LockedPackage = lock.packages[`node_modules/${name}`]
  if (locked.version !== Bun.version)
    throw new Error(`the compiler is Bun ${Bun.version}, but package-lock.json has ${name} ${locked.version}`)
  const path = join(REPOSITORY, 'node_modules/.cache/svc', `${target}-${locked.version}`, 'bun')
  if (!existsSync(path)) await download(name, locked, path)
  return path
}

async function download(name: string, { version, integrity }: LockedPackage, path: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-runtime-'))
  try {
    await run(['npm', 'pack', `${name}@${version}`, '--silent', '--pack-destination', folder])
    const archive = join(folder, `${name.slice(1).replace('/', '-')}-${version}.tgz`)
    assertIntegrity(await readFile(archive), { name: `${name} ${version}`, integrity })
    const unpacked = `${path}.partial`
    await mkdir(dirname(path), { recursive: true })
    await run(['tar', '-xzf', archive, '-C', folder, 'package/bin/bun'])
    await Bun.write(unpacked, Bun.file(join(folder, 'package/bin/bun')))
    await chmod(unpacked, 0o755)
    await rename(unpacked, path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** @throws Error unless `archive` has the hash `integrity`, in the form of a lock file. */
export function assertIntegrity(archive: Uint8Array, expected: { name: string; integrity: string }): void {
  const found = `sha512-${createHash('sha512').update(archive).digest('base64')}`
  if (found !== expected.integrity)
    throw new Error(`${expected.name} is ${found}, but package-lock.json has ${expected.integrity}`)
}
