import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Running, startSvc } from '../../support/executable/background-process.ts'
import { openFileService } from '../../support/executable/file-service.ts'
import { submit, untilJob } from '../../support/executable/job-calls.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(60_000)

const { service, user } = await openFileService()

interface Registered {
  id: string
  token: string
}

/** Registers one more driver of a QPU. */
async function register(name: string, qpu: string, operation: string): Promise<Registered> {
  const body = { name, qpu, operation }
  const token = await service.admin()
  const response = await service.call<Registered>('POST', '/api/op/drivers/create', { token, body })
  expect(response.status).toBe(201)
  return response.body
}

function start(
  name: string,
  token: string,
  fingerprint: string,
  device = 'mock',
  operation = 'process',
): Running {
  const args = service.driverArgs(name, fingerprint, device)
  args[args.indexOf('--operation') + 1] = operation
  return startSvc(args, { cwd: service.folder, env: { SVC_ACCESS_TOKEN: token } })
}

async function stop(driver: Running): Promise<void> {
  driver.process.kill('SIGTERM')
  expect((await driver.ended()).status).toBe(0)
}

async function status(qpu: string): Promise<unknown> {
  return (await service.call('GET', `/api/qpus/${qpu}`)).body['status']
}

test('a second driver of a role stands by, in words, and takes over when the first is killed', async () => {
  const qpu = await service.createQpu('twin')
  const second = await register('twin_b', 'twin', 'process')
  await using first = start('twin', qpu.token, qpu.fingerprint)
  await service.untilOnline('twin')
  await using standby = start('twin_b', second.token, qpu.fingerprint)
  await standby.untilLogged('on standby until the lease is free')
  expect(standby.log).toContain("(409): Driver twin is already connected as this QPU's process driver")
  expect(standby.log).toContain('only one')
  const job = await untilJob(service, user.token, await submit(service, user.token, { qpu_target: 'twin' }))
  const driverOf = (each: object) => Reflect.get(each, 'driver')
  expect(driverOf(job)).not.toBe(second.id)

  first.process.kill('SIGKILL')
  await standby.untilLogged('"message":"connected"')
  await service.untilOnline('twin')
  const next = await untilJob(service, user.token, await submit(service, user.token, { qpu_target: 'twin' }))
  expect(driverOf(next)).toBe(second.id)
  await stop(standby)
  await until('offline', async () => (await status('twin')) === 'offline')
})

test('a disabled driver is disconnected at once, and returns when it is enabled', async () => {
  const qpu = await service.createQpu('switched')
  const own = await register('switched_b', 'switched', 'process')
  await using driver = start('switched_b', own.token, qpu.fingerprint)
  await service.untilOnline('switched')
  const token = await service.admin()
  const toggle = (enabled: boolean) =>
    service.call('POST', '/api/op/drivers/toggle', { token, body: { id: own.id, enabled } })
  const off = await toggle(false)
  expect([off.status, off.body['enabled'], off.body['status']]).toEqual([200, false, 'offline'])
  expect(await status('switched')).toBe('offline')
  await driver.untilLogged('(403)')
  // It keeps running, because an operator may enable it again later.
  expect(driver.process.exitCode).toBe(null)
  await toggle(true)
  await service.untilOnline('switched')
  // The same at its first start, for example after the machine was restarted.
  await toggle(false)
  await stop(driver)
  await using again = start('switched_b', own.token, qpu.fingerprint)
  await again.untilLogged('(403)')
  await toggle(true)
  await service.untilOnline('switched')
  await stop(again)
})

test('maintenance is pushed to every driver of the QPU, also to one that connects later', async () => {
  const seen = join(service.folder, 'maintenance.log')
  const device = `
    import { appendFileSync } from 'node:fs'
    import { defineDevice } from 'svc/devices'
    export const listener = defineDevice({
      operation: 'calibrate',
      name: 'listener',
      create: () => ({
        start: async () => undefined,
        calibrate: async () => ({}),
        maintenance: (on) => appendFileSync(${JSON.stringify(seen)}, on + '\\n'),
      }),
    })
  `
  writeFileSync(join(service.folder, 'listener.js'), device)
  writeFileSync(seen, '')
  const qpu = await service.createQpu('cold')
  const tuner = await register('cold_tuner', 'cold', 'calibrate')
  const saw = async () => (await Bun.file(seen).text()).trim().split('\n').at(-1)
  const token = await service.admin()
  const maintain = (maintenance: boolean) =>
    service.call('POST', '/api/op/qpu/maintenance', {
      token,
      body: { id: qpu.id, maintenance, reason: 'warming up' },
    })
  await using first = start('cold_tuner', tuner.token, qpu.fingerprint, './listener.js#listener', 'calibrate')
  await first.untilLogged('"message":"connected"')
  await maintain(true)
  await until('the device to be told', async () => (await saw()) === 'true')
  await maintain(false)
  await until('the device to be told', async () => (await saw()) === 'false')
  await stop(first)
  await maintain(true)
  await using late = start('cold_tuner', tuner.token, qpu.fingerprint, './listener.js#listener', 'calibrate')
  await until('the late device to be notified', async () => (await saw()) === 'true')
  await stop(late)
})

test('a second process with the token of a driver stands by until the first has ended', async () => {
  const qpu = await service.createQpu('shared')
  await using one = start('shared', qpu.token, qpu.fingerprint)
  await service.untilOnline('shared')
  await using two = start('shared_too', qpu.token, qpu.fingerprint)
  await two.untilLogged('on standby until the lease is free')
  expect(two.log).toContain('by another process on ')
  const job = await untilJob(service, user.token, await submit(service, user.token, { qpu_target: 'shared' }))
  expect(job.status).toBe('completed')
  expect(one.log.split('"message":"connected"')).toHaveLength(2)
  one.process.kill('SIGKILL')
  await two.untilLogged('"message":"connected"')
  await service.untilOnline('shared')
  await stop(two)
})
