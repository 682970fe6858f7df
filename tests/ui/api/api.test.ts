import { afterAll, beforeEach, expect, test } from 'bun:test'
import * as v from 'valibot'
import { type Api, ApiError, asApiError, createApi } from '../../../ui/api/api.ts'

let seen: { method: string; token: string | null; body: string } | undefined
let token: string | undefined
let unauthorized = 0
/** Requests of `/busy`, what it responds before it succeeds, and the pauses of the client in ms. */
let busy = 0
let busyAnswers: Response[] = []
let pauses: number[] = []
const refusal = (status: number, retryAfter?: string) =>
  new Response('{}', { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } })

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: {
    '/ok': async (request) => {
      seen = {
        method: request.method,
        token: request.headers.get('authorization'),
        body: await request.text(),
      }
      return Response.json({ name: 'kelvin_25', extra: true })
    },
    '/empty': new Response(null, { status: 204 }),
    '/dead-token': Response.json(
      { status: 401, message: 'Authentication required.', data: {} },
      { status: 401 },
    ),
    '/refused': Response.json(
      {
        status: 400,
        message: 'Check the fields; GET /api/qpus lists them.',
        code: 'invalid',
        request_id: 'r1',
        data: {
          shots: {
            code: 'too_few',
            message: 'At least 1, ask for many with one POST /api/jobs/changes',
            params: { min: 1 },
          },
        },
      },
      { status: 400 },
    ),
    '/busy': () => {
      busy += 1
      return busyAnswers.shift() ?? Response.json({ name: 'kelvin_25' })
    },
    '/html': new Response('<html>Sign in to the network</html>'),
    '/cut': () =>
      new Response(
        new ReadableStream({
          start(stream) {
            stream.enqueue(new TextEncoder().encode('{"name": "kel'))
            setTimeout(() => stream.error(new Error('the server ends')), 20)
          },
        }),
      ),
    '/proxy': new Response('<html>Bad gateway</html>', { status: 502, statusText: 'Bad Gateway' }),
  },
})
afterAll(() => server.stop(true))

const name = v.object({ name: v.string() })
let api: Api

beforeEach(() => {
  token = undefined
  unauthorized = 0
  busy = 0
  pauses = []
  api = createApi({
    pause: async (ms) => void pauses.push(ms),
    base: server.url.origin,
    token: () => token,
    onUnauthorized: () => {
      unauthorized += 1
    },
  })
})

async function errorOf(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  if (!(error instanceof ApiError)) throw new TypeError(`Expected an ApiError, got ${error}`)
  return error
}

test('get() sends the current token and returns the requested fields', async () => {
  expect(await api.get('/ok', name)).toEqual({ name: 'kelvin_25' })
  expect(seen?.token).toBeNull()
  token = 'secret'
  await api.get('/ok', name)
  expect(seen?.token).toBe('secret')
})

test('post() sends JSON', async () => {
  await api.post('/ok', { shots: 3 }, name)
  expect(seen).toMatchObject({ method: 'POST', body: '{"shots":3}' })
})

test('send() accepts a response without a body', async () => {
  await api.send('/empty', {})
  expect(unauthorized).toBe(0)
})

test('get() turns the error envelope into an ApiError with its fields', async () => {
  const error = await errorOf(api.get('/refused', name))
  expect(error).toMatchObject({ status: 400, message: 'Check the fields.', code: 'invalid', requestId: 'r1' })
  expect(error.fields['shots']).toEqual({ code: 'too_few', message: 'At least 1', params: { min: 1 } })
})

test('get() reports a response that is not an error envelope by its status', async () => {
  const error = await errorOf(api.get('/proxy', name))
  expect(error).toMatchObject({ status: 502, message: 'The server responded with 502 Bad Gateway' })
})

test('get() names the position where a response is not as expected', async () => {
  const error = await errorOf(api.get('/ok', v.object({ name: v.number() })))
  expect(error.message).toBe(
    'The response of /ok is not as expected at name. Reload the page; the server may have been updated',
  )
})

test.each(['/html', '/cut'])('a response that cannot be read has words of this page: %s', async (path) => {
  const said = {
    status: 0,
    message: 'The response could not be read. Check the connection and try again',
  }
  expect(await errorOf(api.get(path, name))).toMatchObject(said)
  expect(await errorOf(api.post(path, {}, name))).toMatchObject(said)
  if (path === '/cut') expect(await errorOf(api.file(path))).toMatchObject(said)
})

test('an error of the page itself is reported to the browser, and not shown in its words', () => {
  const reported: unknown[] = []
  const before = globalThis.reportError
  globalThis.reportError = (error) => void reported.push(error)
  try {
    const error = new TypeError("Cannot read properties of undefined (reading 'writeText')")
    expect(asApiError(error).message).toBe('This page failed. Reload it, and report it if it happens again')
    expect(reported).toEqual([error])
  } finally {
    globalThis.reportError = before
  }
})

test('get() reports an invalid token once, and not when no token was sent', async () => {
  await errorOf(api.get('/dead-token', name))
  expect(unauthorized).toBe(0)
  token = 'secret'
  await errorOf(api.get('/dead-token', name))
  expect(unauthorized).toBe(1)
})

test('get() does not end a session that began while the old token was being refused', async () => {
  token = 'old'
  const refused = errorOf(api.get('/dead-token', name))
  token = 'new'
  await refused
  expect(unauthorized).toBe(0)
})

test('get() reports a missing response', async () => {
  const unreachable = createApi({
    base: 'http://127.0.0.1:1',
    token: () => undefined,
    onUnauthorized: () => undefined,
  })
  expect(await errorOf(unreachable.get('/ok', name))).toMatchObject({
    status: 0,
    message: expect.stringContaining('did not respond'),
  })
})

test('get() is repeated after the pause that a busy server asks for, until it succeeds', async () => {
  busyAnswers = [refusal(503, '5'), refusal(429, '2')]
  expect(await api.get('/busy', name)).toEqual({ name: 'kelvin_25' })
  expect(busy).toBe(3)
  const [first = 0, second = 0] = pauses
  expect(first >= 5_000 && first <= 10_000).toBe(true)
  expect(second >= 2_000 && second <= 4_000).toBe(true)
})

test('get() fails with the last response after five attempts, and at once when a repetition is useless', async () => {
  busyAnswers = Array.from({ length: 9 }, () => refusal(503, '0'))
  expect((await errorOf(api.get('/busy', name))).status).toBe(503)
  expect(busy).toBe(5)
  for (const answer of [refusal(503), refusal(400, '1'), refusal(503, '61')]) {
    busy = 0
    busyAnswers = [answer]
    expect((await errorOf(api.get('/busy', name))).status).toBe(answer.status)
    expect(busy).toBe(1)
  }
})

test('post() is not repeated', async () => {
  busyAnswers = [refusal(503, '0')]
  expect((await errorOf(api.post('/busy', {}, name))).status).toBe(503)
  expect(busy).toBe(1)
})

test('get() ends its pause when it is aborted', async () => {
  busyAnswers = [refusal(503, '5')]
  const waiting = createApi({
    base: server.url.origin,
    token: () => undefined,
    onUnauthorized: () => undefined,
  })
  const client = new AbortController()
  const read = waiting.get('/busy', name, client.signal)
  setImmediate(() => client.abort())
  await expect(read).rejects.toMatchObject({ name: 'AbortError' })
})
