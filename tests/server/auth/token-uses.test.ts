import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { TokenUses } from '../../../src/server/auth/token-uses.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer, TestClient } from '../../support/server/server.ts'

const HOUR_MS = 3_600_000
const useOf = (use: string, address = '192.0.2.1') => ({ account: 'user:u', use, address })

test('a use of each token is stored once in an hour, however many requests it makes', () => {
  const uses = new TokenUses()
  for (let at = 0; at < 100; at += 1) {
    uses.note(useOf('one'), at)
    uses.note(useOf('two', `192.0.2.${at}`), at)
  }
  expect(uses.take(10)).toEqual([
    { ...useOf('one'), now: 0 },
    { ...useOf('two', '192.0.2.0'), now: 0 },
  ])
  uses.note(useOf('one'), HOUR_MS - 1)
  expect(uses.take(10)).toEqual([])
  uses.note(useOf('one', '192.0.2.9'), HOUR_MS)
  expect(uses.take(10)).toEqual([{ ...useOf('one', '192.0.2.9'), now: HOUR_MS }])
})

test('what is not taken at once is taken later', () => {
  const uses = new TokenUses()
  for (const token of ['a', 'b', 'c']) uses.note(useOf(token), 0)
  expect([uses.take(2), uses.take(2), uses.take(2)].map((part) => part.map(({ use }) => use))).toEqual([
    ['a', 'b'],
    ['c'],
    [],
  ])
})

test('tokens show when and from where they were last used, to the hour, and requests write nothing', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock, settings: { trustedProxies: '127.0.0.1' } })
  const user = await server.createUser()
  const me = server.as(user)
  const created = await me.post('/api/tokens', { name: 'notebook' })
  expect(created.body).toMatchObject({ last_used: '', last_address: '' })
  const path = `/api/tokens/${created.text('id')}`
  const program = new TestClient(server.url, { 'x-api-token': created.text('token') })
  const from = (address: string) =>
    program.call('GET', '/api/jobs', undefined, { 'x-forwarded-for': address })
  const shown = async () => {
    const { body } = await me.get(path)
    return [Object(body)['last_used'], Object(body)['last_address']]
  }
  /** Lets the loop of the audit write, and its transaction end. */
  const aMinute = async () => {
    await clock.advance(60_000)
    await server.db.write('mark', () => undefined)
  }
  expect(await shown()).toEqual(['', ''])
  const first = toTimestamp(clock.now())
  await from('192.0.2.1')
  await aMinute()
  expect(await shown()).toEqual([first, '192.0.2.1'])
  // A use within the hour stays as it is; the next one is stored, of an IPv6 address its network.
  await from('192.0.2.1')
  await aMinute()
  expect(await shown()).toEqual([first, '192.0.2.1'])
  clock.jump(HOUR_MS)
  const later = toTimestamp(clock.now())
  await from('192.0.2.1')
  await aMinute()
  expect(await shown()).toEqual([later, '192.0.2.1'])
  const latest = toTimestamp(clock.now())
  await from('2001:db8::7')
  await aMinute()
  expect(await shown()).toEqual([latest, '2001:db8::/64'])
  expect((await me.get('/api/tokens')).body).toMatchObject([
    { name: 'notebook', last_used: latest, last_address: '2001:db8::/64' },
  ])
  expect((await me.patch(path, { name: 'laptop' })).body).toMatchObject({ last_address: '2001:db8::/64' })
})
