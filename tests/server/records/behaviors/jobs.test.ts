import { describe, expect, test } from 'bun:test'
import { checkInvariants } from '../../../../src/db/index.ts'
import { quantumJobs } from '../../../../src/db/store/jobs/index.ts'
import { drivers } from '../../../../src/db/store/qpus/index.ts'
import { claimNow } from '../../../support/server/job-lab.ts'
import { openTestServer, type TestServer } from '../../../support/server/server.ts'

const PATH = '/api/collections/quantum_jobs/records'
const bell =
  'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'
const payload = { circuits: [{ circuit: bell }], shots: 100 }

const invariants = (server: TestServer) => server.db.read((tx) => checkInvariants(tx))

describe('quantum_jobs', () => {
  test('are submitted as by POST /api/jobs', async () => {
    await using server = await openTestServer()
    const [user, qpu] = [await server.createUser({ qpuSeconds: 5 }), await server.createQpu('north')]
    const created = await server.as(user).post(`${PATH}?expand=qpu_target`, {
      ...{ payload, qpu_target: 'north', user_id: user.id, status: 'pending', results: null },
    })
    expect(created.body).toMatchObject({
      ...{ collectionName: 'quantum_jobs', status: 'pending', user_id: user.id, qpu_target: qpu.id },
      ...{ attempt: 0, error: null, results: null, expand: { qpu_target: { name: 'north' } } },
    })
    // The defaults are filled in, and the job is listed for its owner.
    expect(Object(created.get('payload'))).toMatchObject({ shots: 100, meas_level: 2 })
    const detail = await server.as(user).get(`/api/jobs/${created.text('id')}`)
    expect(detail.get('timeline')).toMatchObject([{ event: 'submitted' }])
    const form = new FormData()
    form.set('payload', JSON.stringify(payload))
    const response = await fetch(`${server.url}${PATH}`, {
      ...{ method: 'POST', headers: { authorization: user.token }, body: form },
    })
    expect(response.status).toBe(200)
    expect(await invariants(server)).toEqual([])
  })

  test('are refused for the same reasons as by POST /api/jobs', async () => {
    await using server = await openTestServer({ settings: { maxPendingJobs: '1' } })
    const [poor, rich] = [await server.createUser(), await server.createUser({ qpuSeconds: 5 })]
    await server.createQpu('north')
    const post = (user: { token: string }, body: object) => server.as(user).post(PATH, body)
    expect((await post(poor, { payload })).body).toMatchObject({
      ...{ status: 403, code: 'insufficient_qpu_seconds' },
    })
    for (const [body, field] of [
      [{}, 'payload'],
      [{ payload: [] }, 'payload'],
      [{ payload: { circuits: [{ circuit: 'no program' }] } }, 'circuits.0.circuit'],
      [{ payload: { ...payload, shots: 0 } }, 'shots'],
      [{ payload, qpu_target: 'nowhere' }, 'qpu_target'],
      [{ payload: { ...payload, results: {} } }, 'results'],
    ] as const) {
      const response = await post(rich, body)
      expect([field, response.status, Object.keys(Object(response.get('data')))]).toEqual([
        field,
        400,
        [field],
      ])
    }
    expect((await post(rich, { payload })).status).toBe(200)
    expect((await post(rich, { payload })).body).toMatchObject({ status: 409, code: 'too_many_pending_jobs' })
    expect((await server.guest.post(PATH, { payload })).body).toMatchObject({
      ...{ status: 400, message: 'Failed to create record.', data: {} },
    })
    const id = (await server.admin.get('/api/qpus/north')).text('id')
    await server.admin.patch(`/api/collections/qpus/records/${id}`, { maintenance: true })
    expect((await post(poor, { payload })).body).toMatchObject({ status: 503, code: 'maintenance' })
  })

  test('of a superuser belong to it or to the user it names', async () => {
    await using server = await openTestServer()
    const user = await server.createUser({ qpuSeconds: 5 })
    await server.createQpu('north')
    const own = await server.admin.post(PATH, { payload })
    const proxy = await server.admin.get(`/api/collections/users/records/${own.text('user_id')}`)
    expect(proxy.get('unlimited')).toBe(true)
    const given = await server.admin.post(PATH, { payload, user_id: user.id })
    expect(given.get('user_id')).toBe(user.id)
    const unknown = await server.admin.post(PATH, { payload, user_id: 'aaaaaaaaaaaaaaa' })
    expect(unknown.body).toMatchObject({ status: 400, data: { user_id: { code: expect.any(String) } } })
  })

  test('count toward the limit of submissions together with POST /api/jobs', async () => {
    await using server = await openTestServer({ settings: { submitRate: '0.001:2' } })
    const user = await server.createUser({ qpuSeconds: 5 })
    await server.createQpu('north')
    const me = server.as(user)
    const statuses = [await me.post('/api/jobs', payload), await me.post(PATH, { payload })].map(
      (a) => a.status,
    )
    expect([...statuses, (await me.post(PATH, { payload })).status]).toEqual([201, 200, 429])
  })

  test('get their status from the queue; callers can only change pending to cancelled', async () => {
    await using server = await openTestServer()
    const user = await server.createUser({ qpuSeconds: 5 })
    const qpu = await server.createQpu('north')
    const add = async () => (await server.as(user).post(PATH, { payload })).text('id')
    const [first, second] = [await add(), await add()]
    expect((await server.as(user).patch(`${PATH}/${first}`, { status: 'cancelled' })).status).toBe(403)
    for (const status of ['completed', 'running', 'failed']) {
      const response = await server.admin.patch(`${PATH}/${first}`, { status })
      expect(response.body).toMatchObject({ status: 400, data: { status: { code: 'read_only_field' } } })
    }
    const cancelled = await server.admin.patch(`${PATH}/${first}`, { status: 'cancelled', results: null })
    expect(cancelled.get('status')).toBe('cancelled')
    const again = await server.admin.patch(`${PATH}/${first}`, { status: 'pending' })
    expect(again.status).toBe(400)

    const claimed = await server.db.write('claim', (tx) => {
      tx.run(
        `INSERT INTO leases (qpu, operation, driver, epoch, state, granted_at)
         VALUES ($qpu, 'process', $driver, 1, 'attached', $at)`,
        { qpu: qpu.id, driver: qpu.driver, at: tx.at },
      )
      tx.update(drivers, qpu.driver, { leased: true, status: 'online' })
      return claimNow(tx, second, { driver: qpu.driver, qpu: qpu.id, epoch: 1 })
    })
    expect(claimed).toBeDefined()
    expect((await server.admin.patch(`${PATH}/${second}`, { status: 'cancelled' })).body).toMatchObject({
      ...{ status: 409, code: 'not_pending' },
    })
    const busy = await server.admin.call('DELETE', `${PATH}/${second}`)
    expect(busy.body).toMatchObject({ status: 409, code: 'job_running' })
    expect((await server.admin.call('DELETE', `${PATH}/${first}`)).status).toBe(204)
    expect(await server.db.read((tx) => tx.find(quantumJobs, first))).toBeUndefined()
    expect(await invariants(server)).toEqual([])
  })
})
