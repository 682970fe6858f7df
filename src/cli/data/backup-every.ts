import { type Clock, createLog } from '../../base/index.ts'
import { untilStopped } from '../command-line/signals.ts'
import { exitStatus } from '../command-line/usage-error.ts'

interface Repetition {
  clock: Clock
  intervalMs: number
  /** Time of the newest backup that exists, in ms since the epoch: a restart makes none before its time. */
  newest: number | undefined
  /** Makes and prints one backup; returns its exit status. */
  backUp: () => Promise<number>
}

/**
 * Backs up every `intervalMs` until a signal stops the process. A failed backup is logged and tried again at
 * the next time. Returns the exit status of the last one, 0 if there was none.
 */
export async function backUpEvery({ clock, intervalMs, newest, backUp }: Repetition): Promise<number> {
  const log = createLog({ level: () => 'info', format: 'auto' })
  const end = new AbortController()
  void untilStopped(log, 'backups').then(() => end.abort())
  const age = newest === undefined ? intervalMs : clock.now() - newest
  // A newest backup of the future comes from another clock.
  let waitMs = age < 0 ? 0 : Math.max(0, intervalMs - age)
  let status = 0
  for (;;) {
    await clock.sleep(waitMs, end.signal).catch(() => undefined)
    if (end.signal.aborted) return status
    const started = clock.monotonic()
    try {
      status = await backUp()
    } catch (error) {
      status = exitStatus(error)
      log.error('backup failed', { error })
    }
    waitMs = Math.max(0, intervalMs - (clock.monotonic() - started))
  }
}
