import { expect, test } from 'bun:test'
import { type Network, parseNetwork } from '../../../src/base/index.ts'
import { addressLimitKey, originOf, serverAddress } from '../../../src/server/http/address.ts'
import { readConfig } from '../../../src/server/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'

const TRUSTED = ['127.0.0.1', '10.0.0.0/8', '2001:db8:1::/48'].map((text) => parseNetwork(text) as Network)

const addressOf = (peer: string, headers: Record<string, string>) =>
  originOf(new Request('http://svc/', { headers }), peer, TRUSTED).address

test.each<[string, string, Record<string, string>, string]>([
  ['no header', '127.0.0.1', {}, '127.0.0.1'],
  ['a peer that is not trusted', '192.0.2.9', { 'x-forwarded-for': '198.51.100.7' }, '192.0.2.9'],
  ['one hop', '127.0.0.1', { 'x-forwarded-for': '198.51.100.7' }, '198.51.100.7'],
  ['a mapped peer', '::ffff:127.0.0.1', { 'x-forwarded-for': '::ffff:198.51.100.7' }, '198.51.100.7'],
  [
    'an entry forged by the client',
    '127.0.0.1',
    { 'x-forwarded-for': '1.1.1.1, 198.51.100.7' },
    '198.51.100.7',
  ],
  ['two trusted hops', '127.0.0.1', { 'x-forwarded-for': '1.1.1.1, 198.51.100.7, 10.1.1.1' }, '198.51.100.7'],
  ['only trusted hops', '127.0.0.1', { 'x-forwarded-for': '10.0.0.7, 10.1.1.1' }, '10.0.0.7'],
  ['a port', '127.0.0.1', { 'x-forwarded-for': '198.51.100.7:4711' }, '198.51.100.7'],
  ['IPv6', '2001:db8:1::5', { 'x-forwarded-for': '2001:db8:2::1' }, '2001:db8:2::1'],
  ['IPv6 with port', '127.0.0.1', { 'x-forwarded-for': '[2001:db8:2::1]:80' }, '2001:db8:2::1'],
  ['a malformed last entry', '127.0.0.1', { 'x-forwarded-for': '198.51.100.7, x' }, '127.0.0.1'],
  ['a malformed inner entry', '127.0.0.1', { 'x-forwarded-for': '1.1.1.1, x, 10.0.0.7' }, '10.0.0.7'],
  ['an empty header', '127.0.0.1', { 'x-forwarded-for': '' }, '127.0.0.1'],
  [
    'Forwarded',
    '127.0.0.1',
    { forwarded: 'for=1.1.1.1;proto=http, For="[2001:db8:2::1]:80";by=x' },
    '2001:db8:2::1',
  ],
  ['Forwarded that hides the client', '127.0.0.1', { forwarded: 'for=_hidden' }, '127.0.0.1'],
  ['both, equal', '127.0.0.1', { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '1.1.1.1' }, '1.1.1.1'],
  ['both, different', '127.0.0.1', { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '2.2.2.2' }, '127.0.0.1'],
])('the client address with %s', (_, peer, headers, expected) => {
  expect(addressOf(peer, headers)).toBe(expected)
})

test('at most 16 hops are followed, whatever the length of the header', () => {
  const chain = (hops: number) => ['1.1.1.1', ...Array.from({ length: hops }, () => '10.0.0.1')].join(', ')
  expect(addressOf('127.0.0.1', { 'x-forwarded-for': chain(15) })).toBe('1.1.1.1')
  expect(addressOf('127.0.0.1', { 'x-forwarded-for': chain(16) })).toBe('10.0.0.1')
  expect(addressOf('127.0.0.1', { 'x-forwarded-for': `${'9'.repeat(8_000)}, 1.1.1.1` })).toBe('1.1.1.1')
  expect(addressOf('127.0.0.1', { 'x-forwarded-for': `${'1.1.1.1, '.repeat(900)}2.2.2.2` })).toBe('2.2.2.2')
})

test('without trusted proxies the address is that of the connection', () => {
  const headers = { 'x-forwarded-for': '1.1.1.1' }
  for (const peer of ['192.0.2.1', '::ffff:192.0.2.1']) {
    const origin = originOf(new Request('http://svc/', { headers }), peer, [])
    expect(origin).toEqual({ address: '192.0.2.1', isSecure: false, isProxied: false })
  }
})

test.each<[string, Record<string, string>, boolean]>([
  ['127.0.0.1', { 'x-forwarded-proto': 'https' }, true],
  ['127.0.0.1', { 'x-forwarded-proto': 'http' }, false],
  ['127.0.0.1', { forwarded: 'for=1.1.1.1;proto=https' }, true],
  ['192.0.2.9', { 'x-forwarded-proto': 'https' }, false],
])('from %s with %p the client used HTTPS: %p', (peer, headers, expected) => {
  expect(originOf(new Request('http://svc/', { headers }), peer, TRUSTED).isSecure).toBe(expected)
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['unknown', 'unknown'],
])('limits count %s as %s', (address, key) => expect(addressLimitKey(address)).toBe(key))

test('guests of one /64 network behind a trusted proxy share a limit, other networks have their own', async () => {
  const settings = { trustedProxies: '127.0.0.1', anonymousRate: '1:2' }
  await using server = await openTestServer({ settings, clock: new FakeClock() })
  const from = async (address: string) =>
    (await server.guest.call('GET', '/api/health', undefined, { 'x-forwarded-for': address })).status
  expect([await from('2001:db8::1'), await from('2001:db8::2'), await from('2001:db8::3')]).toEqual([
    200, 200, 429,
  ])
  expect(await from('2001:db8:0:1::1')).toBe(200)
  expect(await from('192.0.2.1')).toBe(200)
})

test('without trusted proxies the headers change nothing', async () => {
  await using server = await openTestServer({ settings: { anonymousRate: '1:3' }, clock: new FakeClock() })
  const from = async (address: string) =>
    (await server.guest.call('GET', '/api/health', undefined, { 'x-forwarded-for': address })).status
  expect([await from('192.0.2.1'), await from('192.0.2.2'), await from('192.0.2.3')]).toEqual([200, 200, 429])
})

test.each([
  ['http://a:8090/', false, '8443', 'http://svc.example.org:8090'],
  ['https://a:8443/', true, '8443', 'https://svc.example.org:8443'],
  // Behind a proxy: past it, since drivers do not know its certificate.
  ['http://a:8090/', true, '8443', 'https://svc.example.org:8443'],
  ['http://a:8090/', true, '0', 'http://svc.example.org:8090'],
])('drivers connect to the server itself: %s, %p, %s', (url, isSecure, httpsPort, expected) => {
  const settings = { domain: 'svc.example.org', httpsPort, publicUrl: 'https://proxy.example.org' }
  const { config } = readConfig({ flags: settings, env: {} })
  expect(serverAddress(config, { url, isSecure })).toBe(expected)
})

test('HSTS is sent over HTTPS only, and not by default', async () => {
  const policyOf = async (server: TestServer, proto: string) =>
    (await fetch(`${server.url}/api/health`, { headers: { 'x-forwarded-proto': proto } })).headers.get(
      'strict-transport-security',
    )
  const proxied = { trustedProxies: '127.0.0.1' }
  await using off = await openTestServer({ settings: proxied })
  expect(await policyOf(off, 'https')).toBeNull()
  await using on = await openTestServer({ settings: { ...proxied, hstsMaxAge: '24h' } })
  expect([await policyOf(on, 'https'), await policyOf(on, 'http')]).toEqual(['max-age=86400', null])
  // A page that does not exist is answered by another part of the application.
  const page = await fetch(`${on.url}/nothing`, { headers: { 'x-forwarded-proto': 'https' } })
  expect(page.headers.get('strict-transport-security')).toBe('max-age=86400')
})
