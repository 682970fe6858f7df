import { writeSync } from 'node:fs'
import { inspect } from 'node:util'
import { isObject, reasonOf } from '../../base/index.ts'

/** Exit status after an error in the program, as for a disk that fails: another start may succeed. */
const INTERNAL_ERROR = 70

/** Whether nothing more is written, and whether any failure leads to that. */
const output = { isClosed: false, survivesFailures: false }

/** A process that runs for long goes on when nobody reads its output any more, or its disk is full. */
export function surviveFailingOutput(): void {
  output.survivesFailures = true
  process.stderr.on('error', () => undefined)
}

/**
 * Writes to standard output, in the way of every command: a reader that closes the pipe ends the output, not
 * the command. Returns whether anything still reads.
 * @throws Error when what is written is lost, such as on a full disk.
 */
export function writeOut(text: string): boolean {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length && !output.isClosed; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      waitOrClose(error)
    }
  }
  return !output.isClosed
}

function waitOrClose(error: unknown): void {
  const code = isObject(error) ? error['code'] : undefined
  // A pipe that does not block, and whose reader is slower.
  if (code === 'EAGAIN') {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    return
  }
  output.isClosed = true
  if (code !== 'EPIPE' && !output.survivesFailures)
    throw new Error(`The output cannot be written: ${reasonOf(error)}`)
}

/** Lets `console.log`, which drops what it cannot write, be `writeOut`. */
export function printByWriteOut(): void {
  console.log = (...parts: unknown[]) => void writeOut(`${parts.map(String).join(' ')}\n`)
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
