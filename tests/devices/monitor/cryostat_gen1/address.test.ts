import { expect, test } from 'bun:test'
import type { LookupAddress } from 'node:dns'
import {
  isLinkLocal,
  isRemote,
  lookupPublic,
  type Resolve,
  readBaseUrl,
} from '../../../../src/devices/monitor/cryostat_gen1/address.ts'
import { OptionValueError } from '../../../../src/devices/options.ts'

test.each([
  ['http://127.0.0.1:49099', 'http://127.0.0.1:49099'],
  ['https://fridge.example.org:49098/', 'https://fridge.example.org:49098'],
  ['http://proxy.example.org/fridge//', 'http://proxy.example.org/fridge'],
  ['HTTP://Fridge:80', 'http://fridge'],
  ['http://[fd00::1]:49099', 'http://[fd00::1]:49099'],
])('readBaseUrl(%p) is accepted', (text, url) => {
  expect(readBaseUrl(text)).toBe(url)
})

test.each([
  ['fridge', 'not an http or https address'],
  ['ftp://fridge', 'not an http or https address'],
  ['file:///etc/passwd', 'not an http or https address'],
  ['ws://fridge', 'not an http or https address'],
  ['http://', 'not an http or https address'],
  ['http://fridge?key=abc', 'use only scheme, host, port and path; a key goes into -o api_key'],
  ['http://fridge?', 'use only scheme, host, port and path'],
  ['http://fridge#top', 'use only scheme, host, port and path'],
  ['http://me:abc@fridge', 'use only scheme, host, port and path'],
  ['http://169.254.169.254', '169.254.169.254 is a link-local address, which is not allowed'],
  // Other spellings of the same address.
  ['http://2852039166', '169.254.169.254 is a link-local address'],
  ['http://0xa9fea9fe/', '169.254.169.254 is a link-local address'],
  ['http://0251.0376.0251.0376', '169.254.169.254 is a link-local address'],
  ['http://169.254.43518', '169.254.169.254 is a link-local address'],
  ['http://[::ffff:169.254.169.254]', 'is a link-local address'],
  ['http://[fe80::1]:49099', 'fe80::1 is a link-local address'],
  ['http://[febf:0:0::1]', 'is a link-local address'],
])('readBaseUrl(%p) is refused without revealing the key', (text, reason) => {
  expect(() => readBaseUrl(text)).toThrow(OptionValueError)
  expect(() => readBaseUrl(text)).toThrow(reason)
  expect(() => readBaseUrl(text)).not.toThrow('abc')
})

test.each([
  ['169.254.0.0', true],
  ['169.254.255.255', true],
  ['169.253.255.255', false],
  ['10.0.0.1', false],
  ['fe80::1', true],
  ['fe80::1%eth0', true],
  ['fec0::1', false],
  ['::ffff:a9fe:1', true],
  ['::ffff:10.0.0.1', false],
  ['::1', false],
])('isLinkLocal(%p) is %p', (address, expected) => {
  expect(isLinkLocal(address)).toBe(expected)
})

test.each([
  ['http://127.0.0.1:1', false],
  ['http://127.8.9.1', false],
  ['http://localhost', false],
  ['http://[::1]:1', false],
  ['http://10.0.0.1', true],
  ['http://127.0.0.1.example.org', true],
])('isRemote(%p) is %p', (url, expected) => {
  expect(isRemote(url)).toBe(expected)
})

function find(addresses: LookupAddress[] | NodeJS.ErrnoException, all: boolean): Promise<unknown> {
  const resolve: Resolve = (_host, _options, found) =>
    addresses instanceof Error ? found(addresses, []) : found(null, addresses)
  return new Promise((settle, reject) =>
    lookupPublic(resolve)('fridge.test', { all }, (error, ...found) =>
      error ? reject(error) : settle(found),
    ),
  )
}

const LOCAL = { address: '169.254.169.254', family: 4 }
const LOCAL_6 = { address: 'fe80::1', family: 6 }
const PUBLIC = { address: '10.0.0.7', family: 4 }

test('lookupPublic() returns only addresses that are not link-local, in either form', async () => {
  expect(await find([LOCAL_6, LOCAL, PUBLIC], true)).toEqual([[PUBLIC]])
  expect(await find([LOCAL_6, LOCAL, PUBLIC], false)).toEqual(['10.0.0.7', 4])
})

test('lookupPublic() refuses a name with only link-local addresses', async () => {
  const reason = 'fridge.test has only link-local addresses, which are not allowed'
  await expect(find([LOCAL], true)).rejects.toThrow(reason)
  await expect(find([LOCAL_6, LOCAL], false)).rejects.toThrow(reason)
})

test('lookupPublic() reports an unknown name', async () => {
  await expect(find(new Error('getaddrinfo ENOTFOUND fridge.test'), true)).rejects.toThrow('ENOTFOUND')
})
