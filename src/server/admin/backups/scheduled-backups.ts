import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, type Clock, type Log, Loop } from '../../../base/index.ts'
import { BACKUP_FOLDER } from '../../../db/index.ts'
import { backupName, newBackupPath, newestBackup, removeOldBackups } from '../../../db/sqlite/backup/index.ts'
import type { Config } from '../../config/settings.ts'
import type { BackupOperations } from './operations.ts'

interface ScheduleDependencies {
  config: Pick<Config, 'dir' | 'backupEvery' | 'backupKeep'>
  operations: Pick<BackupOperations, 'start' | 'idle'>
  clock: Clock
  log: Log
}

/**
 * Makes a backup in each interval of `--backup-every` and then deletes those that `--backup-keep` does not
 * cover. A restart makes none before its time. Undefined when the interval is 0.
 */
export function scheduleBackups(dependencies: ScheduleDependencies): Loop | undefined {
  const { config, clock, log } = dependencies
  const { dir, backupEvery } = config
  if (backupEvery === 0) return undefined
  const folder = join(dir, BACKUP_FOLDER)
  /** A backup of the future comes from a clock that was ahead, and says nothing about now. */
  const dueInMs = (): number => {
    const newest = existsSync(folder) ? newestBackup(readdirSync(folder), clock.now()) : undefined
    return newest === undefined ? 0 : Math.max(0, backupEvery - (clock.now() - newest))
  }
  let isFirst = true
  return new Loop({
    name: 'backups',
    summary: 'Make a backup, and delete those beyond the retention',
    clock,
    log,
    intervalMs: () => Math.max(MIN_PAUSE_MS, dueInMs()),
    async runOnce() {
      const isEarly = isFirst && dueInMs() > 0
      isFirst = false
      if (!isEarly) await backUp(dependencies, folder)
    },
  })
}

const MIN_PAUSE_MS = 1_000

/** @throws AppError when another operation runs or the backup fails; the loop tries again. */
async function backUp({ config, operations, clock, log }: ScheduleDependencies, folder: string) {
  const name = backupName(clock.now())
  const path = newBackupPath(config.dir, name)
  const operation = operations.start({ kind: 'create', name, path, actor: 'server' })
  await operations.idle()
  if (operation.state === 'failed') throw new AppError('unavailable', operation.error)
  // Old backups stay when the new one has problems.
  if (operation.findings.length > 0) return
  const removed = removeOldBackups(folder, config.backupKeep, clock.now())
  if (removed.length > 0) log.info('old backups removed', { backups: removed.length })
}
