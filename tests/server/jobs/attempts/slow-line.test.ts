import { expect, test } from 'bun:test'
import { BELL } from '../../../support/server/job-lab.ts'
import { openTestServer, startDriverProcess, type TestServer } from '../../../support/server/server.ts'
import { openSlowProxy } from '../../../support/sockets/proxy.ts'
import { until } from '../../../support/until.ts'

/** The server as seen by a driver whose results go over a slow line. */
function overSlowLine({ url }: TestServer, bytesPerSecond: number) {
  const lines: { close(): void }[] = []
  const http = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const { method, headers } = request
      const body = method === 'POST' ? { body: await request.text() } : {}
      const response = await fetch(url + pathname, { method, headers, ...body })
      if (response.status !== 200 || !pathname.endsWith('/connect')) return response
      const lease = await response.json()
      const line = await openSlowProxy(lease.result_port, bytesPerSecond)
      lines.push(line)
      return Response.json({ ...lease, result_port: line.port })
    },
  })
  return {
    url: `http://127.0.0.1:${http.port}`,
    [Symbol.dispose]() {
      for (const line of lines) line.close()
      void http.stop(true)
    },
  }
}

test('a result that takes longer than the job timeout to arrive is applied', async () => {
  await using test = await openTestServer({ settings: { jobTimeout: '2s', recoveryInterval: '100ms' } })
  using slow = overSlowLine(test, 180_000)
  const { token } = await test.createQpu()
  await using driver = await startDriverProcess({ ...test, url: slow.url }, { token, device: 'mock' })
  await driver.connected
  const owner = test.as(await test.createUser({ qpuSeconds: 100 }))
  // 0.6 MB of results.
  const job = await owner.post('/api/jobs', { circuits: [{ circuit: BELL }], shots: 100_000, memory: true })
  const path = `/api/jobs/${job.text('id')}`
  const ended = await until(
    'the job has ended',
    async () => {
      const response = await owner.get(path)
      return ['completed', 'failed'].includes(response.text('status')) && response
    },
    { timeoutMs: 50_000 },
  )
  expect(ended.get('status')).toBe('completed')
  expect(JSON.stringify(ended.get('results')).length).toBeGreaterThan(500_000)
})
