/** Tells people at a terminal what a long command is at; scripts see nothing of it. */
export interface Stages {
  tell(text: string): void
  /** Takes the line away. */
  end(): void
}

/** Stages on one line of standard error. */
export function openStages(): Stages {
  const { stderr } = process
  const write = (text: string) => void (stderr.isTTY && stderr.write(`\r\u001b[K${text}`))
  return { tell: (text) => write(`${text} …`), end: () => write('') }
}
