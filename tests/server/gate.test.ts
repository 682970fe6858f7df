import { expect, test } from 'bun:test'
import { Gate } from '../../src/server/gate.ts'

const at = 'http://10.0.0.2:8090'

async function ask(gate: Gate, path: string, method = 'GET'): Promise<Response> {
  return gate.handle(new Request(`${at}${path}`, { method }))
}

test('a server on standby is healthy and refers everything else to the leader', async () => {
  const gate = new Gate(() => 0)
  gate.standBy('http://10.0.0.1:8090')
  const health = await ask(gate, '/api/health')
  expect(await health.json()).toMatchObject({ code: 200, data: { role: 'standby' } })
  expect(await (await ask(gate, '/metrics')).text()).toEndWith('\nsvc_leader 0\n')
  for (const [path, method] of [
    ['/api/health?ready=1', 'GET'],
    ['/api/health', 'POST'],
    ['/api/jobs', 'POST'],
    ['/', 'GET'],
  ] as const) {
    const response = await ask(gate, path, method)
    expect(response.status).toBe(503)
    expect(response.headers.get('svc-leader')).toBe('http://10.0.0.1:8090')
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toMatchObject({ status: 503, code: 'not_leader' })
  }
  gate.standBy('')
  expect((await ask(gate, '/api/jobs')).headers.has('svc-leader')).toBe(false)
})

test('a browser sees a page that names the leader and goes there', async () => {
  const gate = new Gate(() => 0)
  const visit = (path: string) =>
    gate.handle(new Request(`${at}${path}`, { headers: { accept: 'text/html,*/*;q=0.8' } }))
  gate.standBy('http://10.0.0.1:8090')
  const page = await visit('/jobs/a?tab="><b>')
  expect(page.status).toBe(503)
  expect(page.headers.get('refresh')).toBe('3; url=http://10.0.0.1:8090/jobs/a?tab=%22%3E%3Cb%3E')
  const other = await visit('//evil.example/a')
  expect(other.headers.get('refresh')).toBe('3; url=http://10.0.0.1:8090//evil.example/a')
  expect(await page.text()).toContain('another one leads: <a href="http://10.0.0.1:8090/jobs/a?tab=')
  gate.standBy('')
  expect((await visit('/jobs')).headers.get('refresh')).toBe(`3; url=${at}/jobs`)
})

test('a server that leads serves requests, and refuses them while its database is replaced', async () => {
  const gate = new Gate(() => 0)
  gate.standBy('')
  gate.open(() => new Response('served'))
  expect(await (await ask(gate, '/api/jobs')).text()).toBe('served')
  gate.close()
  const response = await ask(gate, '/api/health')
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ code: 'restoring' })
})
