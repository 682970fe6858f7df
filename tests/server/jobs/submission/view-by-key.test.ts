import { expect, test } from 'bun:test'
import { BELL } from '../../../support/server/job-lab.ts'
import { openTestServer } from '../../../support/server/server.ts'

test('GET /api/jobs/by-key/:key returns the job of the key to its owner only, until it is deleted', async () => {
  await using server = await openTestServer()
  await server.createQpu()
  const [ada, bob] = [await server.createUser({ qpuSeconds: 100 }), await server.createUser()]
  const key = 'lab/run+7?'
  const path = `/api/jobs/by-key/${encodeURIComponent(key)}`
  const submit = () => server.as(ada).call('POST', '/api/jobs', { circuit: BELL }, { 'idempotency-key': key })
  const refused = { status: 404, body: { code: 'unknown_key' } }
  expect(await server.as(ada).get(path)).toMatchObject(refused)
  const made = await submit()
  const found = await server.as(ada).get(`${path}?fields=id,status,waiting`)
  expect(found).toMatchObject({ status: 200, body: { id: made.text('id'), status: 'pending' } })
  expect(Object.keys(found.body as object)).toEqual(['id', 'status', 'waiting'])
  expect(await server.as(bob).get(path)).toMatchObject(refused)
  await server.as(ada).post(`/api/jobs/${made.text('id')}/cancel`)
  await server.as(ada).call('DELETE', `/api/jobs/${made.text('id')}`)
  expect(await server.as(ada).get(path)).toMatchObject(refused)
  expect(await server.as(ada).get('/api/jobs/by-key/a%20b')).toMatchObject({ status: 400 })
})
