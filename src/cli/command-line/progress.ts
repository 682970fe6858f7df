/** Progress of a long command on one line of a terminal; prints nothing into a file or a pipe. */
export interface Progress {
  /** Shows the current step, such as `checking the backup`. */
  report(step: string): void
  /** Removes the line. */
  end(): void
}

/** Progress on standard error. */
export function openProgress(): Progress {
  const { stderr } = process
  const write = (text: string) => void (stderr.isTTY && stderr.write(`\r\u001b[K${text}`))
  return { report: (step) => write(`${step} …`), end: () => write('') }
}
