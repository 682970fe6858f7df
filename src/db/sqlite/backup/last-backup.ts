import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { partialOf } from './write-backup.ts'

/** Says when the newest sound backup was begun, wherever it is stored. */
const RECORD_FILE = 'svc.last-backup'

/** Records that a sound backup of the database in `dir` was begun at `at`, in ms since the epoch. */
export function recordBackup(dir: string, at: number): void {
  const path = join(dir, RECORD_FILE)
  // Two processes may make backups at the same time.
  const partial = partialOf(path, process.pid)
  writeFileSync(partial, `${new Date(at).toISOString()}\n`, { mode: 0o600 })
  renameSync(partial, path)
}

/** The time of the newest sound backup, in ms since the epoch; undefined when none is known. */
export function readBackupTime(dir: string): number | undefined {
  const path = join(dir, RECORD_FILE)
  if (!existsSync(path)) return undefined
  const at = Date.parse(readFileSync(path, 'utf8').trim())
  return Number.isNaN(at) ? undefined : at
}
