import { setPriority } from 'node:os'
import { AppError, endWithParent, messageOf, silentLog, systemClock } from '../../../../base/index.ts'
import { checkBackup } from '../check.ts'
import { writeCheckRecord } from '../check-record.ts'
import { makeBackup } from '../make-backup.ts'
import { stageBackup } from '../restore.ts'
import type { BackupResult, BackupTask, FromBackup } from './messages.ts'

/** Lower than that of the server, which has to respond to everybody else meanwhile. */
const NICENESS = 10

/**
 * Body of the hidden command `svc backup-task`: does the one task that the server sends over the IPC channel.
 * A process of its own, because a statement of SQLite cannot be interrupted and the check needs memory.
 * @throws AppError `invalid` when it was not started by a server.
 */
export function runBackupTask(): void {
  if (!process.send) throw new AppError('invalid', 'svc backup-task is started by the server; use svc backup')
  // Ctrl-C in a terminal reaches this process too, but the server decides when it ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  endWithParent(0)
  setPriority(NICENESS)
  const send = (message: FromBackup) => void process.send?.(message)
  process.on('message', (task: BackupTask) => {
    const onStage = (text: string) => send({ kind: 'stage', text })
    // The server ends this process when it has the result.
    perform(task, onStage).then(
      (result) => send({ kind: 'done', ...result }),
      (error: unknown) => send(failureOf(error)),
    )
  })
  process.on('disconnect', () => process.exit(0))
}

async function perform(task: BackupTask, onStage: (text: string) => void): Promise<BackupResult> {
  const { kind, dir, path, version, actor } = task
  const [clock, now] = [systemClock, systemClock.now()]
  if (kind === 'create') {
    const report = await makeBackup({ dir, target: path, now, version, createsFolder: true, onStage })
    return { ...report, staged: '' }
  }
  if (kind === 'verify') return { ...verify(task, now, onStage), staged: '' }
  const staged = await stageBackup({ file: path, dir, actor, clock, log: silentLog, onStage })
  return { ...staged, isOlder: false }
}

/** Checks a backup; the result is stored next to it, unless its folder cannot be written. */
function verify({ path, version }: BackupTask, now: number, onStage: (text: string) => void) {
  const store = (findings: number, problem: string): void => {
    try {
      writeCheckRecord(path, { version, at: now, findings, problem })
    } catch {
      // A backup on a read-only disk can be checked all the same.
    }
  }
  onStage('checking the backup')
  try {
    const report = checkBackup(path)
    store(report.findings.length, '')
    return report
  } catch (error) {
    store(0, messageOf(error))
    throw error
  }
}

function failureOf(error: unknown): FromBackup {
  if (!(error instanceof AppError)) return { kind: 'failed', message: messageOf(error) }
  const { code, message, reason } = error
  return { kind: 'refused', code, message, ...(reason !== undefined && { reason }) }
}
