import type { Log } from '../../../base/index.ts'

/** Runs a handler of the owner; its exception is logged and must not close the connection. Returns whether it ran. */
export function guarded(log: Log, what: string, run: () => void): boolean {
  try {
    run()
    return true
  } catch (error) {
    log.error('message socket handler failed', { handler: what, error })
    return false
  }
}
