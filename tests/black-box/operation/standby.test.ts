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

test('a driver that is switched off is cut off at once, and comes back when it is switched on', async () => {
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
  await driver.untilLogged('(403)', 5_000)
  // It keeps running, because an operator may enable it again later.
  expect(driver.process.exitCode).toBe(null)
  // A new start, on the other hand, is watched by a person.
  await using again = start('switched_c', own.token, qpu.fingerprint)
  const { status: exit, log } = await again.ended()
  expect([exit, log.includes('disabled')]).toEqual([1, true])
  await toggle(true)
  await using third = start('switched_d', own.token, qpu.fingerprint)
  await service.untilOnline('switched')
  await stop(third)
  await stop(driver)
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
  await until('the late device to be notified', async () => (await saw()) === 'true', { timeoutMs: 5_000 })
  await stop(late)
})

test('two drivers with one token take turns instead of fighting, and say so', async () => {
  const qpu = await service.createQpu('shared')
  await using one = start('shared', qpu.token, qpu.fingerprint)
  await service.untilOnline('shared')
  await using two = start('shared_too', qpu.token, qpu.fingerprint)
  await until('the warning', async () =>
    [one, two].some(({ log }) => log.includes('another driver may be using the same token')),
  )
  await stop(two)
  await service.untilOnline('shared')
  const job = await untilJob(service, user.token, await submit(service, user.token, { qpu_target: 'shared' }))
  expect(job.status).toBe('completed')
  await stop(one)
})
