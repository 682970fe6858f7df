import { describe, expect, test } from 'bun:test'
import { calibrationResults, notifications, users } from '../../../../src/db/index.ts'
import { readBody } from '../../../../src/server/records/write/body.ts'

const request = (body: string | FormData | URLSearchParams | undefined, type?: string) => ({
  caller: { kind: 'user' } as const,
  request: new Request('http://host/', {
    method: 'POST',
    ...(body !== undefined && { body }),
    ...(type !== undefined && { headers: { 'content-type': type } }),
  }),
})

function form(...parts: [string, string | Blob][]): FormData {
  const data = new FormData()
  for (const [name, part] of parts) data.append(name, part)
  return data
}

describe('readBody()', () => {
  test('reads JSON regardless of the content type, and an absent body as an empty object', async () => {
    expect(await readBody(request('{"a":1}', 'application/json'), users)).toEqual({ a: 1 })
    expect(await readBody(request('{"a":1}', 'text/plain'), users)).toEqual({ a: 1 })
    expect(await readBody(request(undefined, 'application/json'), users)).toEqual({})
    expect(await readBody(request('', 'application/json'), users)).toEqual({})
  })

  test('converts the parts of a form to the kinds of their fields', async () => {
    const data = form(
      ['qpu_seconds', '12.5'],
      ['qpu_seconds+', '3'],
      ['verified', 'true'],
      ['emailVisibility', 'false'],
      ['username', '007'],
      ['password', '12345678'],
      ['unknown', '1'],
    )
    expect(await readBody(request(data), users)).toEqual({
      ...{ qpu_seconds: 12.5, 'qpu_seconds+': 3, verified: true, emailVisibility: false },
      ...{ username: '007', password: '12345678', unknown: '1' },
    })
  })

  test('turns repeated parts into a list and JSON texts into values, and merges @jsonPayload', async () => {
    const data = form(['target_users', 'a'], ['target_users', 'b'], ['@jsonPayload', '{"title":"x","n":1}'])
    expect(await readBody(request(data), notifications)).toEqual({
      ...{ target_users: ['a', 'b'], title: 'x', n: 1 },
    })
    const json = form(['routines', '[{"name":"rabi"}]'], ['benchmarks', 'no json'])
    expect(await readBody(request(json), calibrationResults)).toEqual({
      ...{ routines: [{ name: 'rabi' }], benchmarks: 'no json' },
    })
  })

  test('reads URL-encoded forms', async () => {
    const body = new URLSearchParams({ title: 'Tea & cake' })
    expect(await readBody(request(body), notifications)).toEqual({ title: 'Tea & cake' })
  })

  for (const [what, bad] of [
    ['a list', () => request('[1]')],
    ['malformed JSON', () => request('{"a":')],
    ['a form without boundary', () => request('x', 'multipart/form-data')],
    ['a form that ends early', () => request('--b\r\nContent', 'multipart/form-data; boundary=b')],
    ['a bad @jsonPayload', () => request(form(['@jsonPayload', '{']))],
    ['a @jsonPayload that is a list', () => request(form(['@jsonPayload', '[]']))],
    ['a file', () => request(form(['title', new Blob(['x'])]))],
    ['deep nesting', () => request('['.repeat(100))],
  ] as const) {
    test(`refuses ${what}`, async () => {
      await expect(readBody(bad(), notifications)).rejects.toMatchObject({ code: 'invalid' })
    })
  }

  test('refuses more than 16 MiB, and more than 1 MiB from a guest', async () => {
    const tooLarge = { code: 'too_large' }
    const body = `{"a":"${'x'.repeat(17 * 1024 * 1024)}"}`
    await expect(readBody(request(body), users)).rejects.toMatchObject(tooLarge)
    await expect(readBody(request(form(['a', body])), users)).rejects.toMatchObject(tooLarge)
    const smaller = `{"a":"${'x'.repeat(1024 * 1024)}"}`
    expect(Object.keys(await readBody(request(smaller), users))).toEqual(['a'])
    for (const each of [request(smaller), request(form(['a', smaller]))]) {
      const requested = { ...each, caller: { kind: 'guest' } as const }
      await expect(readBody(requested, users)).rejects.toMatchObject(tooLarge)
    }
  })
})
