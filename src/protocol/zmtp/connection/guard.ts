import type { Log } from '../../../base/index.ts'

/**
 * Runs a callback; an exception is logged and does not close the connection. Returns whether it succeeded.
 */
export function guarded(log: Log, what: string, run: () => void): boolean {
  try {
    run()
    return true
  } catch (error) {
    log.error('message socket handler failed', { handler: what, error })
    return false
  }
}
