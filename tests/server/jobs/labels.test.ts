import { expect, test } from 'bun:test'
import { listAudit } from '../../../src/db/journal/index.ts'
import { openSdkAs, refusal } from '../../support/server/sdk.ts'
import { openTestServer } from '../../support/server/server.ts'
import { listenAs } from '../../support/server/subscriptions.ts'
import { until } from '../../support/until.ts'

const PROGRAM = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; c = measure q;'

async function openWithJob() {
  const server = await openTestServer()
  const user = await server.createUser({ qpuSeconds: 10 })
  await server.createQpu('north')
  const body = { circuits: [{ circuit: PROGRAM }], name: 'first try', tags: ['bell'] }
  const id = (await server.as(user).post('/api/jobs', body)).text('id')
  return { server, user, id, path: `/api/jobs/${id}` }
}

test('PATCH /api/jobs/:id changes name and tags in any state, keeps what is omitted and publishes the job', async () => {
  const { server, user, id, path } = await openWithJob()
  await using _ = server
  const me = server.as(user)
  await using stream = await listenAs(me, `quantum_jobs/${id}`)
  const renamed = await me.patch(path, { name: ' Bell pair, north ' })
  expect(renamed.body).toMatchObject({ id, name: 'Bell pair, north', tags: ['bell'], status: 'pending' })
  await until('the change', () => stream.of(`quantum_jobs/${id}`).length === 1)
  expect(stream.of(`quantum_jobs/${id}`)).toMatchObject([
    { action: 'update', record: { id, name: 'Bell pair, north', tags: ['bell'], status: 'pending' } },
  ])
  await me.post(`${path}/cancel`)
  const tagged = await me.patch(path, { tags: ['sweep', 'x1', 'sweep'] })
  expect(tagged.body).toMatchObject({
    ...{ name: 'Bell pair, north', tags: ['sweep', 'x1'], status: 'cancelled' },
  })
  expect((await me.get('/api/jobs?tag=x1')).body).toMatchObject([{ id }])
  expect((await me.get('/api/jobs?tag=bell')).body).toEqual([])
  expect((await me.patch(path, { name: '', tags: [] })).body).toMatchObject({ name: '', tags: [] })
  const picked = await me.patch(`${path}?fields=name,tags`, { name: 'again' })
  expect(picked.body).toEqual({ name: 'again', tags: [] })
})

test('labels are bounded as at submission; other keys and the jobs of others are refused', async () => {
  const { server, user, path } = await openWithJob()
  await using _ = server
  const refused = async (body: unknown) => {
    const response = await server.as(user).patch(path, body)
    return [response.status, Object.keys(Object(response.get('data')))]
  }
  expect(await refused({})).toEqual([400, []])
  expect(await refused({ name: 'x'.repeat(201) })).toEqual([400, ['name']])
  expect(await refused({ name: null })).toEqual([400, ['name']])
  expect(await refused({ tags: Array.from({ length: 11 }, (_, at) => `t${at}`) })).toEqual([400, ['tags']])
  expect(await refused({ tags: ['x'.repeat(65)] })).toEqual([400, ['tags.0']])
  expect(await refused({ tags: [' '] })).toEqual([400, ['tags.0']])
  expect(await refused({ status: 'completed' })).toEqual([400, ['status']])
  const other = server.as(await server.createUser())
  expect((await other.patch(path, { name: 'mine' })).status).toBe(404)
  expect((await server.as(user).get(path)).body).toMatchObject({ name: 'first try', tags: ['bell'] })
})

test('a superuser changes the labels of any job, which is audited; the SDK reads refusals', async () => {
  const { server, user, id, path } = await openWithJob()
  await using _ = server
  const [{ seq } = { seq: 0 }] = await server.db.read((tx) => listAudit(tx, { limit: 1 }))
  expect((await server.admin.patch(path, { name: 'by an operator' })).get('name')).toBe('by an operator')
  expect((await server.as(user).patch(path, { name: 'by its owner' })).status).toBe(200)
  const entries = await server.db.read((tx) => listAudit(tx, { limit: 10 }))
  const since = entries.filter((each) => each.seq > seq && each.act === 'job.update')
  expect(since).toMatchObject([
    { actor: `superuser:${server.superuser.id}`, subject: id, detail: { fields: ['name'] } },
  ])
  const pb = await openSdkAs(server, user)
  const error = await refusal(pb.send(path, { method: 'PATCH', body: { tags: 'bell' } }))
  expect([error.status, error.response['data']['tags']['code']]).toEqual([400, 'validation_invalid_value'])
})
