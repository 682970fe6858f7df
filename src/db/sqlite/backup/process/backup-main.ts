/** The backup process when the service runs from source; the executable has `svc backup-task`. */
import { runBackupTask } from './backup-host.ts'

runBackupTask()
