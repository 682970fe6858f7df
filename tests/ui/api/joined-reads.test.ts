import { afterAll, beforeEach, expect, test } from 'bun:test'
import * as v from 'valibot'
import { createApi } from '../../../ui/api/api.ts'

/** The requests of the server, and the lines that it sends for the next joined reads. */
let seen: string[] = []
let lines: AsyncIterable<string> | Response
let token: string | undefined

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: {
    '/api/reads': {
      POST: async (request) => {
        const { paths } = v.parse(v.object({ paths: v.array(v.string()) }), await request.json())
        seen.push(`${request.headers.get('authorization') ?? 'guest'} ${paths.join(' ')}`)
        if (lines instanceof Response) return lines
        return new Response(streamOf(lines))
      },
    },
    '/file.json': Response.json('file'),
    '/api/*': (request) => {
      seen.push(new URL(request.url).pathname)
      return Response.json('alone')
    },
  },
})
afterAll(() => server.stop(true))

const pauses: number[] = []
const api = createApi({
  base: server.url.origin,
  token: () => token,
  onUnauthorized: () => undefined,
  pause: async (ms) => void pauses.push(ms),
})
const get = (path: string, signal?: AbortSignal) => api.get(path, v.unknown(), signal)
const line = (index: number, body: unknown, more: object = { status: 200 }) =>
  `${JSON.stringify({ index, ...more, body })}\n`
function streamOf(texts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = texts[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(Buffer.from(value))
    },
  })
}
async function* all(...texts: string[]) {
  yield* texts
}

beforeEach(() => {
  seen = []
  token = undefined
})

test('reads that begin together are one request, and each ends with its line', async () => {
  const { promise: late, resolve } = Promise.withResolvers<string>()
  lines = (async function* () {
    const text = line(1, { name: 'kelvin' })
    yield text.slice(0, 9)
    yield text.slice(9)
    yield await late
  })()
  const [first, second] = [get('/api/one'), get('/api/two?q=a b')]
  expect(await second).toEqual({ name: 'kelvin' })
  expect(await Promise.race([first, 'pending'])).toBe('pending')
  resolve(line(0, [1, 2]))
  expect(await first).toEqual([1, 2])
  expect(seen).toEqual(['guest /api/one /api/two?q=a b'])
})

test('a read without company, and more than the server takes, are requests of their own', async () => {
  expect(await get('/api/one')).toBe('alone')
  lines = all(...Array.from({ length: 32 }, (_, index) => line(index, index)))
  const read = await Promise.all(Array.from({ length: 33 }, (_, at) => get(`/api/${at}`)))
  expect(read).toEqual([...Array(32).keys(), 'alone'])
  expect(seen).toHaveLength(3)
})

test('what is no route of the API is not joined', async () => {
  expect(await Promise.all([get('/file.json'), get('/api/one')])).toEqual(['file', 'alone'])
})

test('reads of two accounts are not joined', async () => {
  token = 'one'
  const before = get('/api/one')
  token = 'two'
  await Promise.all([before, get('/api/two')])
  expect(seen.toSorted()).toEqual(['/api/one', '/api/two'])
})

test('a refused read rejects alone, and is repeated when the server asks for it', async () => {
  const missing = { status: 404, message: 'No such job', data: {} }
  lines = all(line(0, missing, { status: 404 }), line(1, null, { status: 503, retry_after: '2' }))
  const reads = await Promise.allSettled([get('/api/one'), get('/api/two')])
  expect(reads).toMatchObject([
    { status: 'rejected', reason: { status: 404, message: 'No such job' } },
    { status: 'fulfilled', value: 'alone' },
  ])
  expect(pauses.pop()).toBeGreaterThanOrEqual(2_000)
})

test('what the server does not put into a line is read alone', async () => {
  lines = all(line(1, 2), line(0, { code: 'read_alone', data: {} }, { status: 422 }))
  expect(await Promise.all([get('/api/one'), get('/api/two')])).toEqual(['alone', 2])
})

test('an aborted read leaves the others, and the last one ends the request', async () => {
  lines = all(line(0, 1), line(1, 2))
  const [one, other] = [new AbortController(), new AbortController()]
  const reads = [get('/api/one', one.signal), get('/api/two', other.signal)]
  one.abort()
  expect(await Promise.allSettled(reads)).toMatchObject([
    { status: 'rejected', reason: { name: 'AbortError' } },
    { status: 'fulfilled', value: 'alone' },
  ])
  const { promise: closed, resolve } = Promise.withResolvers<string>()
  lines = (async function* () {
    yield line(0, 1)
    await closed
  })()
  const [first, second] = [get('/api/one'), get('/api/two', other.signal)]
  expect(await first).toBe(1)
  other.abort()
  await expect(second).rejects.toMatchObject({ name: 'AbortError' })
  resolve('')
})

test('reads without a line, and those of a refused request, are rejected', async () => {
  lines = all(line(0, 1))
  const reads = await Promise.allSettled([get('/api/one'), get('/api/two')])
  expect(reads).toMatchObject([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: { status: 0 } },
  ])
  lines = Response.json({ status: 429, message: 'Too many requests', data: {} }, { status: 429 })
  const refused = await Promise.allSettled([get('/api/one'), get('/api/two')])
  expect(refused).toMatchObject(Array(2).fill({ status: 'rejected', reason: { status: 429 } }))
})
