import type { Log } from '../../base/index.ts'

/** A second SIGINT within this time is the first Ctrl+C, delivered twice to a process group. */
const REPEATED_SIGNAL_MS = 1_000

/** Resolves at the first SIGTERM or SIGINT; a later second SIGINT ends the process immediately. */
export function untilStopped(log: Log, what: string): Promise<void> {
  return new Promise((resolve) => {
    let signalledAt: number | undefined
    const onSignal = (signal: 'SIGTERM' | 'SIGINT') => {
      if (signalledAt === undefined) {
        signalledAt = performance.now()
        log.info('stopping', { what, signal })
        resolve()
      } else if (signal === 'SIGINT' && performance.now() - signalledAt > REPEATED_SIGNAL_MS) {
        process.exit(130)
      }
    }
    process.on('SIGTERM', () => onSignal('SIGTERM'))
    process.on('SIGINT', () => onSignal('SIGINT'))
  })
}
