import { expect, test } from 'bun:test'
import { listAudit } from '../../src/db/journal/index.ts'
import { qpuTimeRequests } from '../../src/db/store/accounts/index.ts'
import { openTestServer, type TestServer } from '../support/server/server.ts'

const PROGRAM = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; c = measure q;'

/** Audited actions after the one with this number, as [action, subject, detail]. */
async function acts(server: TestServer, after = 1) {
  const entries = await server.db.read((tx) => listAudit(tx, { limit: 100 }))
  return entries.filter(({ seq }) => seq > after).map(({ act, subject, detail }) => [act, subject, detail])
}

test('actions of superusers on jobs of others are audited, those of users on their own are not', async () => {
  await using server = await openTestServer()
  const user = await server.createUser({ qpuSeconds: 10 })
  const qpu = await server.createQpu('north')
  const before = (await acts(server)).length + 1
  const job = { circuits: [{ circuit: PROGRAM }] }
  const own = await server.as(user).post('/api/jobs', { ...job, qpu_target: qpu.name })
  const other = await server.as(user).post('/api/jobs', { ...job, qpu_target: qpu.name })
  const path = '/api/collections/quantum_jobs/records'
  const given = await server.admin.post(path, { user_id: user.id, payload: job, qpu_target: qpu.id })
  expect([own.status, other.status, given.status]).toEqual([201, 201, 200])
  await server.as(user).post(`/api/jobs/${own.text('id')}/cancel`)
  await server.admin.post(`/api/jobs/${other.text('id')}/cancel`)
  expect(await acts(server, before)).toEqual([
    ['job.submit', given.text('id'), { user: user.id }],
    ['job.cancel', other.text('id'), {}],
  ])
})

test('the approval and the rotation of an access token are audited, the token is not', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const qpu = await server.createQpu('north')
  const request = await server.db.write('request', (tx) =>
    tx.insert(qpuTimeRequests, { user: user.id, seconds: 60, requested_reason: 'a long night' }),
  )
  const before = (await acts(server)).length + 1
  const patch = (collection: string, id: string, body: object) =>
    server.admin.patch(`/api/collections/${collection}/records/${id}`, body)
  expect((await patch('qpu_time_requests', request.id, { status: 'approved' })).status).toBe(200)
  expect((await patch('qpus', qpu.id, { access_token: 'svc_dt_of_somebody' })).status).toBe(200)
  expect(await acts(server, before)).toEqual([
    [
      'record.update',
      request.id,
      {
        collection: 'qpu_time_requests',
        fields: expect.arrayContaining(['status', 'handled_by']),
        changes: { status: { from: 'pending', to: 'approved' }, granted_seconds: { from: 0, to: 60 } },
      },
    ],
    ['record.update', qpu.id, { collection: 'qpus', fields: ['access_token'] }],
  ])
})
