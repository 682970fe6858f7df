import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { AppError, ownCommand } from '../../../../base/index.ts'
import { partialOf } from '../write-backup.ts'
import type { BackupResult, BackupTask, FromBackup } from './messages.ts'

interface BackupListeners {
  /** Called at the start with the file that a new backup is written to before it has its name. */
  onPartial(path: string): void
  /** Called before each step, with its text. */
  onStage(text: string): void
  /** Ends the process, and the task with an error. */
  signal: AbortSignal
}

/**
 * Does a task of backup in a process of its own.
 * @throws AppError the error of the task; `unavailable` when the process ends without a result or is aborted.
 */
export async function runInBackupProcess(
  task: BackupTask,
  { onPartial, onStage, signal }: BackupListeners,
): Promise<BackupResult> {
  const { promise, resolve, reject } = Promise.withResolvers<BackupResult>()
  const child = Bun.spawn(ownCommand('backup-task', `${import.meta.dir}/backup-main.ts`), {
    // Other variables may hold secrets or change what the executable runs.
    env: { TMPDIR: tmpdir() },
    stdio: ['ignore', 'ignore', 'inherit'],
    serialization: 'json',
    ipc(message: FromBackup) {
      if (message.kind === 'stage') onStage(message.text)
      else if (message.kind === 'done') resolve(message)
      else reject(errorOf(message))
    },
    onExit: (_, code, how) => reject(interrupted(`the process ended with ${how ?? code}`)),
  })
  const partial = partialOf(task.path, child.pid)
  onPartial(partial)
  const abort = () => reject(interrupted('the server stops'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    if (signal.aborted) abort()
    child.send(task)
    return await promise
  } finally {
    signal.removeEventListener('abort', abort)
    child.kill('SIGKILL')
    await child.exited
    rmSync(partial, { force: true })
  }
}

function errorOf(message: Extract<FromBackup, { kind: 'refused' | 'failed' }>): Error {
  if (message.kind === 'failed') return new Error(message.message)
  const { code, reason } = message
  return new AppError(code, message.message, reason === undefined ? {} : { reason })
}

function interrupted(why: string): AppError {
  return new AppError('unavailable', `Interrupted: ${why}`, { reason: 'interrupted' })
}
