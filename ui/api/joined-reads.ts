import * as v from 'valibot'

/** The reads that the server answers in one request. */
const MAX_JOINED = 32
const PATH = '/api/reads'

/** One line of the response. */
const line = v.object({
  index: v.number(),
  status: v.number(),
  retry_after: v.optional(v.string()),
  body: v.unknown(),
})
/** The code of a response that comes only by a request of its own. */
const alone = v.object({ code: v.literal('read_alone') })

interface Waiting {
  path: string
  headers: Headers
  signal: AbortSignal | null | undefined
  resolve(response: Response | Promise<Response>): void
  reject(reason: unknown): void
}

/**
 * Sends the reads that begin in one turn of the event loop as one request, of which each response comes as
 * soon as it is ready. A read without company is sent as it is.
 */
export function createJoinedReads(base: string) {
  let gathered: Waiting[] = []
  const flush = () => {
    const waiting = gathered.filter(({ signal }) => !signal?.aborted)
    gathered = []
    // A login changes the token of the reads that follow.
    const byToken = Map.groupBy(waiting, ({ headers }) => headers.get('authorization'))
    for (const same of byToken.values()) {
      for (let at = 0; at < same.length; at += MAX_JOINED) void send(base, same.slice(at, at + MAX_JOINED))
    }
  }
  return {
    /** As `fetch()` of a GET request; `url` begins with `base`. */
    read: (url: string, { headers, signal }: { headers: Headers; signal?: AbortSignal | null }) =>
      new Promise<Response>((resolve, reject) => {
        const stop = () => reject(signal?.reason)
        if (signal?.aborted) return stop()
        signal?.addEventListener('abort', stop, { once: true })
        gathered.push({ path: url.slice(base.length), headers, signal, resolve, reject })
        if (gathered.length === 1) setTimeout(flush)
      }),
  }
}

async function send(base: string, waiting: readonly Waiting[]): Promise<void> {
  const [first, second] = waiting
  if (!first) return
  const sendAlone = ({ path, headers, signal = null }: Waiting) => fetch(base + path, { headers, signal })
  if (!second) return first.resolve(sendAlone(first))
  const left = new Map(waiting.entries())
  const outer = new AbortController()
  const drop = (index: number) => {
    left.delete(index)
    if (left.size === 0) outer.abort()
  }
  for (const [index, { signal }] of waiting.entries())
    signal?.addEventListener('abort', () => drop(index), { once: true })
  try {
    const headers = new Headers(first.headers)
    headers.set('content-type', 'application/json')
    const body = JSON.stringify({ paths: waiting.map(({ path }) => path) })
    const response = await fetch(base + PATH, { method: 'POST', headers, body, signal: outer.signal })
    if (!response.ok) {
      const refusal = await response.blob()
      for (const { resolve } of left.values()) resolve(new Response(refusal, response))
      return
    }
    for await (const text of linesOf(response)) {
      const { index, status, retry_after, body } = v.parse(line, JSON.parse(text))
      const read = left.get(index)
      left.delete(index)
      read?.resolve(v.is(alone, body) ? sendAlone(read) : responseOf(status, retry_after, body))
    }
    throw new TypeError('The response ended early')
  } catch (failure) {
    for (const { reject } of left.values()) reject(failure)
  }
}

/** A response whose body has been parsed already. */
function responseOf(status: number, retryAfter: string | undefined, body: unknown): Response {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  return Object.assign(new Response(null, { status, headers }), { json: async () => body })
}

async function* linesOf({ body }: Response): AsyncGenerator<string, void, undefined> {
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
