import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '../../../base/index.ts'
import { removeBackupFile } from './backup-files.ts'
import { planRemoval, type RetentionPolicy } from './retention.ts'

/** After a day without a write, the process that wrote the file was killed. */
const ABANDONED_AFTER_MS = DAY_MS

/**
 * Removes abandoned partial files from a folder and the backups that `keep` does not cover; returns the
 * backups it removed. `now` is in ms since the epoch.
 */
export function removeOldBackups(folder: string, keep: RetentionPolicy | undefined, now: number): string[] {
  const names = readdirSync(folder)
  for (const name of names.filter((each) => each.endsWith('.partial'))) {
    const path = join(folder, name)
    if (now - statSync(path).mtimeMs > ABANDONED_AFTER_MS) rmSync(path, { force: true })
  }
  const removed = (keep ? planRemoval(names, keep, now) : []).map((name) => join(folder, name))
  for (const path of removed) removeBackupFile(path)
  return removed
}
