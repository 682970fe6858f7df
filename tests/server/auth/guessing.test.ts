import { expect, test } from 'bun:test'
import { FakeClock } from '../../support/fake-clock.ts'
import { closeRow, faultRuns } from '../../support/faults/fault-runs.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'

// Row H11 of docs/reference/faults.md, with the limits of the product.
const ATTEMPTS = faultRuns(1_000)
const PATH = '/api/collections/users/auth-with-password'

test('of many guesses of one password ten are checked, regardless of headers', async () => {
  await using server = await openTestServer({ clock: new FakeClock() })
  const { email: identity, password } = await server.createUser()
  const counts = new Map<number, number>()
  let guess = 0
  const guessOn = async () => {
    while (guess < ATTEMPTS) {
      guess += 1
      const headers = {
        'x-forwarded-for': `10.0.${guess >> 8}.${guess & 255}`,
        'x-api-token': `svc_${guess}`,
      }
      const body = { identity, password: `guess ${guess}` }
      const { status } = await server.guest.call('POST', PATH, body, headers)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 32 }, guessOn))
  closeRow('H11 at once', { tries: ATTEMPTS, ...Object.fromEntries(counts) })
  expect(counts).toEqual(
    new Map([
      [400, 10],
      [429, ATTEMPTS - 10],
    ]),
  )
  expect((await server.guest.post(PATH, { identity, password })).status).toBe(429)
}, 120_000)

/** Hours pass in these tests. */
const RARE_POLLS = { dispatchPollInterval: '1h', recoveryInterval: '1h' }

test('guessing for six hours with the required waits allows 36 attempts', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock, settings: RARE_POLLS })
  const { email: identity } = await server.createUser()
  const end = clock.now() + 6 * 3_600_000
  let looked = 0
  let longest = 0
  while (clock.now() < end) {
    const response = await server.guest.post(PATH, { identity, password: 'a guess' })
    const waitMs = Number(response.headers.get('retry-after') ?? 0) * 1_000
    if (response.status === 400) looked += 1
    longest = Math.max(longest, waitMs)
    if (waitMs > 0) await clock.advance(waitMs)
  }
  closeRow('H11 six hours', { guesses: looked, 'longest wait in s': longest / 1_000 })
  expect([looked, longest]).toEqual([36, 16 * 60_000])
}, 120_000)

/** Tries to log in as the client with this address, behind a proxy that the server trusts. */
async function guessFrom(server: TestServer, address: string, identity: string, password = 'a guess') {
  const headers = { 'x-forwarded-for': address, 'user-agent': 'guesser' }
  return server.guest.call('POST', PATH, { identity, password }, headers)
}

const PROXIED = { trustedProxies: '127.0.0.1', loginRate: '3', anonymousRate: '0' }

test('one account has a ceiling of failures from all addresses, except those it has logged in from', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock, settings: PROXIED })
  const { email, password } = await server.createUser()
  const statusFrom = async (address: string, given?: string, identity = email) =>
    (await guessFrom(server, address, identity, given)).status
  expect(await statusFrom('198.51.100.1', password)).toBe(200)
  const statuses = []
  for (let at = 1; at <= 40; at += 1) statuses.push(await statusFrom(`2001:db8:0:${at}::1`))
  expect([statuses.filter((each) => each === 400).length, statuses.slice(30)]).toEqual([
    30,
    Array(10).fill(429),
  ])
  // Neither an unknown address nor one of another case of the name gets further, even with the password.
  expect(await statusFrom('203.0.113.5', password, email.toUpperCase())).toBe(429)
  // The address of a successful login does, for this account only.
  expect(await statusFrom('198.51.100.1')).toBe(400)
  expect(await statusFrom('198.51.100.1', password)).toBe(200)
  const { email: other } = await server.createUser()
  expect(await statusFrom('203.0.113.5', undefined, other)).toBe(400)
  // The account is usable again after at most the announced wait.
  const refused = await guessFrom(server, '203.0.113.5', email, password)
  const waitS = Number(refused.headers.get('retry-after'))
  expect([refused.status, waitS]).toEqual([429, 120])
  await clock.advance(waitS * 1_000)
  expect(await statusFrom('203.0.113.5', password)).toBe(200)
})

test('one address has a ceiling of failures over all accounts; a /64 network is one address', async () => {
  await using server = await openTestServer({ clock: new FakeClock(), settings: PROXIED })
  const { email, password } = await server.createUser()
  const statuses = []
  for (let at = 1; at <= 40; at += 1) {
    statuses.push((await guessFrom(server, `2001:db8::${at}`, `nobody${at}@example.org`)).status)
  }
  expect([statuses.filter((each) => each === 400).length, statuses.slice(30)]).toEqual([
    30,
    Array(10).fill(429),
  ])
  expect((await guessFrom(server, '2001:db8::ffff', email, password)).status).toBe(429)
  expect((await guessFrom(server, '2001:db8:0:1::1', email, password)).status).toBe(200)
})

test('a refusal does not reveal whether an account exists', async () => {
  await using server = await openTestServer({ clock: new FakeClock(), settings: PROXIED })
  const { email } = await server.createUser()
  const responsesOf = async (identity: string, net: number) => {
    const responses = []
    for (let at = 1; at <= 34; at += 1) {
      const response = await guessFrom(server, `10.${net}.0.${Math.ceil(at / 4)}`, identity)
      const { request_id: _, ...body } = Object(response.body)
      responses.push([response.status, response.headers.get('retry-after'), body])
    }
    return responses
  }
  expect(await responsesOf(email, 1)).toEqual(await responsesOf('nobody@example.org', 2))
})

test('wrong old passwords count as failed logins', async () => {
  await using server = await openTestServer({ clock: new FakeClock(), settings: { loginRate: '3' } })
  const user = await server.createUser()
  const change = (oldPassword: string) =>
    server
      .as(user)
      .patch(`/api/collections/users/records/${user.id}`, { oldPassword, password: 'another one' })
  const statuses = []
  for (let at = 0; at < 4; at += 1) statuses.push((await change('a guess')).status)
  expect(statuses).toEqual([400, 400, 400, 429])
  const refused = await change(user.password)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  expect((await server.guest.post(PATH, { identity: user.email, password: user.password })).status).toBe(429)
})
