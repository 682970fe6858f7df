import { Database } from 'bun:sqlite'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runSvc } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Seeded } from '../attack.ts'
import { seedFolder } from './seed.ts'

const SEEDED_FILE = 'seeded.json'
const UNUSED_MS = 86_400_000
const SEEDS = join(import.meta.dir, '../../../bench/scale/seed.ts')

/** An installation that is seeded and stopped. */
export interface Installation extends Disposable {
  folder: string
  seeded: Seeded
}

/**
 * A copy of an installation of `executable` with `jobs` jobs. The original is made once per schema and kept
 * in the temporary folder of the system.
 */
export async function openInstallation(executable: string, jobs: number): Promise<Installation> {
  const original = await seededFolder(executable, jobs)
  const copy = temporaryFolder(cacheFolder())
  const copied = Bun.spawnSync(['cp', '-a', '--reflink=auto', `${original}/.`, copy.path])
  if (!copied.success) throw new Error(`the seeded folder cannot be copied: ${copied.stderr}`)
  flush(join(copy.path, 'svc_data/svc.db'))
  const seeded: Seeded = JSON.parse(readFileSync(join(copy.path, SEEDED_FILE), 'utf8'))
  return { folder: copy.path, seeded, [Symbol.dispose]: () => copy[Symbol.dispose]() }
}

/**
 * Writes a copied database to the disk. Otherwise its first checkpoints, which flush that file, write the
 * whole copy, and each commit of the measured minute waits behind them for the disk.
 */
function flush(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function cacheFolder(): string {
  const folder = join(tmpdir(), 'svc-attack')
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Removes installations, and copies of ended runs, that were not used for a day. */
function removeOutdated(): void {
  for (const name of readdirSync(cacheFolder())) {
    const path = join(cacheFolder(), name)
    if (statSync(path).isDirectory() && Date.now() - statSync(path).mtimeMs > UNUSED_MS)
      rmSync(path, { recursive: true, force: true })
  }
}

async function seededFolder(executable: string, jobs: number): Promise<string> {
  const folder = join(cacheFolder(), `seeded-${jobs}-${await revision(executable)}`)
  if (existsSync(folder)) {
    utimesSync(folder, new Date(), new Date())
    return folder
  }
  removeOutdated()
  console.error(`seeding ${jobs.toLocaleString('en')} jobs in ${folder}`)
  const started = performance.now()
  const partial = `${folder}.partial-${process.pid}`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial)
  writeFileSync(join(partial, SEEDED_FILE), JSON.stringify(await seedFolder(partial, executable, jobs)))
  try {
    renameSync(partial, folder)
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    // Another process has seeded the same meanwhile.
    if (!existsSync(folder)) throw error
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(0)
  const megabytes = (statSync(join(folder, 'svc_data/svc.db')).size / 1e6).toFixed(0)
  console.error(`seeded ${megabytes} MB in ${seconds} s`)
  return folder
}

/** Identifies what is seeded: the schema of the executable, and the code that fills it. */
async function revision(executable: string): Promise<string> {
  using folder = temporaryFolder()
  const args = ['superuser', 'upsert', 'admin@example.org', 'a long password']
  const made = await runSvc(args, { cwd: folder.path, executable })
  if (made.status !== 0) throw new Error(`${executable} does not start: ${made.err}`)
  using file = new Database(join(folder.path, 'svc_data/svc.db'), { readonly: true })
  const schema = file.query('SELECT name, sql FROM sqlite_master ORDER BY name').all()
  const hasher = new Bun.CryptoHasher('sha256').update(JSON.stringify(schema))
  for (const path of [SEEDS, join(import.meta.dir, 'seed.ts')]) hasher.update(readFileSync(path))
  return hasher.digest('hex').slice(0, 12)
}
