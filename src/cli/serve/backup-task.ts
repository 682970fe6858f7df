import { runBackupTask } from '../../db/sqlite/backup/index.ts'
import { defineCommand } from '../command-line/command.ts'

export const backupTaskCommand = defineCommand({
  summary: 'Make, check or copy a backup for the server',
  isHidden: true,
  run: () => runBackupTask(),
})
