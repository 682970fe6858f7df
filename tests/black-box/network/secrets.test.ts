import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSvc } from '../../support/executable/background-process.ts'
import { submit, untilJob } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { closeRow } from '../../support/faults/fault-runs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Every file below `folder`. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('no file, log, response or other process holds a token or password in clear', async () => {
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
  const responses = JSON.stringify([
    (await service.call('GET', '/api/qpus')).body,
    (await service.call('GET', '/api/jobs', { token: user.token })).body,
    (await service.call('GET', '/api/tokens', { token: user.token })).body,
    (await service.call('GET', `/api/collections/users/records/${user.id}`, { token: user.token })).body,
  ])
  // The device runs foreign code: its environment has no secret.
  const { pid } = driver.process
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  expect(children).toHaveLength(1)
  const seen = children.flatMap((child) =>
    ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${child}/${file}`, 'utf8')),
  )
  expect(seen.join()).toContain('worker')
  for (const secret of secrets) {
    for (const text of [responses, service.log, driver.log, ...seen]) expect(text).not.toContain(secret)
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
  await driver.untilLogged('"message":"connected"')
  expect(modeOf(join(folder.path, 'svc_data'))).toBe('700')
  expect(modeOf(join(folder.path, 'drivers/kelvin/data/outbox'))).toBe('700')
  expect(modeOf(join(folder.path, '.svc.ca.key'))).toBe('600')
  await service.stop()
})

test('no secret that is sent anywhere, rightly or wrongly, gets into the log, even at the level debug', async () => {
  using folder = temporaryFolder()
  const canaries: string[] = []
  const canary = (what: string) => {
    const text = `canary-${what}-${canaries.length}-5b1f`
    canaries.push(text)
    return text
  }
  const provider = {
    ...{ name: 'lab', clientId: 'id', clientSecret: canary('oauth2-secret') },
    ...{
      authURL: 'http://127.0.0.1:9/a',
      tokenURL: 'http://127.0.0.1:9/t',
      userInfoURL: 'http://127.0.0.1:9/u',
    },
  }
  writeFileSync(
    join(folder.path, 'svc.config.yml'),
    JSON.stringify({
      ...{ smtpHost: '127.0.0.1', smtpPort: 9, smtpUser: 'svc', smtpFrom: 'svc@example.org' },
      ...{ smtpPassword: canary('smtp-password'), oauth2Providers: [provider], logLevel: 'debug' },
    }),
  )
  await using service = await Service.install(folder.path)
  await service.start()
  const user = await service.createUser(100)
  const admin = await service.admin()
  const post = (path: string, body: unknown, token = '') =>
    service.call('POST', path, { body, ...(token && { token }) })
  const account = (name: string) => `/api/collections/users/${name}`

  await post(account('auth-with-password'), {
    identity: 'user@example.org',
    password: canary('wrong-password'),
  })
  const newUser = { email: 'new@example.org', password: canary('new-password') }
  expect((await post(account('records'), newUser, admin)).status).toBe(200)
  const login = await post(account('auth-with-password'), {
    identity: newUser.email,
    password: newUser.password,
  })
  expect(login.status).toBe(200)
  canaries.push(String(login.body['token']).split('.')[2] ?? '')
  await post(account('confirm-password-reset'), {
    ...{ token: canary('reset-token'), password: canary('password'), passwordConfirm: canary('confirm') },
  })
  await post(account('request-password-reset'), { email: newUser.email })
  const link = await post('/api/op/account-links', { id: user.id, purpose: 'password_reset' }, admin)
  expect(link.status).toBe(200)
  canaries.push(/token=[^.]*\.[^.]*\.([\w-]+)/.exec(JSON.stringify(link.body))?.[1] ?? '')
  await post(account('auth-with-oauth2'), {
    ...{ provider: 'lab', code: canary('code'), codeVerifier: 'v'.repeat(43) },
    redirectURL: `${service.url}/api/oauth2-redirect`,
  })
  await post('/api/op/drivers/connect', { token: canary('driver-token') })
  await post('/api/op/setup', { token: canary('set-up'), email: 'a@example.org', password: canary('set-up') })
  const job = (circuit: string) => ({ circuits: [{ circuit }] })
  await post('/api/jobs', job(`OPENQASM 3.0; ${canary('program')}`), user.token)
  await post(
    '/api/jobs',
    job(`OPENQASM 3.0; // ${canary('program')}\nqubit q; bit c; c = measure q;`),
    user.token,
  )
  for (const headers of [
    { authorization: `Bearer ${canary('bearer')}` },
    { authorization: `Basic ${btoa(`root:${canary('basic')}`)}` },
    { 'x-api-token': canary('api-token') },
    { cookie: `session=${canary('cookie')}` },
  ]) {
    await service.call('GET', '/api/jobs', { headers })
    await service.call('POST', '/api/jobs', { headers, body: { circuits: 7 } })
  }
  await fetch(`${service.url}/api/jobs?token=${canary('query')}`)
  await fetch(`${service.url}/api/account-links/password-reset?token=${canary('link')}`)
  await fetch(`${service.url}/api/tokens/${canary('path')}`)
  await fetch(`${service.url}/api/jobs`, { method: 'POST', body: `{"password": "${canary('broken')}` })

  expect(canaries.every((each) => each.length >= 16)).toBe(true)
  expect(service.log).toContain('"level":"debug"')
  expect(service.log).toContain('/api/op/account-links')
  expect(canaries.filter((each) => service.log.includes(each))).toEqual([])
  closeRow('H26', { canaries: canaries.length, 'log lines': service.log.split('\n').length, hits: 0 })
  await service.stop()
})
