import type { Route } from '../http/route.ts'
import { auditCheckRoute } from './audit-check-route.ts'
import { auditRoute } from './audit-route.ts'
import type { BackupOperations } from './backups/operations.ts'
import { backupRoutes } from './backups/routes.ts'
import { changeRoute, configRoute, reloadRoute } from './config-route.ts'
import type { LogStore } from './logs/log-store.ts'
import type { LogTails } from './logs/log-tails.ts'
import { logRoutes } from './logs/routes.ts'
import type { BackgroundTasks } from './tasks/background-tasks.ts'
import { taskRoutes } from './tasks/routes.ts'

/** What the routes of superusers call beyond the context. */
export interface AdminDependencies {
  backups: BackupOperations
  tasks: BackgroundTasks
  /** Undefined when the log is not stored. */
  logs: LogStore | undefined
  tails: LogTails
}

/** What superusers need to operate the server beyond its records; see docs/how-to/operate.md. */
export function adminRoutes({ backups, tasks, logs, tails }: AdminDependencies): Route[] {
  return [
    configRoute,
    reloadRoute,
    changeRoute,
    auditRoute,
    auditCheckRoute,
    ...backupRoutes(backups),
    ...taskRoutes(tasks),
    ...logRoutes(logs, tails),
  ]
}
