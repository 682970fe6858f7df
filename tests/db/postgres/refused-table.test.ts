import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { BELL, Service } from '../../support/executable/service.ts'
import { postgresMissing, startServer, type TestServer } from '../../support/postgres/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(60_000)

const LISTS = {
  api_tokens: '/api/tokens',
  calibration_requests: '/api/collections/calibration_requests/records',
  notifications: '/api/collections/notifications/records',
  quantum_jobs: '/api/jobs',
  shares: '/api/shared/nothing',
  time_slots: '/api/collections/time_slots/records',
  webhooks: '/api/webhooks',
}

interface State {
  figures: { metric: string; value: number | null; is_beyond: boolean }[]
  unreadable: { metric: string; reason: string }[]
}

describe.skipIf(postgresMissing !== undefined)('a role that may not use one table', () => {
  const folder = temporaryFolder()
  let postgres: TestServer
  let service: Service
  let run: (sql: string) => Promise<unknown>

  beforeAll(async () => {
    postgres = await startServer()
    const address = await postgres.createDatabase()
    await postgres.run('CREATE ROLE lab LOGIN')
    await postgres.run(`ALTER DATABASE ${address.database} OWNER TO lab`)
    run = (sql) => postgres.run(sql, address)
    const { host, port, database } = address
    service = Service.elsewhere(folder.path, {
      flags: ['--database', `postgres://lab@${host}:${port}/${database}`],
    })
    await service.start()
    await service.setUp()
  })
  afterAll(async () => {
    await service.stop()
    await postgres[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  const without = async (right: string, table: string, act: () => Promise<void>) => {
    await run(`REVOKE ${right} ON ${table} FROM lab`)
    try {
      await act()
    } finally {
      await run(`GRANT ${right} ON ${table} TO lab`)
    }
  }
  const get = async (path: string) => {
    const { status, body } = await service.call<{ code: string; message: string }>('GET', path, {
      token: await service.admin(),
    })
    return { status, code: body.code, message: body.message }
  }
  const refusal = (table: string) => ({
    status: 503,
    code: 'database_refused',
    message: expect.stringMatching(
      new RegExp(`permission denied for table ${table}; grant it to the role lab,.*postgresql.md`),
    ),
  })

  test.each(Object.entries(LISTS))('%s: a list is refused, and other routes respond', async (table, path) => {
    await service.admin()
    await without('SELECT', table, async () => {
      expect(await get(path)).toMatchObject(refusal(table))
      for (const other of Object.values(LISTS).filter((each) => each !== path))
        expect((await get(other)).status).toBeLessThan(500)
      expect((await fetch(`${service.url}/api/health`)).status).toBe(200)
    })
    expect((await get(path)).status).toBeLessThan(500)
  })

  test.each([
    ['quantum_jobs', 'svc_jobs', 'svc_job_steps_total'],
    ['calibration_requests', 'svc_calibrations', 'svc_jobs'],
    ['webhooks', 'svc_webhooks_failing', 'svc_jobs'],
    ['webhook_deliveries', 'svc_webhook_deliveries_pending', 'svc_webhooks_failing'],
    ['mail_items', 'svc_mail_items_waiting', 'svc_jobs'],
    ['leases', 'svc_drivers', 'svc_drivers_lost'],
    ['drivers', 'svc_drivers_lost', 'svc_jobs'],
    ['users', 'svc_job_bytes', 'svc_jobs'],
  ])(
    '%s: the figures that count it are named as unreadable, and the others stand',
    async (table, refused, read) => {
      const token = await service.admin()
      await without('SELECT', table, async () => {
        const metrics = await (await fetch(`${service.url}/metrics`)).text()
        expect(metrics).toMatch(new RegExp(`^${refused}(\\{.*\\})? NaN$`, 'm'))
        expect(metrics).toMatch(new RegExp(`^${read}(\\{.*\\})? \\d+$`, 'm'))
        expect(metrics).toMatch(/^svc_unreadable_figures [1-9]$/m)
        const { status, body } = await service.call<State>('GET', '/api/op/service', { token })
        expect(status).toBe(200)
        const unread = body.unreadable.find(({ metric }) => metric === refused)
        expect({ message: unread?.reason }).toMatchObject({ message: refusal(table).message })
        expect(body.figures.find(({ metric }) => metric === 'svc_unreadable_figures')).toMatchObject({
          value: body.unreadable.length,
          is_beyond: true,
        })
        expect(body.figures.find(({ metric }) => metric === 'svc_memory_bytes')?.value).toBeGreaterThan(0)
      })
      expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/^svc_unreadable_figures 0$/m)
    },
  )

  test('a write is refused as a read is', async () => {
    const token = await service.admin()
    const create = () => service.call('POST', '/api/tokens', { token, body: { name: 'a' } })
    await without('INSERT', 'api_tokens', async () => {
      const { status, body } = await create()
      expect({ status, ...(body as object) }).toMatchObject(refusal('api_tokens'))
    })
    expect((await create()).status).toBe(201)
  })

  test('a login is refused as such, not as one with a wrong password', async () => {
    const login = { identity: 'nobody@example.org', password: 'a long password' }
    const path = '/api/collections/users/auth-with-password'
    await without('SELECT', 'users', async () => {
      const { status, body } = await service.call('POST', path, { body: login })
      expect({ status, ...(body as object) }).toMatchObject(refusal('users'))
      expect((await get('/api/collections/thresholds/records')).status).toBe(200)
    })
    expect((await service.call('POST', path, { body: login })).status).toBe(400)
  })

  test('a job is refused, and the next one accepted', async () => {
    const token = await service.admin()
    const qpu = await service.createQpu('north')
    const submit = () =>
      service.call('POST', '/api/jobs', {
        token,
        body: { circuits: [{ circuit: BELL }], qpu_target: qpu.id, shots: 1 },
      })
    await without('INSERT', 'quantum_jobs', async () => {
      const { status, body } = await submit()
      expect({ status, ...(body as object) }).toMatchObject(refusal('quantum_jobs'))
    })
    expect((await submit()).status).toBeLessThan(300)
  })
})
