import { expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Service, temporaryFolder } from '../support/executable.ts'
import { submit, untilJob } from '../support/job-calls.ts'
import { startSvc } from '../support/running.ts'

setDefaultTimeout(30_000)

/** Every file below `folder`. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('no file, log, answer or other process holds a token or password in clear', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  const qpu = await service.createQpu('kelvin')
  const user = await service.createUser(100)
  const api = await service.call<{ token: string }>('POST', '/api/tokens', { token: user.token, body: {} })
  const args = service.driverArgs('kelvin', qpu.fingerprint, 'mock')
  await using driver = startSvc(args, { cwd: folder.path, env: { SVC_ACCESS_TOKEN: qpu.token } })
  await untilJob(service, user.token, await submit(service, api.body.token))
  const secrets = [qpu.token, api.body.token, user.token, 'another long password', 'a long password']
  const told = JSON.stringify([
    (await service.call('GET', '/api/qpus')).body,
    (await service.call('GET', '/api/jobs', { token: user.token })).body,
    (await service.call('GET', '/api/tokens', { token: user.token })).body,
    (await service.call('GET', `/api/collections/users/records/${user.id}`, { token: user.token })).body,
  ])
  // The device runs foreign code: it sees nothing that is not its own.
  const { pid } = driver.process
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  expect(children).toHaveLength(1)
  const seen = children.flatMap((child) =>
    ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${child}/${file}`, 'utf8')),
  )
  expect(seen.join()).toContain('worker')
  for (const secret of secrets) {
    for (const text of [told, service.log, driver.log, ...seen]) expect(text).not.toContain(secret)
    const holders = filesIn(folder.path).filter((file) => readFileSync(file).includes(secret))
    expect(holders).toEqual([])
  }
  driver.process.kill('SIGTERM')
  await driver.ended()
  await service.stop()
})

test('what others on the machine must not read is closed to them', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  const qpu = await service.createQpu('kelvin')
  await using driver = startSvc(service.driverArgs('kelvin', qpu.fingerprint, 'mock'), {
    cwd: folder.path,
    env: { SVC_ACCESS_TOKEN: qpu.token },
  })
  await driver.says('"message":"connected"')
  expect(modeOf(join(folder.path, 'svc_data'))).toBe('700')
  expect(modeOf(join(folder.path, 'drivers/kelvin/data/outbox'))).toBe('700')
  expect(modeOf(join(folder.path, '.svc.ca.key'))).toBe('600')
  await service.stop()
})
