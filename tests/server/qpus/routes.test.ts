import { expect, test } from 'bun:test'
import { DAY_MS } from '../../../src/base/index.ts'
import { calibrationRequests } from '../../../src/db/store/calibrations/index.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'

const availability = async (server: TestServer) => (await server.guest.get('/api/op/qpus/availability')).body

test('POST /api/op/qpus/create registers the QPU and its process driver and shows the token once', async () => {
  await using server = await openTestServer()
  const created = await server.admin.post('/api/op/qpus/create', {
    name: 'north-1',
    executor_type: 'aer_sim',
    num_qubits: 5,
  })
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    id: expect.stringMatching(/^[0-9a-z]{15}$/),
    name: 'north_1',
    status: 'offline',
    enabled: true,
    executor_type: 'aer_sim',
    num_qubits: 5,
    driver_id: expect.stringMatching(/^[0-9a-z]{15}$/),
    access_token: expect.stringMatching(/^svc_dt_[0-9a-f]{64}$/),
    svc_addr: server.url,
    ca_fingerprint: server.context.tls.material.caFingerprint,
  })
  for (const path of [
    '/api/qpus',
    '/api/qpus/north-1',
    '/api/qpus/north_1',
    `/api/qpus/${created.text('id')}`,
  ]) {
    const shown = await server.guest.get(path)
    expect([path, shown.status]).toEqual([path, 200])
    const text = JSON.stringify(shown.body)
    expect(text).toContain(created.text('id'))
    expect(text).not.toMatch(/access_token|svc_dt_/)
  }
  const stored = await server.db.read((tx) => JSON.stringify(tx.all('SELECT * FROM drivers')))
  expect(stored).not.toContain(created.text('access_token'))
})

test('POST /api/op/qpus/create refuses bad values by field', async () => {
  await using server = await openTestServer()
  await server.createQpu('north')
  const bodies: [object, string][] = [
    [{}, 'name'],
    [{ name: 'north' }, 'name'],
    [{ name: 'NORTH west' }, 'name'],
    [{ name: '../etc' }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'a'.repeat(101) }, 'name'],
    [{ name: 'b', num_qubits: 0 }, 'num_qubits'],
    [{ name: 'b', num_qubits: 1.5 }, 'num_qubits'],
    [{ name: 'b', num_qubits: '5' }, 'num_qubits'],
    [{ name: 'b', enabled: 'yes' }, 'enabled'],
  ]
  for (const [body, field] of bodies) {
    const response = await server.admin.post('/api/op/qpus/create', body)
    expect([JSON.stringify(body), response.status, Object.keys(Object(response.get('data')))]).toEqual([
      JSON.stringify(body),
      400,
      [field],
    ])
  }
  expect((await server.guest.get('/api/qpus')).body).toHaveLength(1)
})

test('the address in responses comes from the settings, never from the Host header', async () => {
  await using server = await openTestServer({ settings: { domain: 'qpus.example.org' } })
  const response = await fetch(`${server.url}/api/op/qpus/create`, {
    method: 'POST',
    headers: {
      authorization: server.superuser.token,
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
    },
    body: JSON.stringify({ name: 'north' }),
  })
  const reply: { svc_addr: string } = await response.json()
  expect(reply.svc_addr).toMatch(/^http:\/\/qpus\.example\.org(:\d+)?$/)
  expect(JSON.stringify(reply)).not.toContain('evil')
})

test('the list has all QPUs, sorted and paged as requested', async () => {
  await using server = await openTestServer()
  for (const name of ['b', 'c', 'a']) await server.createQpu(name)
  const names = async (query: string) =>
    ((await server.guest.get(`/api/qpus?${query}`)).body as { name: string }[]).map((qpu) => qpu.name)
  expect(await names('')).toEqual(['b', 'c', 'a'])
  expect(await names('sort=-created')).toEqual(['a', 'c', 'b'])
  expect(await names('sort=name&skip=1')).toEqual(['b', 'c'])
  expect(await names('sort=-name&limit=1')).toEqual(['c'])
  for (const query of ['sort=access_token', 'limit=1001', 'skip=x']) {
    expect([query, (await server.guest.get(`/api/qpus?${query}`)).status]).toEqual([query, 400])
  }
})

test('availability lists each QPU that runs no jobs, with the most severe reason', async () => {
  await using server = await openTestServer()
  const qpu = await server.createQpu('north')
  const entry = (reason: string) => [{ id: qpu.id, name: 'north', reason }]
  expect(await availability(server)).toEqual(entry('offline'))
  await server.db.write('online', (tx) => tx.run(`UPDATE qpus SET status = 'online'`))
  expect(await availability(server)).toEqual([])
  expect((await server.guest.get('/api/qpus/north')).body).toMatchObject({ calibrating: false, reason: null })
  await server.db.write('calibrate', (tx) =>
    tx.run(
      `INSERT INTO calibration_requests (id, driver, mode, status, created, updated, target_qubits, requested_by, error, started_at, finished_at, result, progress)
       SELECT 'cal000000000001', id, 'full', 'running', $at, $at, NULL, '', '', '', '', '', NULL FROM drivers`,
      { at: tx.at },
    ),
  )
  expect(await availability(server)).toEqual(entry('calibrating'))
  expect((await server.guest.get('/api/qpus/north')).get('calibrating')).toBe(true)
  const maintain = (maintenance: boolean, reason?: string) =>
    server.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance, reason })
  expect((await maintain(true)).body).toMatchObject({ maintenance: true, reason: { text: 'maintenance' } })
  expect((await maintain(true, 'warming up')).get('reason')).toEqual({
    code: 'maintenance',
    text: 'maintenance: warming up',
  })
  expect(await availability(server)).toEqual(entry('maintenance: warming up'))
  await server.admin.post('/api/op/qpu/toggle', { name: 'north', enabled: false })
  expect(await availability(server)).toEqual(entry('disabled'))
  await server.admin.post('/api/op/qpu/toggle', { id: qpu.id, enabled: true })
  expect((await maintain(false)).body).toMatchObject({ maintenance: false, maintenance_reason: '' })
})

test('POST /api/op/qpu/drain makes jobs wait with the reason; submissions are still accepted', async () => {
  await using server = await openTestServer()
  const qpu = await server.createQpu('north')
  const drain = (body: object) => server.admin.post('/api/op/qpu/drain', body)
  expect((await drain({ name: 'north', drain: true, reason: 'helium refill' })).body).toMatchObject({
    draining: true,
    drain_reason: 'helium refill',
    reason: { code: 'draining', text: 'draining: helium refill' },
    running_job: null,
  })
  expect(await availability(server)).toEqual([
    { id: qpu.id, name: 'north', reason: 'draining: helium refill' },
  ])
  const user = server.as(await server.createUser({ qpuSeconds: 10 }))
  const circuit = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; c = measure q;'
  const job = await user.post('/api/jobs', { circuits: [{ circuit }], qpu_target: 'north' })
  expect(job.status).toBe(201)
  expect((await user.get(`/api/jobs/${job.text('id')}`)).body).toMatchObject({
    waiting: { code: 'draining', text: 'north is draining: helium refill' },
  })
  expect((await drain({ id: qpu.id, drain: false })).body).toMatchObject({
    draining: false,
    drain_reason: '',
    reason: { code: 'offline' },
  })
  expect((await drain({ drain: true })).status).toBe(400)
  expect((await drain({ name: 'south', drain: true })).status).toBe(404)
  const trace = await server.db.read((tx) =>
    tx.all<{ detail: string }>("SELECT detail FROM audit_log WHERE act = 'qpu.drain' ORDER BY seq"),
  )
  expect(trace.map(({ detail }) => JSON.parse(detail))).toEqual([
    { draining: true, reason: 'helium refill' },
    { draining: false, reason: '' },
  ])
})

test('toggle and maintenance refuse unknown QPUs and missing values, and are audited', async () => {
  await using server = await openTestServer()
  const qpu = await server.createQpu('north')
  const cases: [string, object, number][] = [
    ['/api/op/qpu/toggle', { enabled: true }, 400],
    ['/api/op/qpu/toggle', { name: 'north' }, 400],
    ['/api/op/qpu/toggle', { name: 'north', enabled: 1 }, 400],
    ['/api/op/qpu/toggle', { name: 'nowhere', enabled: true }, 404],
    ['/api/op/qpu/toggle', { id: 'aaaaaaaaaaaaaaa', enabled: true }, 404],
    ['/api/op/qpu/maintenance', { id: qpu.id }, 400],
    ['/api/op/qpu/maintenance', { maintenance: true }, 400],
    ['/api/op/qpu/maintenance', { id: 'aaaaaaaaaaaaaaa', maintenance: true }, 404],
    ['/api/op/qpu/maintenance', { id: qpu.id, maintenance: true, reason: 'x'.repeat(1_001) }, 400],
    ['/api/op/drivers/toggle', { id: 'aaaaaaaaaaaaaaa', enabled: true }, 404],
    ['/api/op/drivers/toggle', { id: qpu.driver }, 400],
  ]
  for (const [path, body, status] of cases) {
    const response = await server.admin.post(path, body)
    expect([path, JSON.stringify(body).slice(0, 60), response.status]).toEqual([
      path,
      JSON.stringify(body).slice(0, 60),
      status,
    ])
  }
  await server.admin.post('/api/op/qpu/toggle', { name: 'north', enabled: false })
  await server.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance: true })
  await server.admin.post('/api/op/drivers/toggle', { id: qpu.driver, enabled: false })
  const acts = await server.db.read((tx) =>
    tx.all<{ act: string; actor: string }>(
      "SELECT act, actor FROM audit_log WHERE act NOT LIKE 'superuser.%' AND act <> 'login' ORDER BY seq",
    ),
  )
  const actor = `superuser:${server.superuser.id}`
  expect(acts).toEqual(
    ['qpu.create', 'qpu.toggle', 'qpu.maintenance', 'driver.toggle'].map((act) => ({ act, actor })),
  )
})

test('POST /api/op/qpu/delete removes a QPU with its drivers, or nothing', async () => {
  await using server = await openTestServer()
  await server.createQpu('north')
  const south = await server.createQpu('south')
  const monitor = { name: 'cold', qpu: 'north', operation: 'monitor', device: 'cryostat_gen1' }
  expect((await server.admin.post('/api/op/drivers/create', monitor)).status).toBe(201)
  const user = server.as(await server.createUser({ qpuSeconds: 10 }))
  const circuit = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; c = measure q;'
  const job = await user.post('/api/jobs', { circuits: [{ circuit }], qpu_target: 'north' })
  const names = (collection: string) =>
    server.db.read((tx) => tx.all<{ name: string }>(`SELECT name FROM ${collection} ORDER BY name`))
  const before = await names('drivers')
  expect(before).toHaveLength(3)
  const remove = (body: object) => server.admin.post('/api/op/qpu/delete', body)

  const refused = await remove({ name: 'north' })
  expect([refused.status, refused.get('code')]).toEqual([400, 'unfinished_jobs'])
  expect(await names('drivers')).toEqual(before)
  expect(await names('qpus')).toHaveLength(2)

  expect((await user.post(`/api/jobs/${job.text('id')}/cancel`)).status).toBe(200)
  const day = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)
  const slot = { start_time: `${day} 09:00:00.000Z`, end_time: `${day} 10:00:00.000Z`, qpu: 'north' }
  expect((await user.post('/api/bookings', slot)).status).toBe(201)
  const tuner = await server.admin.post('/api/op/drivers/create', {
    ...{ name: 'tuner', qpu: 'north', operation: 'calibrate', device: 'simulated_chip' },
  })
  const asked = await server.admin.post('/api/op/calibrate/dispatch', {
    ...{ driver_id: tuner.text('id'), mode: 'fidelity_check' },
  })
  expect([asked.status, asked.body]).toMatchObject([201, {}])
  const requests = () => server.db.read((tx) => tx.list(calibrationRequests))
  const [request] = await requests()
  await server.db.write('begin', (tx) =>
    tx.update(calibrationRequests, request?.id ?? '', { status: 'running' }),
  )
  const calibrating = await remove({ name: 'north' })
  expect([calibrating.status, calibrating.get('code')]).toEqual([400, 'calibration_running'])
  await server.db.write('end', (tx) =>
    tx.update(calibrationRequests, request?.id ?? '', { status: 'failed' }),
  )
  const contents = {
    ...{ name: 'north', drivers: ['north', 'cold', 'tuner'] },
    ...{ bookings: 1, calibration_requests: 1, thresholds: 0, notes: 0 },
  }
  expect((await server.admin.get('/api/op/qpu/delete?name=north')).body).toMatchObject(contents)
  expect((await remove({ name: 'north' })).body).toMatchObject(contents)
  expect(await requests()).toEqual([])
  expect(await names('qpus')).toEqual([{ name: 'south' }])
  expect(await names('drivers')).toEqual([{ name: 'south' }])
  expect((await remove({ name: 'north' })).status).toBe(404)
  const other = server.as(await server.createUser())
  const notices = async (as: typeof user) =>
    (await as.get('/api/collections/notifications/records')).get('items') as { title: string }[]
  expect(await notices(user)).toMatchObject([{ title: 'Bookings of north were cancelled' }])
  expect(await notices(other)).toEqual([])
  expect((await other.post('/api/bookings', { ...slot, qpu: 'south' })).status).toBe(201)
  expect((await remove({})).status).toBe(400)
  expect((await remove({ id: south.id })).status).toBe(200)
  const acts = await server.db.read((tx) =>
    tx.all<{ detail: string }>("SELECT detail FROM audit_log WHERE act = 'qpu.delete' ORDER BY seq"),
  )
  expect(acts.map(({ detail }) => JSON.parse(detail))).toEqual([
    { name: 'north', drivers: ['north', 'cold', 'tuner'] },
    { name: 'south', drivers: ['south'] },
  ])
})

test('POST /api/op/drivers/create registers a driver of a QPU by name or id', async () => {
  await using server = await openTestServer()
  const qpu = await server.createQpu('north')
  const make = (body: object) => server.admin.post('/api/op/drivers/create', body)
  const created = await make({ name: 'cold-1', qpu: 'north', operation: 'monitor', device: 'cryostat-gen1' })
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    name: 'cold_1',
    qpu: qpu.id,
    qpu_name: 'north',
    operation: 'monitor',
    device: 'cryostat_gen1',
    status: 'offline',
    enabled: true,
    token: expect.stringMatching(/^svc_dt_[0-9a-f]{64}$/),
    svc_addr: server.url,
    ca_fingerprint: server.context.tls.material.caFingerprint,
    driver_version: '2026.1.0-test',
  })
  const snippets = Object(created.get('snippets'))
  expect(snippets).toEqual({
    store_token: 'mkdir -p -m 0700 ~/svc-driver/cold_1 && (umask 077 && cat > ~/svc-driver/cold_1/token)',
    start:
      `svc driver start --svc-addr ${server.url} --ca-fingerprint ${created.get('ca_fingerprint')} ` +
      '--ca-file ~/svc-driver/cold_1/svc.ca.pem --token-file ~/svc-driver/cold_1/token ' +
      '--data-dir ~/svc-driver/cold_1/data --operation monitor --device cryostat_gen1',
  })
  const own = await make({ name: 'own', qpu: 'north', operation: 'calibrate', device: "./a b';x.js" })
  expect(Object(own.get('snippets')).start).toEndWith(String.raw`--device './a b'\'';x.js'`)
  expect((await make({ name: 'b', qpu: qpu.id, operation: 'calibrate', enabled: false })).body).toMatchObject(
    {
      enabled: false,
    },
  )
  const refusals: [object, number][] = [
    [{ qpu: 'north', operation: 'monitor' }, 400],
    [{ name: 'c', qpu: 'nowhere', operation: 'monitor' }, 404],
    [{ name: 'c', qpu: 'north', operation: 'cook' }, 400],
    [{ name: 'c', qpu: 'north' }, 400],
    [{ name: 'c d', qpu: 'north', operation: 'monitor' }, 400],
  ]
  for (const [body, status] of refusals) {
    expect([JSON.stringify(body), (await make(body)).status]).toEqual([JSON.stringify(body), status])
  }
})
