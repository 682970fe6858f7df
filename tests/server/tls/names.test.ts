import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../src/base/index.ts'
import { canonicalIp, sameNames, serverNames } from '../../../src/server/tls/names.ts'

describe('canonicalIp()', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['::ffff:192.0.2.1', '::ffff:c000:201'],
    ['782:680::263:4984:6.251.122.248', '782:680::263:4984:6fb:7af8'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ])('writes %s as %s', (text, expected) => {
    expect(canonicalIp(text)).toBe(expected)
  })

  test.each(['', '192.0.2', '192.0.2.256', '192.0.02.1', '[::1]', 'fe80::1%eth0', 'localhost', '::1 '])(
    'does not accept "%s" as an address',
    (text) => {
      expect(canonicalIp(text)).toBeUndefined()
    },
  )
})

describe('serverNames()', () => {
  test('adds loopback address and localhost', () => {
    expect(serverNames({ ipAddr: '2001:DB8::7', domain: 'QC.example.org' })).toEqual({
      ips: ['2001:db8::7', '127.0.0.1'],
      hosts: ['localhost', 'qc.example.org'],
    })
  })

  test('contains no name twice', () => {
    expect(serverNames({ ipAddr: '127.0.0.1', domain: 'localhost' })).toEqual({
      ips: ['127.0.0.1'],
      hosts: ['localhost'],
    })
  })

  test.each([
    ['qc.example.org', '', '--ip-addr "qc.example.org" is not an IP address'],
    ['', '', '--ip-addr "" is not an IP address'],
    ['[2001:db8::1]', '', 'without brackets'],
    ['0.0.0.0', '', '--ip-addr "0.0.0.0" stands for all addresses'],
    ['0::0', '', '--ip-addr "0::0" stands for all addresses'],
    ['192.0.2.1', 'https://qc.example.org', '--domain "https://qc.example.org" is not a host name'],
    ['192.0.2.1', 'qc.example.org:8443', 'without scheme, port or path'],
    ['192.0.2.1', 'büro.example', 'xn-- form'],
    ['192.0.2.1', '*.example.org', '--domain "*.example.org"'],
    ['192.0.2.1', '192.0.2.2', 'give it with --ip-addr'],
    ['192.0.2.1', `${'a'.repeat(64)}.org`, 'is not a host name'],
    ['192.0.2.1', `${'a.'.repeat(130)}org`, 'is not a host name'],
  ])('refuses --ip-addr "%s" with --domain "%s"', (ipAddr, domain, expected) => {
    expect(() => serverNames({ ipAddr, domain })).toThrow(AppError)
    expect(() => serverNames({ ipAddr, domain })).toThrow(expected)
  })
})

test('sameNames() ignores the order and nothing else', () => {
  const names = { ips: ['192.0.2.1', '127.0.0.1'], hosts: ['localhost'] }
  expect(sameNames(names, { ips: ['127.0.0.1', '192.0.2.1'], hosts: ['localhost'] })).toBe(true)
  expect(sameNames(names, { ips: ['192.0.2.1'], hosts: ['localhost'] })).toBe(false)
  expect(sameNames(names, { ips: ['192.0.2.1', '127.0.0.1'], hosts: ['localhost', 'a.org'] })).toBe(false)
})
