import type { Transport } from './transport.ts'

/** A change of a record. */
export interface Change {
  readonly action: 'create' | 'update' | 'delete'
  readonly record: { readonly id: string; readonly [field: string]: unknown }
}

/** The server sends a comment at least this often on a quiet stream, with a margin. */
const SILENCE_MS = 60_000

/**
 * Subscribes to topics such as `quantum_jobs/*` and yields an item for each change, after `undefined` once
 * the subscription is confirmed: changes of before are to be read. Ends with an error when the connection is
 * lost or nothing has come for a minute.
 */
export async function* changesOf(
  transport: Transport,
  topics: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Change | undefined, void, undefined> {
  const silence = new AbortController()
  const until = AbortSignal.any([signal, silence.signal])
  let timer = setTimeout(() => silence.abort(), SILENCE_MS)
  const restart = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MS)
  }
  try {
    const response = await transport.stream('/api/realtime', until)
    for await (const { event, data } of messagesOf(response, restart)) {
      const content = JSON.parse(data)
      if (event !== 'PB_CONNECT') {
        yield content as Change
        continue
      }
      const body = { clientId: content.clientId, subscriptions: topics }
      await transport.request('POST', '/api/realtime', { body, signal: until, isRepeatable: true })
      yield undefined
    }
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

interface Message {
  event: string
  data: string
}

/** The messages of a stream of server-sent events (HTML standard, section 9.2). */
async function* messagesOf(response: Response, restart: () => void): AsyncGenerator<Message> {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let buffer = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    restart()
    buffer += value
    const blocks = buffer.split(/\r?\n\r?\n/)
    buffer = blocks.pop() ?? ''
    for (const block of blocks) {
      const lines = block.split(/\r?\n/)
      const of = (field: string) =>
        lines
          .filter((line) => line.startsWith(`${field}:`))
          .map((line) => line.slice(field.length + 1).trimStart())
      const data = of('data').join('\n')
      if (data !== '') yield { event: of('event')[0] ?? 'message', data }
    }
  }
}
