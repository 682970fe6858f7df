import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { SvcClient } from '../../clients/js/src/index.ts'
import { hasGo } from '../support/clients/go.ts'
import { HostileProxy } from '../support/clients/hostile-proxy.ts'
import { openRunner } from '../support/clients/runners.ts'
import { openFileService } from '../support/executable/file-service.ts'
import { openClientPython } from '../support/python/python.ts'

setDefaultTimeout(300_000)

const PROCESSES = 20

const { service, user } = await openFileService()
service.startDriver('kelvin', await service.createQpu('kelvin'), 'mock')
await service.untilOnline('kelvin')
const made = await service.call<{ token: string }>('POST', '/api/tokens', { token: user.token, body: {} })
const svc = new SvcClient({ baseUrl: service.url, apiToken: made.body.token })
const python = await openClientPython()
afterAll(() => {
  delete process.env['SVC_SESSION']
})

describe.each([
  ['js', true],
  ['go', hasGo],
  ['python', python !== undefined],
])('an array of batch jobs in %s', (client, isThere) => {
  test.skipIf(!isThere)('runs by the secret of a session, with a connection for each process', async () => {
    const started = await svc.sessions.start('kelvin', {
      seconds: 600,
      holder: { kind: 'slurm', id: client },
    })
    process.env['SVC_SESSION'] = started.secret
    await using proxy = await HostileProxy.open(Number(new URL(service.url).port))
    const run = await openRunner(client)
    const array = Array.from({ length: PROCESSES }, () =>
      run(['wait', 1], { url: proxy.url, token: '' }).rest(),
    )
    const ended = (await Promise.all(array)).map((lines) => lines.at(-1))
    expect(ended).toEqual(Array.from({ length: PROCESSES }, () => 'completed 1'))
    expect(proxy.connections).toBe(PROCESSES)
    expect((await svc.sessions.end(started.id, { holder: started.holder })).state).toBe('closed')
  })
})
