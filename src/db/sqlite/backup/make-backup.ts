import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { BackupReport } from './check.ts'
import { writeCheckRecord } from './check-record.ts'
import { recordBackup } from './last-backup.ts'
import { writeBackup } from './write-backup.ts'

interface MakingOptions {
  /** Folder of the database. */
  dir: string
  /** The new file. */
  target: string
  /** Time of the backup, ms since the epoch. */
  now: number
  /** Version of this program. */
  version: string
  /** Creates the folder of `target` if it is missing. */
  createsFolder: boolean
  onStage?: (text: string) => void
}

/**
 * Writes a checked backup, stores the result of its check next to it, and records a sound one as the newest.
 * @throws AppError as `writeBackup` does.
 */
export async function makeBackup(options: MakingOptions): Promise<BackupReport> {
  const { dir, target, now, version, createsFolder, onStage } = options
  if (createsFolder) mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const report = await writeBackup(dir, target, onStage)
  writeCheckRecord(target, { version, at: now, findings: report.findings.length, problem: '' })
  if (report.findings.length === 0) recordBackup(dir, now)
  return report
}
