import { describe, expect, test } from 'bun:test'
import { notifications, users } from '../../../../src/db/store/accounts/index.ts'
import { calibrationResults } from '../../../../src/db/store/calibrations/index.ts'
import { quantumJobs } from '../../../../src/db/store/jobs/index.ts'
import { readBody } from '../../../../src/server/records/write/body.ts'
import { openTestServer } from '../../../support/server/server.ts'

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

  test('limits its size: 16 MiB for jobs and superusers, 1 MiB for others, 256 KiB for guests', async () => {
    const body = (bytes: number) => request(`{"a":"${'x'.repeat(bytes - 8)}"}`)
    const from = (kind: 'guest' | 'user' | 'superuser', each: ReturnType<typeof request>) => ({
      ...each,
      caller: { kind },
    })
    const KIB = 1024
    for (const [kind, collection, limit] of [
      ['guest', users, 256 * KIB],
      ['user', users, 1024 * KIB],
      ['user', quantumJobs, 16 * 1024 * KIB],
      ['superuser', users, 16 * 1024 * KIB],
    ] as const) {
      expect(Object.keys(await readBody(from(kind, body(limit)), collection))).toEqual(['a'])
      await expect(readBody(from(kind, body(limit + 1)), collection)).rejects.toMatchObject({
        code: 'too_large',
        message: expect.stringContaining(String(limit)),
      })
    }
    const long = form(['a', 'x'.repeat(256 * KIB)])
    await expect(readBody(from('guest', request(long)), users)).rejects.toMatchObject({ code: 'too_large' })
  })
})

test('a collection that is closed to the caller refuses without reading the body', async () => {
  await using server = await openTestServer({ settings: { anonymousRate: '0' } })
  const user = server.as(await server.createUser())
  const path = (collection: string) => `/api/collections/${collection}/records`
  const [broken, id] = ['{"unfinished', 'aaaaaaaaaaaaaaa']
  for (const [client, method, collection, status] of [
    [server.guest, 'POST', 'events', 403],
    [server.guest, 'PATCH', 'events', 403],
    [server.guest, 'POST', 'users', 400],
    [server.guest, 'POST', 'time_slots', 400],
    [server.guest, 'POST', 'quantum_jobs', 400],
    [user, 'POST', 'users', 400],
    [user, 'POST', 'qpus', 403],
    [user, 'PATCH', 'quantum_jobs', 403],
  ] as const) {
    const where = method === 'POST' ? path(collection) : `${path(collection)}/${id}`
    const response = await client.call(method, where, broken)
    expect([collection, response.status]).toEqual([collection, status])
    expect(JSON.stringify(response.get('message'))).not.toContain('JSON')
  }
  const open = await user.call('POST', path('time_slots'), broken)
  expect(JSON.stringify(open.get('message'))).toContain('malformed JSON')
})
