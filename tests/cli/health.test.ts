import { expect, test } from 'bun:test'
import { runSvc } from '../support/executable/service.ts'
import { freePort } from '../support/free-port.ts'
import { openTestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('svc health ends with 0 for a server that works, and 1 with the reason for others', async () => {
  using folder = temporaryFolder()
  const server = await openTestServer()
  const { port } = new URL(server.url)
  const health = (...args: string[]) => runSvc(['health', ...args], { cwd: folder.path })
  expect(await health('--url', server.url)).toMatchObject({ status: 0, out: `${server.url}: healthy\n` })
  // The address is that of the settings.
  const env = { SVC_SERVER_PORT: port, SVC_IP_ADDR: '::1', SVC_LISTEN_ADDR: '0.0.0.0' }
  const own = await runSvc(['health', '--json'], { cwd: folder.path, env })
  expect(JSON.parse(own.out)).toEqual({ url: `http://127.0.0.1:${port}`, healthy: true, ready: false })
  await server.close()
  expect(await health('--url', server.url)).toMatchObject({
    status: 1,
    err: expect.stringContaining(`does not respond: nothing listens there; start the server with svc serve`),
  })
  expect(await health('--url', 'ftp://host')).toMatchObject({ status: 2 })

  // Something else that listens there is not a healthy server.
  using other = Bun.serve({ port: freePort(), fetch: () => new Response('Welcome') })
  expect(await health('--url', other.url.href)).toMatchObject({
    status: 1,
    err: expect.stringContaining('200: no answer of svc'),
  })
})
