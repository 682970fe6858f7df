import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  openTestServer,
  type TestDriver,
  type TestQpu,
  type TestServer,
} from '../../support/server/server.ts'

const PATH = '/api/op/calibrate/dispatch'

describe('POST /api/op/calibrate/dispatch', () => {
  let server: TestServer
  let qpu: TestQpu
  let tuner: TestDriver

  beforeAll(async () => {
    server = await openTestServer()
    qpu = await server.createQpu('north')
    tuner = await server.createTuner(qpu)
  })
  afterAll(() => server.close())

  test('queues a calibration for its tuner and audits it', async () => {
    const body = { driver_id: tuner.id, mode: 'partial', target_qubits: ['q0', 'q0_q1'] }
    const response = await server.admin.post(PATH, body)
    expect(response.status).toBe(201)
    expect(response.body).toMatchObject({
      ...{ collectionName: 'calibration_requests', driver: tuner.id, mode: 'partial', status: 'pending' },
      ...{ target_qubits: ['q0', 'q0_q1'], requested_by: `superuser:${server.superuser.id}`, progress: null },
    })
    const seen = await server
      .as(await server.createUser())
      .get(`/api/collections/calibration_requests/records/${response.text('id')}`)
    expect(seen.get('status')).toBe('pending')
    const audit = await server.db.read((tx) =>
      tx.all("SELECT actor, subject, detail FROM audit_log WHERE act = 'calibration.dispatch'"),
    )
    expect(audit).toEqual([
      {
        actor: `superuser:${server.superuser.id}`,
        subject: response.text('id'),
        detail: JSON.stringify({ driver: tuner.id, mode: 'partial' }),
      },
    ])
  })

  test.each([
    ['no body', {}, ['driver_id', 'mode']],
    ['an unknown mode', { mode: 'quick' }, ['mode']],
    ['partial without targets', { mode: 'partial' }, ['target_qubits']],
    ['partial with no target', { mode: 'partial', target_qubits: [] }, ['target_qubits']],
    ['targets in another mode than partial', { mode: 'full', target_qubits: ['q0'] }, ['target_qubits']],
    ['a duplicate target', { mode: 'partial', target_qubits: ['q0', 'q1', 'q0'] }, ['target_qubits']],
    ['a bad name', { mode: 'partial', target_qubits: ['q0', '../q1'] }, ['target_qubits.1']],
    ['a name that is not a text', { mode: 'partial', target_qubits: [0] }, ['target_qubits.0']],
    [
      'too many targets',
      { mode: 'partial', target_qubits: Array.from({ length: 1_001 }, (_, at) => `q${at}`) },
      ['target_qubits'],
    ],
  ])('refuses %s', async (what, body, fields) => {
    const response = await server.admin.post(PATH, what === 'no body' ? {} : { driver_id: tuner.id, ...body })
    expect(response.status).toBe(400)
    expect(Object.keys(response.get('data') as object)).toEqual(fields)
  })

  test('refuses a driver that is unknown, not a tuner or disabled', async () => {
    const dispatch = (driver_id: string) => server.admin.post(PATH, { driver_id, mode: 'full' })
    expect(await dispatch('nosuchdriver000')).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await dispatch(qpu.driver)).toMatchObject({ status: 400, body: { code: 'not_a_tuner' } })
    const other = await server.createTuner(qpu)
    await server.admin.post('/api/op/drivers/toggle', { id: other.id, enabled: false })
    expect(await dispatch(other.id)).toMatchObject({ status: 503, body: { code: 'driver_disabled' } })
    const south = await server.createQpu('south')
    const its = await server.createTuner(south)
    await server.admin.post('/api/op/qpu/toggle', { name: 'south', enabled: false })
    expect(await dispatch(its.id)).toMatchObject({ status: 503, body: { code: 'qpu_disabled' } })
    // Maintenance stops jobs, not calibrations.
    await server.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance: true })
    expect((await dispatch(tuner.id)).status).toBe(201)
    await server.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance: false })
  })

  test('creates one request per key', async () => {
    const body = { driver_id: tuner.id, mode: 'full' }
    const dispatch = (key: string, changes = {}) =>
      server.admin.call('POST', PATH, { ...body, ...changes }, { 'idempotency-key': key })
    const [first, again, other] = [await dispatch('a'), await dispatch('a'), await dispatch('b')]
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.text('id')).toBe(first.text('id'))
    expect(other.text('id')).not.toBe(first.text('id'))
    expect(await dispatch('a', { mode: 'fidelity_check' })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    })
    expect((await dispatch('x'.repeat(256))).status).toBe(400)
  })

  test('queues at most 100 requests for one tuner', async () => {
    const other = await server.createTuner(qpu)
    const dispatch = () => server.admin.post(PATH, { driver_id: other.id, mode: 'full' })
    for (let count = 0; count < 100; count += 1) expect((await dispatch()).status).toBe(201)
    expect(await dispatch()).toMatchObject({ status: 409, body: { code: 'too_many_pending_calibrations' } })
  })
})
