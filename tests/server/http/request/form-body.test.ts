import { describe, expect, test } from 'bun:test'
import { BODY_LIMITS } from '../../../../src/server/http/limits/json-shape.ts'
import {
  assertQuerySize,
  readFormObject,
  readFormTexts,
} from '../../../../src/server/http/request/form-body.ts'

const MIB = 1024 * 1024
const request = (body: string, type: string) =>
  new Request('http://host/', { method: 'POST', body, headers: { 'content-type': type } })
const encoded = (count: number) => Array.from({ length: count }, (_, at) => `k${at}=`).join('&')
const multipart = (count: number, boundary = 'B') =>
  `${Array.from(
    { length: count },
    (_, at) => `--${boundary}\r\nContent-Disposition: form-data; name="k${at}"\r\n\r\n\r\n`,
  ).join('')}--${boundary}--\r\n`
const read = (body: string, type: string) =>
  readFormObject(request(body, type), { maxBytes: 16 * MIB, limits: BODY_LIMITS.guest })

describe('readFormObject()', () => {
  for (const [what, type, form] of [
    ['a URL-encoded form', 'application/x-www-form-urlencoded', encoded],
    ['a multipart form', 'multipart/form-data; boundary=B', multipart],
    [
      'a multipart form with a quoted boundary',
      'multipart/form-data; charset=utf-8; boundary="B B"',
      (count: number) => multipart(count, 'B B'),
    ],
  ] as const) {
    test(`reads at most 1,000 fields of ${what}`, async () => {
      expect(Object.keys(await read(form(1_000), type))).toHaveLength(1_000)
      for (const count of [1_001, 10_000]) {
        const refusal = {
          code: 'invalid',
          reason: 'too_many_fields',
          message: expect.stringMatching(`${count} `),
        }
        await expect(read(form(count), type)).rejects.toMatchObject(refusal)
      }
    })
  }

  test('refuses a boundary that the runtime could read in another way', async () => {
    for (const type of [
      'multipart/form-data; boundary',
      'multipart/form-data; boundary="',
      'multipart/form-data',
    ]) {
      await expect(read(multipart(1), type)).rejects.toMatchObject({ code: 'invalid' })
    }
    const twice = 'multipart/form-data; boundary=B; boundary=C'
    expect(await read(multipart(2), twice)).toEqual({ k0: '', k1: '' })
  })

  test('limits JSON in @jsonPayload, and forms to 1 MiB', async () => {
    const type = 'application/x-www-form-urlencoded'
    const json = encodeURIComponent('['.repeat(100))
    await expect(read(`@jsonPayload=${json}`, type)).rejects.toMatchObject({ code: 'invalid' })
    await expect(read(`a=${'x'.repeat(MIB)}`, type)).rejects.toMatchObject({ code: 'too_large' })
  })
})

test('readFormTexts() returns the last of repeated values', async () => {
  const form = request('a=1&b=2&a=3', 'application/x-www-form-urlencoded')
  expect(await readFormTexts(form, MIB)).toEqual({ a: '3', b: '2' })
})

test('assertQuerySize() permits 1,000 parameters', () => {
  assertQuerySize('http://host/path')
  assertQuerySize(`http://host/path?${encoded(1_000)}`)
  expect(() => assertQuerySize(`http://host/path?${encoded(1_001)}`)).toThrow('more than 1000 parameters')
})
