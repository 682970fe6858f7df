import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError, type Clock, type Log, messageOf } from '../../base/index.ts'
import { markOf } from '../durability/log-check.ts'
import { diagnose } from '../integrity/doctor.ts'
import type { Finding } from '../integrity/invariants.ts'
import { appendAudit } from '../journal/audit.ts'
import { openDatabase } from '../open-database.ts'
import { DATABASE_FILE } from '../sqlite/database-file.ts'
import { flush } from '../sqlite/flush.ts'
import { lockFolder } from '../sqlite/lock.ts'
import { ANY_LIMITS, checkBackup } from './check.ts'

interface RestoreOptions {
  /** Path of the backup. */
  file: string
  /** Folder of the database; created if it is missing. */
  dir: string
  clock: Clock
  log: Log
  /** Progress callback, called before each phase. */
  onStage?: (text: string) => void
}

/** The result of a restore. */
interface Restored {
  /** Path of the replaced database; undefined when there was none. */
  replaced: string | undefined
  /** Invariants that the restored data violate; empty when they are intact. */
  findings: Finding[]
}

/**
 * Replaces the database of a stopped server with a backup. The backup is copied, opened by this version
 * (which migrates an older one) and checked before anything is replaced.
 * @throws AppError `conflict` (`folder_in_use`), and the errors of `checkBackup` and `openDatabase`; in these
 *   cases nothing was replaced.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { file, dir, onStage = () => undefined } = options
  const target = join(dir, DATABASE_FILE)
  if (isSameFile(file, target)) {
    throw new AppError('invalid', `${file} is the database itself; name a backup`, { reason: 'not_a_backup' })
  }
  onStage('checking the backup')
  checkBackup(file)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const lock = lockFolder(dir)
  let staging: string | undefined
  try {
    staging = mkdtempSync(join(dir, 'restore-'))
    const staged = join(staging, DATABASE_FILE)
    onStage('copying it and bringing it up to date')
    const findings = await stage(options, staging, staged)
    const replaced = setAside(target)
    renameSync(staged, target)
    flush(dir)
    return { replaced, findings }
  } catch (error) {
    throw error instanceof AppError ? error : unwritable(dir, error)
  } finally {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true })
    lock.release()
  }
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other)
}

function unwritable(dir: string, cause: unknown): AppError {
  return new AppError('internal', `Cannot restore into ${dir}: ${messageOf(cause)}`, {
    reason: 'folder_unusable',
    cause,
  })
}

/** Copies the backup and opens the copy as the server does. */
async function stage(options: RestoreOptions, staging: string, staged: string): Promise<Finding[]> {
  const { file, clock, log } = options
  copyFileSync(file, staged)
  chmodSync(staged, 0o600)
  // The log of a database that a killed server left contains its last writes; the mark says how many.
  for (const [from, to] of [
    [`${file}-wal`, `${staged}-wal`],
    [markOf(file), markOf(staged)],
  ] as const) {
    if (existsSync(from)) copyFileSync(from, to)
  }
  const db = await openDatabase({ dir: staging, create: false, clock, log })
  const findings = await db
    .write('audit restore', (tx) =>
      appendAudit(tx, { actor: 'cli', action: 'restore', subject: basename(file) }),
    )
    .then(() => db.read((tx) => diagnose(tx, ANY_LIMITS)))
    .finally(() => db.close())
  flush(staged)
  return findings
}

/**
 * Stores the database at `path` unopened under a second name, and removes the log that a killed server left,
 * which SQLite would otherwise apply to the new file. Returns the name.
 */
function setAside(path: string): string | undefined {
  const log = `${path}-wal`
  let saved: string | undefined
  if (existsSync(path)) {
    saved = unusedName(`${path}.before-restore`)
    // A database with a log is copied, not linked: if the restore stops here, nothing may write into the
    // stored file.
    if (existsSync(log)) {
      copyFileSync(log, `${saved}-wal`)
      if (existsSync(markOf(path))) copyFileSync(markOf(path), markOf(saved))
      copyFileSync(path, saved)
      flush(`${saved}-wal`)
    } else {
      linkOrCopy(path, saved)
    }
    flush(saved)
    flush(dirname(path))
  }
  for (const each of [log, `${path}-shm`, markOf(path)]) rmSync(each, { force: true })
  return saved
}

/** Links a file under a second name, or copies it where the file system has no hard links. */
function linkOrCopy(path: string, name: string): void {
  try {
    linkSync(path, name)
  } catch {
    copyFileSync(path, name)
  }
}

function unusedName(name: string): string {
  for (let at = 2, free = name; ; free = `${name}.${at++}`) if (!existsSync(free)) return free
}
