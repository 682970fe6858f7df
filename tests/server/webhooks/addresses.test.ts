import { describe, expect, test } from 'bun:test'
import { parseNetwork } from '../../../src/base/index.ts'
import { AddressGuard } from '../../../src/server/webhooks/addresses.ts'

const network = (text: string) => {
  const parsed = parseNetwork(text)
  if (!parsed) throw new Error(text)
  return parsed
}

function guard({
  allowed = [],
  own = [],
  names = {},
}: {
  allowed?: string[]
  own?: string[]
  names?: Record<string, string[]>
} = {}): AddressGuard {
  return new AddressGuard({
    allowed: allowed.map(network),
    ownNetworks: () => own.map(network),
    resolve: async (host) => names[host] ?? Promise.reject(new Error('ENOTFOUND')),
  })
}

const reasonOf = (each: AddressGuard, host: string) =>
  each.addressesOf(host).then(
    () => '',
    (error) => error.reason,
  )

describe('AddressGuard.addressesOf()', () => {
  const PRIVATE = [
    ...['0.0.0.0', '0.1.2.3', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.88.99.1', '192.168.1.1'],
    ...['198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9', '224.0.0.1', '240.0.0.1'],
    ...['255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:a00:1', '::127.0.0.1', '64:ff9b::a00:1'],
    ...['64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', 'fc00::1', 'fd12::1'],
    ...['fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1'],
  ]
  for (const address of PRIVATE) {
    test(`refuses ${address}, as an address and behind a name`, async () => {
      const each = guard({ names: { 'hook.test': [address] } })
      const host = address.includes(':') ? `[${address}]` : address
      expect(await reasonOf(each, host)).toBe('address_not_allowed')
      expect(await reasonOf(each, 'hook.test')).toBe('address_not_allowed')
    })
  }

  test('accepts public addresses', async () => {
    for (const address of ['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00::1']) {
      const each = guard({ names: { 'hook.test': [address] } })
      expect(await each.addressesOf('hook.test')).toEqual([address])
    }
    expect(await guard().addressesOf('[2606:4700::1111]')).toEqual(['2606:4700::1111'])
  })

  test('refuses a name of which one address is refused', async () => {
    const each = guard({ names: { 'hook.test': ['1.1.1.1', '10.0.0.1'] } })
    expect(await reasonOf(each, 'hook.test')).toBe('address_not_allowed')
  })

  test('refuses the networks of the machine itself, also public ones', async () => {
    const each = guard({ own: ['129.16.0.0/16', '2a00:1::/64'] })
    expect(await reasonOf(each, '129.16.7.7')).toBe('address_not_allowed')
    expect(await reasonOf(each, '[2a00:1::5]')).toBe('address_not_allowed')
    expect(await reasonOf(each, '129.17.0.1')).toBe('')
  })

  test('refuses the addresses of the interfaces of this machine', async () => {
    const each = new AddressGuard({ allowed: [] })
    expect(await reasonOf(each, 'localhost')).toBe('address_not_allowed')
  })

  test('accepts what --webhook-networks allows, and nothing beside it', async () => {
    const each = guard({ allowed: ['10.1.0.0/16', 'fd12::/16'] })
    expect(await reasonOf(each, '10.1.2.3')).toBe('')
    expect(await reasonOf(each, '10.2.0.1')).toBe('address_not_allowed')
    expect(await reasonOf(each, '[fd12::1]')).toBe('')
    expect(await reasonOf(each, '[::ffff:10.1.2.3]')).toBe('')
  })

  test('refuses a name without an address', async () => {
    expect(await reasonOf(guard(), 'nowhere.test')).toBe('name_not_resolved')
    expect(await reasonOf(guard({ names: { 'hook.test': [] } }), 'hook.test')).toBe('name_not_resolved')
  })
})
