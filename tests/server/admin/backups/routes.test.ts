import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../../../src/base/index.ts'
import { listAudit } from '../../../../src/db/journal/index.ts'
import { BackupOperations } from '../../../../src/server/admin/backups/operations.ts'
import { backupRoutes } from '../../../../src/server/admin/backups/routes.ts'
import { onlySqlite } from '../../../support/postgres/only-sqlite.ts'
import { openTestServer, type TestServer } from '../../../support/server/server.ts'
import { until } from '../../../support/until.ts'

const BACKUPS = '/api/op/backups'

interface Operation {
  kind: string
  name: string
  state: 'running' | 'succeeded' | 'failed'
  step: string
  error: string
}

/** Waits until no operation runs, also while the database is being replaced. Returns the last one. */
function finished({ admin }: Pick<TestServer, 'admin'>): Promise<Operation> {
  return until('the operation to end', async () => {
    const { status, body } = await admin.get(`${BACKUPS}/operation`)
    if (status === 503) return false
    expect(status).toBe(200)
    const operation = body as Operation
    return operation.state !== 'running' && operation
  })
}

async function makeBackup(server: TestServer, name: string): Promise<void> {
  expect((await server.admin.post(BACKUPS, { name })).status).toBe(202)
  expect(await finished(server)).toMatchObject({ kind: 'create', name, state: 'succeeded', error: '' })
}

const data = (server: TestServer, ...path: string[]) => join(server.folder, 'svc_data', ...path)

test.skipIf(onlySqlite('its file'))(
  'a backup is made, listed, checked, downloaded in parts and deleted; each is audited',
  async () => {
    await using server = await openTestServer()
    const { admin } = server
    expect((await admin.get(BACKUPS)).body).toEqual({ backups: [], total: 0, operation: null })
    const begun = await admin.post(BACKUPS)
    expect(begun.status).toBe(202)
    const name = begun.text('name')
    expect(name).toMatch(/^svc-\d{8}T\d{6}\.\d{3}Z\.db$/)
    await finished(server)
    const bytes = readFileSync(data(server, 'backups', name))
    const { backups } = (await admin.get(BACKUPS)).body as { backups: object[] }
    expect(backups).toEqual([
      expect.objectContaining({
        ...{ name, kind: 'backup', bytes: bytes.length, version: '2026.1.0-test', findings: 0, problem: '' },
      }),
    ])

    const download = (headers: Record<string, string>) =>
      fetch(`${server.url}${BACKUPS}/${name}/file`, { headers: { ...admin.headers, ...headers } })
    const whole = await download({})
    expect([whole.status, whole.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const ranges: [string, number, Buffer][] = [
      ['bytes=0-15', 206, bytes.subarray(0, 16)],
      ['bytes=100-', 206, bytes.subarray(100)],
      ['bytes=-10', 206, bytes.subarray(-10)],
      [`bytes=${bytes.length}-`, 416, Buffer.alloc(0)],
      ['bytes=5-2', 200, bytes],
      ['lines=1-2', 200, bytes],
    ]
    for (const [range, status, expected] of ranges) {
      const part = await download({ range })
      expect([range, part.status]).toEqual([range, status])
      expect(Buffer.from(await part.arrayBuffer()).equals(expected)).toBe(true)
    }
    const other = await download({ range: 'bytes=0-1', 'if-range': '"another file"' })
    expect(other.status).toBe(200)

    writeFileSync(data(server, 'backups', name), bytes.subarray(0, bytes.length - 8_192))
    expect((await admin.post(`${BACKUPS}/${name}/verify`)).status).toBe(202)
    expect(await finished(server)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('is damaged'),
    })
    const { backups: damaged } = (await admin.get(BACKUPS)).body as { backups: object[] }
    expect(damaged).toEqual([expect.objectContaining({ problem: expect.stringContaining('is damaged') })])

    expect((await admin.call('DELETE', `${BACKUPS}/${name}`)).status).toBe(204)
    expect(readdirSync(data(server, 'backups'))).toEqual([])
    const entries = await server.db.read((tx) => listAudit(tx, { act: 'backup', limit: 100 }))
    expect([...new Set(entries.map(({ act, subject }) => `${act} ${subject}`))]).toEqual(
      ['create', 'download', 'verify', 'delete'].map((act) => `backup.${act} ${name}`),
    )
  },
)

test.skipIf(onlySqlite('its file'))('names lead out of no folder, and a second operation waits', async () => {
  await using server = await openTestServer()
  const { admin } = server
  await makeBackup(server, 'one.db')
  for (const name of ['..%2Fsvc.db', 'svc.db', '..', 'one.db.check', '%2Fetc%2Fpasswd']) {
    expect([name, (await admin.get(`${BACKUPS}/${name}/file`)).status]).toEqual([name, 404])
  }
  expect((await admin.get(`${BACKUPS}/one.db%00/file`)).status).toBe(400)
  for (const name of ['../x.db', 'a/b.db', 'x.txt', '', `${'x'.repeat(200)}.db`]) {
    expect([name, (await admin.post(BACKUPS, { name })).status]).toEqual([name, 400])
  }
  expect((await admin.post(BACKUPS, { name: 'one.db' })).status).toBe(409)
  const [first, second] = [await admin.post(BACKUPS), await admin.call('DELETE', `${BACKUPS}/one.db`)]
  expect([first.status, second.status, second.get('code')]).toEqual([202, 409, 'backup_operation_running'])
  await finished(server)
})

test.skipIf(onlySqlite('its file'))(
  'a restore puts the backup into service without a new process and keeps the old database',
  async () => {
    await using server = await openTestServer()
    const { admin } = server
    await server.createQpu('north')
    await makeBackup(server, 'monday.db')
    await server.createQpu('south')
    const names = async () =>
      ((await admin.get('/api/qpus')).body as { name: string }[]).map(({ name }) => name)
    expect((await names()).toSorted()).toEqual(['north', 'south'])

    for (const confirm of ['tuesday.db', '']) {
      const refused = await admin.post(`${BACKUPS}/restore`, { name: 'monday.db', confirm })
      expect([refused.status, refused.get('data')]).toMatchObject([400, { confirm: {} }])
    }
    const restore = (name: string) => admin.post(`${BACKUPS}/restore`, { name, confirm: name })
    expect((await restore('monday.db')).status).toBe(202)
    expect(await finished(server)).toMatchObject({ kind: 'restore', state: 'succeeded', error: '' })
    expect(await names()).toEqual(['north'])
    expect((await server.guest.get('/api/health?ready=1')).status).toBe(200)
    await server.createQpu('east')

    const { backups } = (await admin.get(BACKUPS)).body as { backups: { name: string; kind: string }[] }
    const earlier = backups.find(({ kind }) => kind === 'earlier')?.name ?? ''
    expect(earlier).toMatch(/^svc\.db\.before-restore-\d{8}T\d{6}\.\d{3}Z$/)
    expect((await restore(earlier)).status).toBe(202)
    expect(await finished(server)).toMatchObject({ state: 'succeeded' })
    expect((await names()).toSorted()).toEqual(['north', 'south'])
    const left = readdirSync(data(server)).filter((name) => /^restore-|replacement/.test(name))
    expect(left).toEqual([])
  },
)

test.skipIf(onlySqlite('its file'))(
  'a restore that cannot be done changes nothing and stops nothing',
  async () => {
    await using server = await openTestServer()
    const { admin } = server
    await server.createQpu('north')
    await makeBackup(server, 'one.db')
    const file = data(server, 'backups', 'one.db')
    writeFileSync(file, readFileSync(file).subarray(0, 20_000))
    const { context } = server.server
    expect((await admin.post(`${BACKUPS}/restore`, { name: 'one.db', confirm: 'one.db' })).status).toBe(202)
    expect(await finished(server)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('damaged'),
    })
    expect(server.server.context).toBe(context)
    expect(existsSync(data(server, 'svc.replacement'))).toBe(false)
    expect((await admin.get('/api/qpus')).body).toHaveLength(1)
  },
)

test.skipIf(onlySqlite('its file'))(
  'a replicated database is not restored under its replicator',
  async () => {
    await using server = await openTestServer({ settings: { checkpoints: 'external' } })
    await makeBackup(server, 'one.db')
    const refused = await server.admin.post(`${BACKUPS}/restore`, { name: 'one.db', confirm: 'one.db' })
    expect([refused.status, refused.get('code')]).toEqual([409, 'replicated'])
  },
)

test('a database that PostgreSQL keeps has no backups here; each route names the remedy', async () => {
  const operations = new BackupOperations({
    ...{ dir: '', version: '', clock: systemClock, log: silentLog },
    replace: () => Promise.reject(new Error('not reached')),
  })
  const routes = backupRoutes(operations).filter(({ path }) => !path.endsWith('/operation'))
  expect(routes.length).toBe(6)
  const context = { db: { files: undefined }, config: { dir: '' }, clock: systemClock }
  const input = {
    params: { name: 'a.db' },
    body: { name: 'a.db', confirm: 'a.db' },
    caller: { kind: 'superuser' },
  }
  for (const route of routes) {
    const run = route.run as unknown as (context: object, input: object) => Promise<unknown>
    const refusal = {
      code: 'conflict',
      reason: 'not_with_postgres',
      message: expect.stringContaining('pg_dump'),
    }
    await expect(run(context, input)).rejects.toMatchObject(refusal)
  }
})
