import { expect, test } from 'bun:test'
import { accepts, chooseCoding } from '../../../../src/server/http/coding/accept-encoding.ts'

test.each([
  [null, undefined],
  ['', undefined],
  ['identity', undefined],
  ['br, deflate', undefined],
  ['gzip', 'gzip'],
  ['X-GZIP', 'gzip'],
  ['gzip, zstd', 'zstd'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['zstd;q=0.1, gzip;q=0.2', 'gzip'],
  ['zstd ; q=0 , gzip', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0', undefined],
  ['*;q=0.5, zstd;q=0', 'gzip'],
  ['gzip;q=0.5, identity', undefined],
  ['gzip, identity', 'gzip'],
  ['gzip;q=2', undefined],
  ['gzip;q=x', undefined],
  [`gzip, ${'x,'.repeat(200)}`, undefined],
])('Accept-Encoding %p selects %p', (header, coding) => {
  expect(chooseCoding(header)).toBe(coding as ReturnType<typeof chooseCoding>)
})

test('a coding is accepted by its name or by *', () => {
  expect([accepts('gzip, br', 'br'), accepts('*', 'br'), accepts('br;q=0, *', 'br')]).toEqual([
    true,
    true,
    false,
  ])
  expect([accepts(undefined, 'br'), accepts('gzip', 'br')]).toEqual([false, false])
})
