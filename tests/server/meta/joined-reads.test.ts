import { expect, test } from 'bun:test'
import { joinedReadsRoute } from '../../../src/server/meta/joined-reads.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { BELL } from '../../support/server/job-lab.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'

interface Line {
  index: number
  status: number
  retry_after?: string
  body: unknown
}

/** The lines in their order; `headers` are those of the request. */
async function joined(
  { url }: Pick<TestServer, 'url'>,
  paths: readonly string[],
  headers: Record<string, string> = {},
): Promise<Line[]> {
  const response = await fetch(`${url}/api/reads`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ paths }),
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const lines = (await response.text()).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}

test('POST /api/reads answers each path as a request alone, with the rights of the caller', async () => {
  await using server = await openTestServer()
  const paths = ['/api/me', '/api/qpus', '/api/op/tasks', '/api/nowhere', '/api/jobs?limit=x', '/api/reads']
  for (const token of ['', (await server.createUser()).token, server.superuser.token]) {
    const headers = token === '' ? {} : { authorization: token }
    const single = new Map<number, [number, unknown]>()
    for (const [index, path] of paths.entries()) {
      const response = await fetch(server.url + path, { headers })
      single.set(index, [response.status, await response.json()])
    }
    for (const coding of ['identity', 'gzip', 'zstd']) {
      const lines = await joined(server, paths, { ...headers, 'accept-encoding': coding })
      expect(lines.map(({ index }) => index).sort()).toEqual([...paths.keys()])
      for (const { index, status, body } of lines) {
        const [expected, wanted] = single.get(index) ?? []
        expect([paths[index], status]).toEqual([paths[index] ?? '', expected ?? 0])
        expect(withoutTraces(body)).toEqual(withoutTraces(wanted))
      }
    }
  }
})

/** What differs between two responses to the same request. */
function withoutTraces(body: unknown): unknown {
  const text = JSON.stringify(body).replace(/"request_id":"[^"]*"/, '')
  const changing = 'last_used|last_address|last_run|next_run|running|duration_ms|used'
  return text.replace(new RegExp(`"(${changing})":("[^"]*"|[\\d.]+|true|false|null)`, 'g'), '')
}

test('POST /api/reads refuses other paths and more than 32 of them', async () => {
  await using server = await openTestServer()
  for (const paths of [[], ['/'], ['api/me'], ['//evil.example/api/me'], Array(33).fill('/api/me')]) {
    const { status, body } = await server.guest.post('/api/reads', { paths })
    expect([paths.length, status]).toEqual([paths.length, 400])
    expect(body).toMatchObject({ data: {} })
  }
  // A path that leaves the routes is that of a file.
  expect(await joined(server, ['/api/../index.html'])).toMatchObject([{ index: 0, status: 422 }])
})

test('POST /api/reads sends what is ready while another read waits', async () => {
  await using server = await openTestServer()
  const user = await server.createUser({ qpuSeconds: 100 })
  const client = server.as(user)
  await server.createQpu('kelvin')
  const job = (await client.post('/api/jobs', { circuits: [{ circuit: BELL }], shots: 1 })).text('id')
  const response = await fetch(`${server.url}/api/reads`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: user.token },
    body: JSON.stringify({ paths: [`/api/jobs/${job}?wait=60&fields=status`, '/api/qpus?fields=name'] }),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const first = await reader?.read()
  expect(JSON.parse(first?.value ?? '')).toEqual({ index: 1, status: 200, body: [{ name: 'kelvin' }] })
  await client.post(`/api/jobs/${job}/cancel`)
  const second = await reader?.read()
  expect(JSON.parse(second?.value ?? '')).toEqual({ index: 0, status: 200, body: { status: 'cancelled' } })
  expect((await reader?.read())?.done).toBe(true)
})

test('POST /api/reads leaves streams, files and large responses to requests of their own', async () => {
  await using server = await openTestServer()
  const user = await server.createUser({ qpuSeconds: 100 })
  await server.createQpu('kelvin')
  const circuit = `${BELL}//${'x'.repeat(600_000)}`
  const job = (await server.as(user).post('/api/jobs', { circuits: [{ circuit }], shots: 1 })).text('id')
  const paths = [
    '/api/realtime',
    '/api/pub/root-ca.pem',
    `/api/jobs/${job}`,
    `/api/jobs/${job}?fields=status`,
  ]
  const lines = await joined(server, paths, { authorization: user.token })
  const statuses = lines.toSorted((one, other) => one.index - other.index).map(({ status }) => status)
  expect(statuses).toEqual([422, 422, 422, 200])
  expect(lines.find(({ index }) => index === 0)?.body).toMatchObject({ code: 'read_alone' })
})

test('POST /api/reads starts the reads of all requests of a caller one by one, and callers take turns', async () => {
  const clock = new FakeClock()
  const route = joinedReadsRoute(clock)
  const started: string[] = []
  let isNewTurn = true
  const send = async (address: string, count: number) => {
    const request = new Request('http://svc/api/reads')
    const forward = async () => {
      expect([address, isNewTurn]).toEqual([address, true])
      started.push(address)
      isNewTurn = false
      setImmediate(() => (isNewTurn = true))
      // What a list costs.
      await clock.advance(5)
      return Response.json({})
    }
    const body = { paths: Array.from({ length: count }, () => '/api/jobs') }
    const call = {
      caller: { kind: 'guest' },
      address,
      body,
      request,
      forward,
      setIdleTimeout: () => undefined,
    }
    const answer: Response = await Reflect.apply(route.run, route, [undefined, call])
    return (await answer.text()).trimEnd().split('\n').length
  }
  const sizes = await Promise.all([send('a', 32), send('a', 32), send('a', 32), send('b', 3)])
  expect(sizes).toEqual([32, 32, 32, 3])
  expect(started.slice(0, 6).sort()).toEqual(['a', 'a', 'a', 'b', 'b', 'b'])
})

test('POST /api/reads counts each read for the request limit', async () => {
  await using server = await openTestServer({ settings: { anonymousRate: '1:5' } })
  const lines = await joined(server, Array(32).fill('/api/qpus'))
  const refused = lines.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(20)
  expect(refused[0]?.retry_after).toMatch(/^\d+$/)
})
