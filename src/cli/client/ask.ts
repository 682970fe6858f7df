import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ExitError, UsageError } from '../command-line/usage-error.ts'

const INTERRUPTED = 130

/** Lines that were piped in, one for each question. */
let piped: string[] | undefined

/**
 * Asks on the terminal, without echo if `isSecret`; from a pipe or a file it takes the next line.
 *
 * @throws UsageError for an empty answer; ExitError 130 after Ctrl+C.
 */
export async function ask(label: string, { isSecret = false } = {}): Promise<string> {
  const answer = process.stdin.isTTY ? await askTerminal(label, isSecret) : await nextLine()
  if (answer === '') throw new UsageError(`no ${label.toLowerCase()}`)
  return answer
}

async function nextLine(): Promise<string> {
  piped ??= (await Bun.stdin.text()).split('\n')
  return piped.shift()?.replace(/\r$/, '') ?? ''
}

function askTerminal(label: string, isSecret: boolean): Promise<string> {
  // The interface edits the line and echoes it to its output: for a secret, nowhere. It switches the echo of
  // the terminal off, and only then is asked.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({
    input: process.stdin,
    output: isSecret ? nowhere : process.stderr,
    terminal: true,
  })
  process.stderr.write(`${label}: `)
  return new Promise<string>((resolve, reject) => {
    lines.once('SIGINT', () => reject(new ExitError(INTERRUPTED, '')))
    lines.once('line', (answer) => resolve(answer.trim()))
    // The end of the input: Ctrl+D.
    lines.once('close', () => resolve(''))
  }).finally(() => {
    lines.close()
    if (isSecret) process.stderr.write('\n')
  })
}
