import { expect, test } from 'bun:test'
import { createLog, silentLog } from '../../../src/base/index.ts'
import { listAudit } from '../../../src/db/journal/index.ts'
import { AccessAudit } from '../../../src/server/auth/access-audit.ts'
import { openTestDatabase } from '../../support/database.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer, TestClient, type TestServer } from '../../support/server/server.ts'

const PATH = '/api/collections/users/auth-with-password'
const SETTINGS = { trustedProxies: '127.0.0.1', anonymousRate: '0', userRate: '0', loginRate: '0' }

const tryLogin = (server: TestServer, address: string, identity: string, password: string, agent = 'lab/1') =>
  server.guest.call('POST', PATH, { identity, password }, { 'x-forwarded-for': address, 'user-agent': agent })

/** Entries about logins and addresses, without those of the test server itself. */
async function entries(server: TestServer) {
  const all = await server.db.read((tx) => listAudit(tx, { limit: 100_000 }))
  return all
    .filter(({ act, detail }) => /^(login|session|token)/.test(act) && detail['address'] !== '127.0.0.1')
    .map(({ actor, act, subject, detail: { since: _, ...detail } }) => ({ actor, act, subject, detail }))
}

test('logins are recorded with address and bounded user agent', async () => {
  await using server = await openTestServer({ settings: SETTINGS })
  const { id, email, password } = await server.createUser()
  await tryLogin(server, '192.0.2.1', email, password, `${'x'.repeat(5_000)}`)
  expect(await entries(server)).toEqual([
    {
      actor: `user:${id}`,
      act: 'login',
      subject: id,
      detail: { via: 'password', address: '192.0.2.1', agent: 'x'.repeat(200) },
    },
  ])
})

test('failures are counted for a minute, without the name of an account that does not exist', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ settings: SETTINGS, clock })
  const { id, email } = await server.createUser()
  for (let at = 0; at < 3; at += 1) await tryLogin(server, '192.0.2.1', email, 'a guess')
  await tryLogin(server, '192.0.2.2', 'my password by mistake', 'a guess')
  expect(await entries(server)).toEqual([])
  await clock.advance(60_000)
  await server.db.read(() => undefined)
  expect(await entries(server)).toEqual([
    {
      actor: 'guest',
      act: 'login.failed',
      subject: id,
      detail: { via: 'password', count: 3, address: '192.0.2.1', agent: 'lab/1' },
    },
    {
      actor: 'guest',
      act: 'login.failed',
      subject: '',
      detail: { via: 'password', count: 1, address: '192.0.2.2', agent: 'lab/1' },
    },
  ])
})

test('a guesser adds at most ten entries in a minute and one for the rest in an hour', async () => {
  const clock = new FakeClock()
  await using test = await openTestDatabase({ clock })
  const audit = new AccessAudit({ db: test.db, clock, log: silentLog })
  const acts = async () =>
    (await test.db.read((tx) => listAudit(tx, { limit: 10_000 }))).map(({ act }) => act)
  for (let minute = 0; minute < 3; minute += 1) {
    for (let at = 0; at < 2_000; at += 1)
      audit.failed('user:a', 'password', { address: `${minute} ${at}`, agent: '' })
    await audit.flush()
  }
  expect((await acts()).filter((act) => act === 'login.failed').length).toBe(30)
  expect((await acts()).filter((act) => act === 'login.others').length).toBe(1)
  const others = (await test.db.read((tx) => listAudit(tx, { act: 'login.others', limit: 1 })))[0]
  expect(others?.detail['events']).toBe(1_990)
  // A budget of 1,000 entries, which refills within a day, then only the hourly ones.
  for (let minute = 0; minute < 150; minute += 1) {
    for (let at = 0; at < 12; at += 1)
      audit.failed('user:a', 'password', { address: `${minute} ${at}`, agent: '' })
    await audit.flush()
  }
  expect((await acts()).length).toBe(1_001)
  await clock.advance(3_600_000)
  await audit.flush()
  expect((await acts()).filter((act) => act === 'login.others').length).toBe(2)
})

test('an account that logs in again and again adds at most a hundred entries, then one a minute', async () => {
  const clock = new FakeClock()
  await using test = await openTestDatabase({ clock })
  const audit = new AccessAudit({ db: test.db, clock, log: silentLog })
  for (let at = 0; at < 150; at += 1) {
    await audit.loggedIn('user:a', 'password', { address: '192.0.2.1', agent: '' })
  }
  await audit.flush()
  const all = await test.db.read((tx) => listAudit(tx, { limit: 1_000 }))
  expect([all.length, all.at(-1)?.detail['count']]).toEqual([101, 50])
})

test('a login succeeds on a full disk, and the log has what the audit lacks', async () => {
  const lines: string[] = []
  const log = createLog({ level: 'error', format: 'json', write: (line) => lines.push(line) })
  const refuses = { write: () => Promise.reject(new Error('the disk is full')) }
  const audit = new AccessAudit({ db: refuses as never, clock: new FakeClock(), log })
  await audit.loggedIn('user:a', 'password', { address: '192.0.2.1', agent: '' })
  expect(lines.join()).toContain('login not audited')
})

test('the use of a token from a new address is recorded once, that of a session unless it logged in there', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ settings: SETTINGS, clock })
  const { id, email, password } = await server.createUser()
  const token = (await tryLogin(server, '192.0.2.1', email, password)).text('token')
  const created = await server
    .as({ token })
    .call('POST', '/api/tokens', {}, { 'x-forwarded-for': '192.0.2.1' })
  const program = new TestClient(server.url, { 'x-api-token': created.text('token') })
  const before = (await entries(server)).length
  const from = async (client: TestClient, address: string) =>
    client.call('GET', '/api/jobs', undefined, { 'x-forwarded-for': address, 'user-agent': 'lab/1' })
  for (const address of ['192.0.2.1', '192.0.2.7', '192.0.2.7', '192.0.2.1']) {
    await from(program, address)
    await from(server.as({ token }), address)
  }
  await clock.advance(60_000)
  await server.db.read(() => undefined)
  const about = { actor: `user:${id}`, detail: { agent: 'lab/1', address: '192.0.2.7' } }
  const seen = (await entries(server)).slice(before)
  expect(seen.toSorted((one, other) => one.act.localeCompare(other.act))).toEqual([
    { ...about, act: 'session.new_address', subject: id },
    {
      ...about,
      act: 'token.new_address',
      subject: created.text('id'),
      detail: { ...about.detail, address: '192.0.2.1' },
    },
    { ...about, act: 'token.new_address', subject: created.text('id') },
  ])
  // The addresses are remembered by the next process.
  await server.close()
  await using restarted = await openTestServer({ settings: SETTINGS, folder: server.folder })
  const again = new TestClient(restarted.url, program.headers)
  const count = (await entries(restarted)).length
  await from(again, '192.0.2.7')
  await restarted.close()
  expect(count).toBe(before + 3)
})
