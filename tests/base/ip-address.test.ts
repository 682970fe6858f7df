import { expect, test } from 'bun:test'
import { contains, formatIp, parseIp, parseNetwork } from '../../src/base/index.ts'

const formatted = (text: string) => {
  const parsed = parseIp(text)
  return parsed && formatIp(parsed)
}

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::', '::'],
  ['::1', '::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
])('the address %s is %s', (text, expected) => expect(formatted(text)).toBe(expected))

test.each(['', 'unknown', '1.2.3', '01.2.3.4', '1.2.3.256', '1::2::3', '12345::', 'example.org', '[::1]'])(
  '%p is no address',
  (text) => expect(formatted(text)).toBeUndefined(),
)

test.each([
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['::/0', '2001:db8::1', true],
  ['::/0', '192.0.2.1', false],
  ['0.0.0.0/0', '192.0.2.1', true],
  ['0.0.0.0/0', '::1', false],
])('the network %s contains %s: %p', (text, address, expected) => {
  const [network, parsed] = [parseNetwork(text), parseIp(address)]
  if (!network || !parsed) throw new Error('not parsed')
  expect(contains(network, parsed)).toBe(expected)
})

test.each(['', '10.0.0.1/8', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '2001:db8::/129', '::/-1', 'all'])(
  '%p is no network',
  (text) => expect(parseNetwork(text)).toBeUndefined(),
)
