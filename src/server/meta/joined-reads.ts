import * as v from 'valibot'
import { type Clock, KIB, Turns } from '../../base/index.ts'
import { chooseCoding } from '../http/coding/accept-encoding.ts'
import { compressStream } from '../http/coding/compress.ts'
import { readerOf } from '../http/reading.ts'
import { FILE_IDLE_SECONDS } from '../http/response/text-file.ts'
import { defineRoute, type Route } from '../http/route.ts'

/** Reads of one request; each counts as one for the request limits. */
const MAX_JOINED_READS = 32
const MAX_PATH_LENGTH = 4_096
/** Reads of one request that run at the same time: fewer than the connections that a browser opens. */
const AT_ONCE = 4
/** Joined reads that start in one turn of the event loop take so long in all, or are a single one. */
const STARTS_MS = 1
/** Larger responses are sent in parts, while the client receives them; a line is held as a whole. */
const MAX_LINE_BYTES = 512 * KIB
const MEDIA = 'application/x-ndjson'
/** Headers about the body and the response of the outer request. */
const OUTER_HEADERS = [
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'transfer-encoding',
]

const path = v.pipe(
  v.string(),
  v.maxLength(MAX_PATH_LENGTH),
  v.regex(/^\/api\//, 'Expected the path of a GET route, which begins with /api/'),
)

/**
 * Many reads in one request. A page that opens makes a dozen, which browsers send six at a time, each after
 * the round trip of another one. Callers take turns with the reads of all their requests: reads that started
 * together would be a wait of everybody else.
 */
export function joinedReadsRoute(clock: Clock): Route {
  const turns = new Turns(clock, STARTS_MS)
  return defineRoute('POST /api/reads', {
    access: 'public',
    scope: 'read',
    summary:
      'Send up to 32 GET requests at once; each response is a line {index, status, retry_after, body}, in the order in which they are ready',
    body: v.object({ paths: v.pipe(v.array(path), v.minLength(1), v.maxLength(MAX_JOINED_READS)) }),
    media: MEDIA,
    async run(_, { body: { paths }, request, caller, address, forward, setIdleTimeout }) {
      setIdleTimeout(FILE_IDLE_SECONDS)
      const reader = readerOf(caller, address)
      const lines = linesOf(paths, async (each) => {
        await turns.wait(reader)
        return forward(innerRequest(request, each))
      })
      const body = streamOf(lines)
      const coding = chooseCoding(request.headers.get('accept-encoding'))
      return new Response(coding ? compressStream(body, coding, { isFlushed: true }) : body, {
        headers: {
          'content-type': MEDIA,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          vary: 'Accept-Encoding',
          ...(coding && { 'content-encoding': coding }),
        },
      })
    },
  })
}

function innerRequest(outer: Request, target: string): Request {
  const headers = new Headers(outer.headers)
  for (const name of OUTER_HEADERS) headers.delete(name)
  return new Request(new URL(target, outer.url), { headers, signal: outer.signal })
}

/** The lines of the responses, as soon as each is there. Never rejects. */
async function* linesOf(
  paths: readonly string[],
  read: (target: string) => Promise<Response>,
): AsyncGenerator<string, undefined, undefined> {
  const waiting = [...paths.entries()]
  const ready: string[] = []
  let running = 0
  let wake: () => void = () => undefined
  const add = (line: string) => {
    running -= 1
    ready.push(line)
    wake()
  }
  for (let left = paths.length; left > 0; left -= 1) {
    // A client that does not read holds no more lines than these.
    for (const [index, target] of waiting.splice(0, AT_ONCE - running - ready.length)) {
      running += 1
      void lineOf(index, read(target)).then(add, () => add(aloneLine(index)))
    }
    if (ready.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
    yield ready.shift() ?? ''
  }
  return undefined
}

async function lineOf(index: number, responding: Promise<Response>): Promise<string> {
  const response = await responding
  const { status, headers, body } = response
  const isJson = headers.get('content-type')?.startsWith('application/json')
  if (!isJson) await body?.cancel()
  const text = isJson ? await textOf(response) : undefined
  if (text === undefined) return aloneLine(index)
  const head = JSON.stringify({ index, status, retry_after: headers.get('retry-after') ?? undefined })
  // Line breaks of JSON are white space: in strings they are escaped.
  return `${head.slice(0, -1)},"body":${text.replaceAll('\n', ' ')}}\n`
}

/** The line for a response that does not fit into one, or broke off. */
function aloneLine(index: number): string {
  const message = 'The response is a file, a stream or larger than 512 KiB: request this path alone'
  const body = { status: 422, message, code: 'read_alone', data: {} }
  return `${JSON.stringify({ index, status: 422, body })}\n`
}

/** The body; undefined if it is too large for a line. Rejects if it breaks off. */
async function textOf({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > MAX_LINE_BYTES) return undefined
  }
  return Buffer.concat(chunks).toString()
}

/** The lines as fast as the client receives them. */
function streamOf(lines: AsyncGenerator<string, undefined, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value } = await lines.next()
        if (value === undefined) controller.close()
        else controller.enqueue(Buffer.from(value))
      },
      async cancel() {
        await lines.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
