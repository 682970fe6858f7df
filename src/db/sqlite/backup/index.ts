export {
  type BackupFile,
  findBackupFile,
  isBackupName,
  listBackupFiles,
  newBackupPath,
  removeBackupFile,
} from './backup-files.ts'
export { type BackupReport, checkBackup } from './check.ts'
export { makeBackup } from './make-backup.ts'
export { runBackupTask } from './process/backup-host.ts'
export { runInBackupProcess } from './process/backup-process.ts'
export type { BackupResult, BackupTask } from './process/messages.ts'
export { removeOldBackups } from './remove-old.ts'
export { restoreBackup } from './restore.ts'
export { RestoredFile } from './restored-file.ts'
export { backupName, newestBackup, planRemoval, type RetentionPolicy } from './retention.ts'
export { writeBackup } from './write-backup.ts'
