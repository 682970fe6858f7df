import { createLog, type Log } from '../../../src/base/index.ts'

interface Line {
  level: string
  subject: string
  message: string
  [field: string]: unknown
}

/** A log that records its lines. */
export function recordedLog(): { log: Log; lines: Line[]; messages(): string[] } {
  const lines: Line[] = []
  const log = createLog({ level: 'debug', write: (line) => lines.push(JSON.parse(line)) })
  return { log, lines, messages: () => lines.map((line) => line.message) }
}
