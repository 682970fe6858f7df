import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { AppError, type Clock, flush, type Log, reasonOf } from '../../../base/index.ts'
import type { Finding } from '../../integrity/invariants.ts'
import { repairWidened } from '../../integrity/widened.ts'
import { appendAudit } from '../../journal/audit.ts'
import { DATABASE_FILE } from '../database-file.ts'
import { diagnose } from '../diagnose.ts'
import { markOf } from '../durability/log-check.ts'
import { acceptReplacement, finishMoves, replaceDatabase } from '../durability/replacement.ts'
import { flushInPieces } from '../flush-in-pieces.ts'
import { lockFolder } from '../lock.ts'
import { openDatabase } from '../open-database.ts'
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
  const { file, dir } = options
  assertNoDatabaseOf(dir, file)
  checkStaged(options)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const lock = lockFolder(dir)
  try {
    // A restore that was interrupted ends first: its moves must not meet those of this one.
    finishMoves(dir)
    acceptReplacement(dir)
    const { staged, findings } = await copyStaged({ ...options, actor: 'cli' })
    const kept = unusedName(dir, `${DATABASE_FILE}.before-restore`)
    replaceDatabase(dir, { staged, kept, backup: basename(file) })
    acceptReplacement(dir)
    return { replaced: existsSync(join(dir, kept)) ? join(dir, kept) : undefined, findings }
  } catch (error) {
    throw error instanceof AppError ? error : unwritable(dir, error)
  } finally {
    lock.release()
  }
}

/** A backup that was copied into the data folder and is ready to replace the database. */
interface StagedBackup {
  /** Path of the new database, relative to the data folder. */
  staged: string
  /** Invariants that its data violate; empty when they are intact. */
  findings: Finding[]
}

interface StagingOptions extends RestoreOptions {
  /** Who restores, for the audit log of the restored database. */
  actor: string
}

/**
 * Checks a backup and copies it into the data folder, in which a server may run; nothing is replaced.
 * @throws AppError as `checkBackup` and `openDatabase` do.
 */
export async function stageBackup(options: StagingOptions): Promise<StagedBackup> {
  assertNoDatabaseOf(options.dir, options.file)
  checkStaged(options)
  return copyStaged(options)
}

function checkStaged({ file, onStage = () => undefined }: RestoreOptions): void {
  onStage('checking the backup')
  checkBackup(file)
}

async function copyStaged(options: StagingOptions): Promise<StagedBackup> {
  const { dir, onStage = () => undefined } = options
  removeAbandonedRestores(dir)
  const staging = mkdtempSync(join(dir, STAGING))
  try {
    const path = join(staging, DATABASE_FILE)
    onStage('copying it and bringing it up to date')
    const findings = await stage(options, staging, path)
    return { staged: relative(dir, path), findings }
  } catch (error) {
    rmSync(staging, { recursive: true, force: true })
    throw error
  }
}

const STAGING = 'restore-'

/**
 * Removes what restores have left that ended before they replaced anything. The caller holds the lock of the
 * folder, and no restore runs.
 */
export function removeAbandonedRestores(dir: string): void {
  for (const name of readdirSync(dir).filter((each) => each.startsWith(STAGING))) {
    rmSync(join(dir, name), { recursive: true, force: true })
  }
}

function assertNoDatabaseOf(dir: string, file: string): void {
  if (!isSameFile(file, join(dir, DATABASE_FILE))) return
  throw new AppError('invalid', `${file} is the database itself; name a backup`, { reason: 'not_a_backup' })
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other)
}

function unwritable(dir: string, cause: unknown): AppError {
  return new AppError('internal', `Cannot restore into ${dir}: ${reasonOf(cause)}`, {
    reason: 'folder_unusable',
    cause,
  })
}

/** Copies the backup and opens the copy as the server does. */
async function stage(options: StagingOptions, staging: string, staged: string): Promise<Finding[]> {
  const { file, actor, clock, log } = options
  copyFileSync(file, staged)
  chmodSync(staged, 0o600)
  // A server may run beside it; the first checkpoint of the copy would flush it immediately.
  await flushInPieces(staged, clock)
  // The log of a database that a killed server left contains its last writes; the mark says how many.
  for (const [from, to] of [
    [`${file}-wal`, `${staged}-wal`],
    [markOf(file), markOf(staged)],
  ] as const) {
    if (existsSync(from)) copyFileSync(from, to)
  }
  const db = await openDatabase({ dir: staging, create: false, clock, log })
  const findings = await db
    .write('audit restore', (tx) => {
      appendAudit(tx, { actor, action: 'restore', subject: basename(file) })
      repairWidened(tx, actor)
    })
    .then(() => db.read((tx) => diagnose(tx, ANY_LIMITS)))
    .finally(() => db.close())
  if (existsSync(`${staged}-wal`)) {
    throw new AppError('internal', `Cannot bring the copy of ${file} into one file; try again`, {
      reason: 'folder_unusable',
    })
  }
  flush(staged)
  flush(dirname(staged))
  return findings
}

/** The first of `name`, `name.2`, `name.3` that no file in `dir` has. */
export function unusedName(dir: string, name: string): string {
  for (let at = 2, free = name; ; free = `${name}.${at++}`) if (!existsSync(join(dir, free))) return free
}
