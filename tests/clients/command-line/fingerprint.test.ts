import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runSvc, Service } from '../../support/executable/service.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(60_000)

const folder = temporaryFolder()
const accounts = join(folder.path, 'client.json')
afterAll(() => folder[Symbol.dispose]())

const EMAIL = 'researcher@lab.example'
const PASSWORD = 'correct-horse-1'

const run = (args: string[], { input = '', env = {} } = {}) =>
  runSvc(args, { cwd: folder.path, env: { SVC_CLIENT_CONFIG: accounts, ...env }, stdin: input })

test('a fingerprint with an address of plain HTTP is a wrong call, and nothing is sent', async () => {
  let requests = 0
  using plain = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch() {
      requests += 1
      return new Response()
    },
  })
  const pin = 'ab'.repeat(32)
  const refused = { status: 2, out: '', err: expect.stringContaining('protects https only, and http://') }
  for (const address of [plain.url.origin, `https://127.0.0.1:1,${plain.url.origin}`, plain.url.href]) {
    const args = ['login', address, '--profile', 'plain', '--ca-fingerprint', pin]
    expect(await run([...args, '--email', EMAIL], { input: `${PASSWORD}\n` })).toMatchObject(refused)
    expect(await run([...args, '--with-token'], { input: 'token\n' })).toMatchObject(refused)
  }
  // As the release before has saved it.
  const profile = { address: plain.url.origin, api_token: 'token', ca_fingerprint: pin }
  writeFileSync(accounts, JSON.stringify({ profiles: { plain: profile } }))
  expect(await run(['qpus', '--profile', 'plain'])).toMatchObject(refused)
  expect(await run(['logout', '--profile', 'plain'])).toMatchObject({
    status: 1,
    err: expect.stringContaining('protects https only'),
  })
  expect(requests).toBe(0)
})

test('a server with another root CA than the fingerprint names gets nothing', async () => {
  using other = temporaryFolder()
  const secure = await Service.install(other.path)
  const port = await freePort()
  await secure.start({}, ['--https-port', String(port)])
  try {
    await secure.createUser(10, EMAIL)
    const { fingerprint } = await secure.createQpu('kelvin')
    const address = `https://127.0.0.1:${port}`
    const login = (pin: string) =>
      run(['login', address, '--email', EMAIL, '--profile', 'pinned', '--ca-fingerprint', pin], {
        input: 'another long password\n',
      })
    const refused = await login('ab'.repeat(32))
    expect([refused.err, refused.status]).toEqual([
      `the server at ${address} has another root CA than the fingerprint names; nothing was sent to it\n`,
      77,
    ])
    expect(await login(fingerprint)).toMatchObject({ err: '', status: 0 })
    expect((await run(['qpus', '--profile', 'pinned'])).out).toContain('kelvin')
    const unpinned = await run(['qpus'], { env: { SVC_ADDR: address, SVC_API_TOKEN: 'x' } })
    expect(unpinned.status).toBe(69)
    expect((await run(['login', address, '--ca-fingerprint', 'abc'])).status).toBe(2)
    // A batch job gets it with its session, and another one is refused there, too.
    const { out } = await run(['session', 'start', 'kelvin', '--profile', 'pinned', '--print-env'])
    const env = Object.fromEntries(
      [...out.matchAll(/^export (\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]),
    )
    expect(env).toMatchObject({ SVC_ADDR: address, SVC_QPU: 'kelvin', SVC_CA_FINGERPRINT: fingerprint })
    const none = { SVC_CLIENT_CONFIG: join(folder.path, 'none') }
    expect((await run(['session', 'list'], { env: { ...env, ...none } })).out).toContain('kelvin')
    const wrong = { ...env, ...none, SVC_CA_FINGERPRINT: 'ab'.repeat(32) }
    expect((await run(['session', 'list'], { env: wrong })).status).toBe(77)
  } finally {
    await secure.stop()
  }
})
