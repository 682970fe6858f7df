import { expect, test } from 'bun:test'
import { silentLog, systemClock } from '../../src/base/index.ts'
import { checkInvariants } from '../../src/db/index.ts'
import { createServer, readConfig } from '../../src/server/index.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { openTestServer, startDriverProcess, testSettings } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const PROGRAM = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; h q; c = measure q;'

test('createServer() runs a job from its submission to its results through a real driver', async () => {
  await using server = await openTestServer()
  const user = await server.createUser({ qpuSeconds: 100 })
  const qpu = await server.createQpu()
  await using _driver = await startDriverProcess(server, qpu)
  const me = server.as(user)
  const job = await me.post('/api/jobs', { circuits: [{ circuit: PROGRAM }], shots: 10 })
  expect(job.status).toBe(201)
  const path = `/api/jobs/${job.text('id')}`
  const done = await until('the job is completed', async () => {
    const response = await me.get(path)
    return response.get('status') === 'completed' && response
  })
  expect(done.body).toMatchObject({ attempt: 1, results: { shots: 10 }, error: null })
  expect(await server.db.read((tx) => checkInvariants(tx))).toEqual([])
})

test('createServer() sets every QPU offline and preserves the data of the last run', async () => {
  await using first = await openTestServer()
  const qpu = await first.createQpu('kelvin')
  const driver = await startDriverProcess(first, qpu)
  await until('the QPU is online', async () => {
    return (await first.guest.get('/api/qpus/kelvin')).get('status') === 'online'
  })
  await driver.stop()
  await first.close()
  await using second = await openTestServer({ folder: first.folder })
  expect((await second.guest.get('/api/qpus/kelvin')).body).toMatchObject({
    id: qpu.id,
    status: 'offline',
    reason: { code: 'offline' },
  })
})

test('stop() ends open streams and refuses new requests', async () => {
  // This clock stands still: the time after which the ports end what is still open never comes.
  await using server = await openTestServer({ clock: new FakeClock() })
  const stream = await fetch(`${server.url}/api/realtime`)
  expect(stream.status).toBe(200)
  await server.close()
  await stream.text()
  await expect(fetch(`${server.url}/api/health`)).rejects.toThrow()
})

test('start() on a port that is taken names the port and the flag', async () => {
  await using first = await openTestServer()
  const { port } = new URL(first.url)
  await expect(openTestServer({ settings: { serverPort: port } })).rejects.toThrow(
    `Cannot listen on 127.0.0.1 port ${port}`,
  )
})

test('start() that fails closes what it has opened: the other port and the data folder', async () => {
  await using first = await openTestServer()
  const taken = new URL(first.url).port
  using folder = temporaryFolder()
  const settings = { ...(await testSettings(folder.path)), httpsPort: taken }
  const create = () =>
    createServer(readConfig({ flags: settings, env: {} }), {
      ...{ clock: systemClock, log: silentLog, version: '1', assets: undefined },
    })
  const server = await create()
  await expect(server.start()).rejects.toThrow(`Cannot listen on 127.0.0.1 port ${taken}`)
  await server.stop()
  const second = await create()
  await second.stop()
})
