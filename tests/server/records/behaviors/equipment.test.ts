import { describe, expect, test } from 'bun:test'
import { hashToken } from '../../../../src/server/access-token.ts'
import { openTestServer, startDriverProcess, type TestServer } from '../../../support/server/server.ts'
import { until } from '../../../support/until.ts'

const QPUS = '/api/collections/qpus/records'
const DRIVERS = '/api/collections/drivers/records'

const statusOf = async (server: TestServer, id: string) =>
  (await server.guest.get(`${QPUS}/${id}`)).text('status')

describe('qpus', () => {
  test('are created with a raw access token, which is stored as a hash and connects a driver', async () => {
    await using server = await openTestServer()
    const user = server.as(await server.createUser())
    expect((await user.post(QPUS, { name: 'x' })).status).toBe(403)
    const created = await server.admin.post(QPUS, {
      ...{ name: 'cold-box', num_qubits: 3, executor_type: 'mock', access_token: 'raw token' },
    })
    expect(created.body).toMatchObject({
      ...{ name: 'cold_box', status: 'offline', enabled: true, access_token: hashToken('raw token') },
    })
    expect(await user.get(`${QPUS}/${created.text('id')}`)).not.toHaveProperty('body.access_token')
    const connect = (token: string) => server.guest.post('/api/op/drivers/connect', { token })
    expect((await connect('raw token')).body).toMatchObject({ qpu: created.text('id'), operation: 'process' })
    // A new token replaces the old one everywhere.
    await server.admin.patch(`${QPUS}/${created.text('id')}`, { access_token: 'other token' })
    const removal = await server.admin.patch(`${QPUS}/${created.text('id')}`, { access_token: '' })
    expect(removal.body).toMatchObject({
      status: 400,
      data: { access_token: { code: 'validation_required' } },
    })
    expect([(await connect('raw token')).status, (await connect('other token')).status]).toEqual([401, 200])
    expect((await server.admin.post(QPUS, { name: 'cold_box' })).body).toMatchObject({
      ...{ message: 'Failed to create record.', data: { name: { code: 'validation_not_unique' } } },
    })
    expect((await server.admin.post(QPUS, { num_qubits: 1.5 })).body).toMatchObject({
      data: {
        name: { code: 'validation_required' },
        num_qubits: { code: 'validation_only_int_constraint' },
      },
    })
    const removed = await server.admin.call('DELETE', `${QPUS}/${created.text('id')}`)
    expect(removed.body).toMatchObject({
      ...{ status: 400, code: 'required_reference' },
      message:
        'Failed to delete record. Make sure that the record is not part of a required relation reference.',
    })
  })

  test('disabled, and drivers disabled, changed or deleted, disconnect', async () => {
    await using server = await openTestServer()
    const qpu = await server.createQpu('north')
    const path = `${QPUS}/${qpu.id}`
    const online = () => until('online', async () => (await statusOf(server, qpu.id)) === 'online')
    const offline = async () => {
      await until('detached', () => server.context.hub.attachedEpoch(qpu.driver) === undefined)
      expect(await statusOf(server, qpu.id)).toBe('offline')
    }
    await using driver = await startDriverProcess(server, qpu)
    await online()
    expect((await server.admin.patch(path, { enabled: false })).body).toMatchObject({
      ...{ enabled: false, reason: { code: 'disabled' } },
    })
    await offline()
    await server.admin.patch(path, { enabled: true })
    await online()
    await server.admin.patch(`${DRIVERS}/${qpu.driver}`, { enabled: false })
    await offline()
    await server.admin.patch(`${DRIVERS}/${qpu.driver}`, { enabled: true })
    await online()
    // Another QPU: the lease belonged to the first.
    const south = await server.createQpu('south')
    await server.admin.patch(`${DRIVERS}/${qpu.driver}`, { qpu: south.id })
    await until('the old QPU is offline', async () => (await statusOf(server, qpu.id)) === 'offline')
    expect((await server.admin.call('DELETE', `${DRIVERS}/${qpu.driver}`)).status).toBe(204)
    await until('dropped', () => server.context.hub.attachedEpoch(qpu.driver) === undefined)
    expect(await driver.connected).toBeUndefined()
  })
})

describe('stages of a monitor', () => {
  test('are names of its channels in an order of the lab, which users read', async () => {
    await using server = await openTestServer()
    const path = `${DRIVERS}/${(await server.createQpu('north')).driver}`
    const stages = [
      { channel: 'mapper.bf.tmixing', name: ' Mixing chamber ' },
      { channel: 'mapper.bf.tstill', name: 'Still' },
    ]
    const stored = await server.admin.patch(path, { stages })
    const expected = [{ channel: 'mapper.bf.tmixing', name: 'Mixing chamber' }, stages[1]]
    expect([stored.status, stored.get('stages')]).toEqual([200, expected])
    const user = server.as(await server.createUser())
    expect((await user.get(path)).get('stages')).toEqual(expected)
    expect((await user.patch(path, { stages: [] })).status).toBe(403)
    const refused: [unknown, string][] = [
      ['Mixing', 'Must be a list of {channel, name}.'],
      [[{ channel: 'a', name: '' }], 'Must have a name in each entry that is not empty.'],
      [[{ channel: 'a', name: 'x'.repeat(61) }], 'Must have a name of at most 60 characters in each entry.'],
      [[stages[0], stages[0]], 'Must name each channel once.'],
      [
        Array.from({ length: 65 }, (_, index) => ({ channel: `c${index}`, name: 'x' })),
        'Must have at most 64 entries.',
      ],
    ]
    for (const [sent, message] of refused) {
      const { status, body } = await server.admin.patch(path, { stages: sent })
      expect([status, body]).toMatchObject([400, { data: { stages: { message } } }])
    }
    expect((await user.get(path)).get('stages')).toEqual(expected)
    expect((await server.admin.patch(path, { stages: null })).get('stages')).toBeNull()
  })
})

describe('thresholds', () => {
  test('are limits of monitors, and state which kinds there are', async () => {
    await using server = await openTestServer()
    const path = '/api/collections/thresholds/records'
    const qpu = await server.createQpu('north')
    const monitor = await server.admin.post('/api/op/drivers/create', {
      ...{ name: 'fridge', qpu: qpu.name, operation: 'monitor' },
    })
    const body = { name: 'Mixing chamber', channel: 'tmc', kind: 'above', limit: 0.02 }
    expect((await server.admin.post(path, { ...body, driver: qpu.driver })).body).toMatchObject({
      ...{ status: 400, code: 'not_a_monitor' },
      data: { driver: { code: 'not_a_monitor' } },
    })
    const created = await server.admin.post(path, { ...body, driver: monitor.text('id') })
    expect(created.status).toBe(200)
    const [one, other] = [await server.createUser(), await server.createUser()]
    await server.admin.patch(`${path}/${created.text('id')}`, { notify: [one.id, other.id] })
    const seen = await server.as(one).get(`${path}/${created.text('id')}`)
    expect(seen.get('notify')).toEqual([one.id])
    const moved = await server.admin.patch(`${path}/${created.text('id')}`, { driver: qpu.driver })
    expect([moved.status, moved.text('code')]).toEqual([400, 'not_a_monitor'])
    const refused = await server.admin.post(path, { ...body, driver: monitor.text('id'), kind: 'over' })
    expect(refused.body).toMatchObject({
      data: { kind: { message: 'Invalid value over; expected above, below, stale.' } },
    })
  })
})

describe('notes', () => {
  test('are written by superusers and name their author to superusers only', async () => {
    await using server = await openTestServer()
    const path = '/api/collections/notes/records'
    const note = { at: '2026-01-31 09:05:00.000Z', text: 'Trap exchanged' }
    const user = server.as(await server.createUser())
    expect((await user.post(path, note)).status).toBe(403)
    const refused = await server.admin.post(path, { ...note, author: 'somebody@example.org' })
    expect([refused.status, refused.text('code')]).toEqual([400, 'read_only_field'])
    const created = await server.admin.post(path, note)
    expect(created.body).toMatchObject({ ...note, qpu: '', author: expect.stringContaining('@') })
    const seen = await user.get(`${path}/${created.text('id')}`)
    expect(seen.body).toMatchObject(note)
    expect(seen.get('author')).toBeUndefined()
    expect((await server.admin.post(path, { ...note, text: 'x'.repeat(501) })).status).toBe(400)
  })
})

describe('calibration_requests', () => {
  const PATH = '/api/collections/calibration_requests/records'
  test('can be set to failed by a superuser, and to nothing else', async () => {
    await using server = await openTestServer()
    const qpu = await server.createQpu('north')
    const body = { driver: (await server.createTuner(qpu)).id, mode: 'full' }
    expect((await server.admin.post(PATH, { ...body, driver: qpu.driver })).body).toMatchObject({
      code: 'not_a_tuner',
    })
    expect((await server.admin.post(PATH, { ...body, target_qubits: ['q0'] })).body).toMatchObject({
      data: { target_qubits: { code: 'targets_without_partial' } },
    })
    expect((await server.admin.post(PATH, { ...body, status: 'done' })).status).toBe(400)
    expect((await server.admin.post(PATH, { ...body, mode: 'half' })).body).toMatchObject({
      data: {
        mode: {
          code: 'validation_invalid_value',
          message: 'Invalid value half; expected fidelity_check, partial, full.',
        },
      },
    })
    const created = await server.admin.post(PATH, body)
    const path = `${PATH}/${created.text('id')}`
    expect((await server.admin.patch(path, { status: 'running' })).body).toMatchObject({
      data: { status: { code: 'read_only_field' } },
    })
    expect((await server.admin.patch(path, { status: 'failed' })).get('finished_at')).not.toBe('')
    expect((await server.admin.patch(path, { status: 'pending' })).status).toBe(400)
    const user = server.as(await server.createUser())
    expect((await user.get(path)).get('status')).toBe('failed')
    const acts = await server.db.read((tx) =>
      tx.all("SELECT act FROM audit_log WHERE act = 'calibration.fail'"),
    )
    expect(acts).toHaveLength(1)
    expect((await server.guest.get(path)).status).toBe(404)
  })
})
