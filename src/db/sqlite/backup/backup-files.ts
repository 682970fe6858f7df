import { existsSync, rmSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../base/index.ts'
import { BACKUP_FOLDER, DATABASE_FILE } from '../database-file.ts'
import { CHECK_ENDING, type CheckRecord, readCheckRecord } from './check-record.ts'
import { newestBackup } from './retention.ts'

/** A file that can be restored. */
export interface BackupFile {
  name: string
  /** A file in the folder `backups`, or an earlier database that a restore or an upgrade has kept. */
  kind: 'backup' | 'earlier'
  path: string
  bytes: number
  /** Ms since the epoch: that in an automatic name, else that of the last change of the file. */
  at: number
  check: CheckRecord | undefined
}

/** Files that belong to a backup: log and mark of a database, result of the check, root CA. */
const COMPANIONS = ['-wal', '-mark', '-shm', CHECK_ENDING, '.ca.pem', '.ca.key']

const BACKUP_NAME = /^[A-Za-z0-9][\w.-]{0,126}\.db$/
const EARLIER_NAME = /^svc\.db\.before-[\w.-]{1,60}$/

/** The newest `limit` backups and earlier databases of the data folder, newest first, and their number. */
export async function listBackupFiles(
  dir: string,
  limit: number,
): Promise<{ files: BackupFile[]; total: number }> {
  const found: Omit<BackupFile, 'check'>[] = []
  for (const kind of ['backup', 'earlier'] as const) {
    const folder = folderOf(dir, kind)
    for (const name of await readdir(folder).catch(() => [])) {
      if (kindOf(name) !== kind) continue
      const path = join(folder, name)
      const stats = await lstat(path).catch(() => undefined)
      if (!stats?.isFile()) continue
      found.push({ name, kind, path, bytes: stats.size, at: newestBackup([name]) ?? stats.mtimeMs })
    }
  }
  const newest = found.toSorted((one, other) => other.at - one.at).slice(0, limit)
  return {
    files: newest.map((file) => ({ ...file, check: readCheckRecord(file.path) })),
    total: found.length,
  }
}

/**
 * The backup or earlier database with a name, which cannot lead out of the data folder.
 * @throws AppError `not_found` (`no_backup`).
 */
export async function findBackupFile(dir: string, name: string): Promise<BackupFile> {
  const kind = kindOf(name)
  const path = kind ? join(folderOf(dir, kind), name) : ''
  // A link is refused: it could lead to any file that the server can read.
  const stats = kind && (await lstat(path).catch(() => undefined))
  if (!kind || !stats?.isFile()) {
    throw new AppError('not_found', `There is no backup ${name}`, { reason: 'no_backup' })
  }
  return { name, kind, path, bytes: stats.size, at: stats.mtimeMs, check: readCheckRecord(path) }
}

/** The path of a new backup. @throws AppError `conflict` (`file_exists`). */
export function newBackupPath(dir: string, name: string): string {
  const path = join(folderOf(dir, 'backup'), name)
  if (existsSync(path)) {
    throw new AppError('conflict', `There is a backup ${name} already; choose another name`, {
      reason: 'file_exists',
    })
  }
  return path
}

/** Whether a new backup may have the name. */
export function isBackupName(name: string): boolean {
  return BACKUP_NAME.test(name)
}

/** Deletes a backup with everything that belongs to it. */
export function removeBackupFile(path: string): void {
  for (const each of [path, ...COMPANIONS.map((ending) => path + ending)]) rmSync(each, { force: true })
}

function folderOf(dir: string, kind: BackupFile['kind']): string {
  return kind === 'backup' ? join(dir, BACKUP_FOLDER) : dir
}

function kindOf(name: string): BackupFile['kind'] | undefined {
  if (BACKUP_NAME.test(name)) return 'backup'
  const isFileOf = COMPANIONS.some((ending) => name.endsWith(ending))
  return EARLIER_NAME.test(name) && !isFileOf && name.startsWith(DATABASE_FILE) ? 'earlier' : undefined
}
