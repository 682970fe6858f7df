import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { submit } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(60_000)

let folder: TemporaryFolder
let service: Service

beforeAll(async () => {
  folder = temporaryFolder()
  service = await Service.install(folder.path, { flags: ['--max-user-bytes', '100MiB'] })
  await service.start()
})
afterAll(async () => {
  await service?.stop('SIGKILL')
  folder?.[Symbol.dispose]()
})

test('every response names the version of the server', async () => {
  const { body } = await service.call<{ version: string }>('GET', '/api/ui/config')
  const stream = new AbortController()
  for (const path of ['/api/health', '/api/nothing', '/api/jobs', '/', '/nothing.js', '/api/realtime']) {
    const response = await fetch(service.url + path, { signal: stream.signal })
    expect([path, response.headers.get('svc-version')]).toEqual([path, body.version])
  }
  stream.abort()
})

test('GET /api/me shows account, balance, credentials and limits', async () => {
  const user = await service.createUser(60)
  await service.createQpu('kelvin')
  await submit(service, user.token)
  const me = await service.call('GET', '/api/me', { token: user.token })
  expect(me.body).toMatchObject({
    ...{
      role: 'user',
      account: { id: user.id, email: expect.stringContaining('@') },
      balance: { qpu_seconds: 60, unlimited: false },
    },
    credentials: {
      via: 'login',
      id: '',
      name: '',
      scope: 'all',
      expires_at: expect.stringMatching(/^20.*Z$/),
    },
    limits: {
      ...{ requests: null, submissions: null },
      pending_jobs: { used: 1, max: 1_000_000 },
      stored_bytes: { used: expect.any(Number), max: 104_857_600 },
    },
  })
  await service.call('PATCH', `/api/collections/users/records/${user.id}`, {
    ...{ token: await service.admin(), body: { max_bytes: 50_000 } },
  })
  const limited = await service.call('GET', '/api/me', { token: user.token })
  expect(limited.body).toMatchObject({ limits: { stored_bytes: { max: 50_000 } } })
  const made = await service.call<{ token: string }>('POST', '/api/tokens', {
    ...{ token: user.token, body: { name: 'ci', scope: 'read' } },
  })
  const byToken = await service.call('GET', '/api/me', { token: made.body.token })
  expect(byToken.body['credentials']).toEqual({
    ...{
      via: 'api_token',
      id: expect.stringMatching(/^[0-9a-z]{15}$/),
      name: 'ci',
      scope: 'read',
      expires_at: '',
    },
  })
  const admin = await service.call('GET', '/api/me', { token: await service.admin() })
  expect(admin.body).toMatchObject({ role: 'superuser', balance: null, limits: null })
  expect((await service.call('GET', '/api/me')).status).toBe(401)
})
