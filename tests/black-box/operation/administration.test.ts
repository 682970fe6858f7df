import { expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GATED } from '../../support/devices/gated.ts'
import { submit, untilJob, untilStarted } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

interface Setting {
  name: string
  value: string
  source: string
  place: string
  next_value: string | null
}

test('configuration, background tasks and audit log of the executable', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'svc.config.yml')
  writeFileSync(file, 'siteName: Kelvin\njobTimeout: 30s\n')
  await using service = await Service.install(folder.path)
  await service.start({ SVC_SMTP_PASSWORD: 'hidden password' })
  const token = await service.admin()
  const get = async <T>(path: string) => (await service.call<T>('GET', path, { token })).body

  const settings = async () => (await get<{ settings: Setting[] }>('/api/op/config')).settings
  const of = async (name: string) => (await settings()).find((each) => each.name === name)
  expect(await of('siteName')).toMatchObject({
    ...{ value: 'Kelvin', source: 'file', place: 'svc.config.yml, line 1: siteName' },
  })
  expect(await of('serverPort')).toMatchObject({ source: 'flag', value: String(service.port) })
  expect(await of('smtpPassword')).toMatchObject({ place: 'SVC_SMTP_PASSWORD', value: '********' })
  expect(JSON.stringify(await settings())).not.toContain('hidden password')
  writeFileSync(file, 'jobTimeout: 40s\nsubmitRate: 1:2\n')
  process.kill(service.pid ?? 0, 'SIGHUP')
  await service.untilLogged('changed settings take effect at the next start')
  expect(await of('jobTimeout')).toMatchObject({ value: '30s', next_value: '40s', source: 'file' })

  const ran = async () => {
    const { tasks } = await get<{ tasks: { id: string; last_run: string }[] }>('/api/op/tasks')
    return tasks.find(({ id }) => id === 'certificate-renewal')?.last_run
  }
  const before = await ran()
  const path = '/api/op/tasks/certificate-renewal/run'
  expect((await service.call('POST', path, { token })).status).toBe(202)
  await until('the run', async () => (await ran()) !== before)

  const { entries } = await get<{ entries: { action: string; email: string }[] }>('/api/op/audit?action=task')
  expect(entries).toMatchObject([{ action: 'task.run', email: 'admin@example.org' }])
})

test('a restore over HTTP with a driver: its late results do no harm and it goes on', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  const token = await service.admin()
  const qpu = await service.createQpu('north')
  const user = await service.createUser(1_000)
  const gate = join(folder.path, 'gate')
  const driver = service.startDriver('north', qpu, GATED, [`gate=${gate}`])
  await service.untilOnline('north')
  writeFileSync(gate, '')
  const first = await submit(service, user.token, { qpu_target: 'north' })
  await untilJob(service, user.token, first)

  const ended = (kind: string) =>
    until(`the end of ${kind}`, async () => {
      const path = '/api/op/backups/operation'
      const { status, body } = await service.call<{ kind: string; state: string }>('GET', path, { token })
      return status === 200 && body.kind === kind && body.state !== 'running' && body
    })
  await service.call('POST', '/api/op/backups', { token, body: { name: 'a.db' } })
  expect(await ended('create')).toMatchObject({ state: 'succeeded' })
  rmSync(gate)
  const late = await submit(service, user.token, { qpu_target: 'north' })
  await untilStarted(service, user.token, late)
  const { pid } = service
  const body = { name: 'a.db', confirm: 'a.db' }
  expect((await service.call('POST', '/api/op/backups/restore', { token, body })).status).toBe(202)
  expect(await ended('restore')).toMatchObject({ state: 'succeeded' })

  const gone = await service.call('GET', `/api/jobs/${late}`, { token: user.token })
  expect([gone.status, service.pid]).toEqual([404, pid])
  writeFileSync(gate, '')
  await service.untilOnline('north')
  const orphaned = join(folder.path, 'drivers/north/data/orphaned')
  await until('the late result', async () => existsSync(orphaned) && readdirSync(orphaned).length === 1)
  const next = await submit(service, user.token, { qpu_target: 'north' })
  expect(await untilJob(service, user.token, next)).toMatchObject({ status: 'completed' })
  expect((await untilJob(service, user.token, first)).status).toBe('completed')
  driver.kill('SIGTERM')
  await driver.exited
  await service.stop()
  expect(await service.doctor()).toMatchObject({ status: 0, out: 'svc_data: no problems found\n' })
})
