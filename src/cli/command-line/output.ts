import { writeSync } from 'node:fs'
import { inspect } from 'node:util'

/** Exit status after an error in the program, as for a disk that fails: another start may succeed. */
const INTERNAL_ERROR = 70

/** A process that runs for long goes on when nobody reads its output any more, or its disk is full. */
export function surviveFailingOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}

/**
 * Ends the process with 70 after an error that nothing has caught. The statuses 1 and 2 of the runtime would
 * tell a service manager that another start changes nothing.
 */
export function endOnUncaughtErrors(): void {
  const end = (error: unknown) => {
    try {
      writeSync(2, `${inspect(error)}\n`)
    } catch {
      // There is nobody to read it.
    }
    process.exit(INTERNAL_ERROR)
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
}
