import type { Log } from '../base/index.ts'

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
export function untilStopped(log: Log, what: string): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    const onSignal = (signal: string) => {
      if (asked) process.exit(130)
      asked = true
      log.info('stopping', { what, signal })
      resolve()
    }
    process.on('SIGTERM', () => onSignal('SIGTERM'))
    process.on('SIGINT', () => onSignal('SIGINT'))
  })
}
