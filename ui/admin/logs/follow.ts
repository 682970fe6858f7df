import * as v from 'valibot'
import { type LogLine, logLine } from './model.ts'

interface Following {
  /** The server sends lines from now on. */
  onOpen: () => void
  onLine: (line: LogLine) => void
  /** Lines that the server left out because they were read too slowly. */
  onDropped: (lines: number) => void
}

const dropped = v.object({ lines: v.number() })

/**
 * Follows the log until the signal aborts it, or the server ends the stream. An `EventSource` cannot send the
 * token of the account.
 */
export async function followLog(
  path: string,
  token: string,
  { onOpen, onLine, onDropped }: Following,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(path, { headers: { authorization: token }, signal })
  if (!response.ok || !response.body) throw new Error(`The server responded with ${response.status}`)
  onOpen()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const { events, left } = splitEvents(rest + value)
    rest = left
    for (const { name, data } of events) {
      const body: unknown = JSON.parse(data)
      if (name === 'line' && v.is(logLine, body)) onLine(v.parse(logLine, body))
      if (name === 'dropped' && v.is(dropped, body)) onDropped(body.lines)
    }
  }
}

interface StreamEvent {
  name: string
  data: string
}

/** The complete events of a text, and what is left of an incomplete one. Comments are left out. */
export function splitEvents(text: string): { events: StreamEvent[]; left: string } {
  const blocks = text.split('\n\n')
  const left = blocks.pop() ?? ''
  const events = blocks.flatMap((block) => {
    const fields = new Map(
      block.split('\n').map((line): [string, string] => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon), line.slice(colon + 1).trimStart()]
      }),
    )
    const data = fields.get('data')
    return data === undefined ? [] : [{ name: fields.get('event') ?? 'message', data }]
  })
  return { events, left }
}
