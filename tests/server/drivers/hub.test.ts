import { afterEach, expect, test } from 'bun:test'
import { qpus, setDriverEnabled } from '../../../src/db/store/qpus/index.ts'
import type { ConnectResponse } from '../../../src/protocol/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import {
  attach,
  closeDriverSockets,
  connectAs,
  expectRefusal,
  registerStandby,
  statusOf,
  untilStatus,
} from '../../support/server/driver-sockets.ts'
import { openTestServer } from '../../support/server/server.ts'
import { openProxy } from '../../support/sockets/proxy.ts'
import { until } from '../../support/until.ts'

afterEach(closeDriverSockets)

// Where something happens at once, the clock stands still: no time limit of the server brings it about.

test('connect() returns everything a driver needs', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu('north')
  const response = await connectAs(test, qpu)
  expect(response.status).toBe(200)
  expect(response.body).toEqual({
    status: 'success',
    id: qpu.driver,
    name: 'north',
    operation: 'process',
    qpu: qpu.id,
    qpu_name: 'north',
    command_port: test.context.config.portRangeStart,
    result_port: test.context.config.portRangeStart + 1,
    socket_host: '127.0.0.1',
    auth_token: expect.any(String),
    tls_hash: test.context.tls.material.caFingerprint,
    epoch: 1,
  })
  expect(response.text('auth_token').length).toBeLessThanOrEqual(255)
})

test('connect() refuses invalid requests with the reason', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu('north')
  const refusal = async (body: unknown) => {
    const response = await test.guest.post('/api/op/drivers/connect', body)
    return [response.status, response.get('message')]
  }
  expect(await refusal({ token: 'svc_dt_0123' })).toEqual([
    401,
    'Unknown driver access token; use the one shown at registration.',
  ])
  expect(await refusal({})).toEqual([401, 'Missing driver access token; send it as "token".'])
  expect((await refusal({ token: 7 }))[0]).toBe(400)
  await test.admin.post('/api/op/drivers/toggle', { id: qpu.driver, enabled: false })
  expect(await refusal({ token: qpu.token })).toEqual([403, 'Driver north is disabled.'])
  await test.admin.post('/api/op/drivers/toggle', { id: qpu.driver, enabled: true })
  await test.admin.post('/api/op/qpu/toggle', { name: 'north', enabled: false })
  expect(await refusal({ token: qpu.token })).toEqual([403, 'QPU north is disabled.'])
})

test('connect() works the same with its former path and field', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu()
  const response = await test.guest.post('/api/op/qpus/connect', { access_token: qpu.token })
  expect(response.body).toMatchObject({ status: 'success', id: qpu.driver })
})

test('a QPU is online from the attach of the command socket until its detach', async () => {
  await using test = await openTestServer({ clock: new FakeClock(Date.now()) })
  const qpu = await test.createQpu()
  const { command } = await attach(test, await connectAs(test, qpu))
  await untilStatus(test, qpu, 'online')
  void command.close()
  await untilStatus(test, qpu, 'offline')
  const [row] = await test.db.read((tx) => tx.all<{ driver: string }>('SELECT driver FROM leases'))
  expect(row?.driver).toBe('')
})

test('a QPU is offline at once even if the other socket of its driver is half open', async () => {
  await using test = await openTestServer({ clock: new FakeClock(Date.now()) })
  const qpu = await test.createQpu()
  const response = await connectAs(test, qpu)
  await using results = await openProxy(Number(response.get('result_port')))
  const { command } = await attach(test, response, { result_port: results.port })
  await untilStatus(test, qpu, 'online')
  results.freeze()
  void command.close()
  await untilStatus(test, qpu, 'offline')
  // The driver reconnects without delay, although its old ports are still closing.
  expect((await connectAs(test, qpu)).status).toBe(200)
})

test('a standby is refused with 409 while the driver is connected, and takes over right after its detach', async () => {
  await using test = await openTestServer({ clock: new FakeClock(Date.now()) })
  const qpu = await test.createQpu('north')
  const standby = await registerStandby(test, qpu)
  const { command } = await attach(test, await connectAs(test, qpu))
  await untilStatus(test, qpu, 'online')
  const refused = await connectAs(test, standby)
  expect(refused.status).toBe(409)
  expect(refused.body).toMatchObject({
    code: 'already_connected',
    message: "Driver north is already connected as this QPU's process driver; only one per QPU is allowed.",
  })
  void command.close()
  const taken = await until('the standby has the lease', async () => {
    const response = await connectAs(test, standby)
    return response.status === 200 && response
  })
  await attach(test, taken)
  expect(taken.get('epoch')).toBe(2)
  expect((await connectAs(test, qpu)).status).toBe(409)
})

test('drivers of different operations of a QPU are connected at the same time', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu('north')
  for (const operation of ['monitor', 'calibrate']) {
    const driver = await test.admin.post('/api/op/drivers/create', {
      name: operation,
      qpu: 'north',
      operation,
    })
    await attach(test, await connectAs(test, { token: driver.text('token') }))
  }
  expect(await statusOf(test, qpu)).toBe('offline')
  await attach(test, await connectAs(test, qpu))
  await untilStatus(test, qpu, 'online')
})

test('a reconnecting driver replaces its own older session at once, even if that is half open', async () => {
  await using test = await openTestServer({ clock: new FakeClock(Date.now()) })
  const qpu = await test.createQpu()
  const first = await attach(test, await connectAs(test, qpu))
  await untilStatus(test, qpu, 'online')
  const second = await connectAs(test, qpu)
  expect(second.get('epoch')).toBe(2)
  await until('the older sockets are closed', () => !first.command.ready && !first.result.ready)

  await using commands = await openProxy(Number(second.get('command_port')))
  await using results = await openProxy(Number(second.get('result_port')))
  await attach(test, second, { command_port: commands.port, result_port: results.port })
  commands.freeze()
  results.freeze()
  const third = await connectAs(test, qpu)
  expect(third.get('epoch')).toBe(3)
  await attach(test, third)
  await untilStatus(test, qpu, 'online')
})

test('isReceiving() is true from the first byte of a message to its end', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu()
  const { hub } = test.context
  const response = await connectAs(test, qpu)
  await using proxy = await openProxy(Number(response.get('result_port')))
  const { result } = await attach(test, response, { result_port: proxy.port })
  expect(hub.isReceiving(qpu.driver)).toBe(false)
  proxy.freeze(100_000)
  result.trySend('x'.repeat(1_000_000))
  await until('a part of it has arrived', () => hub.isReceiving(qpu.driver))
  hub.disconnect(qpu.driver, 'test')
  expect(hub.isReceiving(qpu.driver)).toBe(false)
})

test('the token of an older lease does not open the sockets of a newer one', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu()
  const first = await connectAs(test, qpu)
  const second = await connectAs(test, qpu)
  const stale = { ...(second.body as ConnectResponse), auth_token: first.text('auth_token') }
  await expectRefusal(test, stale)
  expect(await statusOf(test, qpu)).toBe('offline')
  await attach(test, second)
})

test('50 drivers that connect twice each at the same time share 20 ports without using one twice', async () => {
  await using test = await openTestServer()
  const qpus = await Promise.all(Array.from({ length: 50 }, () => test.createQpu()))
  const responses = await Promise.all([...qpus, ...qpus].map((qpu) => connectAs(test, qpu)))
  const granted = responses.filter((response) => response.status === 200)
  const refused = responses.filter((response) => response.status !== 200)
  expect(new Set(granted.map((response) => response.get('id'))).size).toBe(10)
  expect(new Set(refused.map((response) => `${response.status} ${response.get('code')}`))).toEqual(
    new Set(['503 no_ports_available']),
  )
  const rows = await test.db.read((tx) =>
    tx.all<{ command_port: number; result_port: number }>(
      'SELECT command_port, result_port FROM drivers WHERE command_port > 0',
    ),
  )
  const ports = rows.flatMap((row) => [row.command_port, row.result_port])
  expect([ports.length, new Set(ports).size]).toEqual([20, 20])
  const newest = new Map(granted.map((response) => [response.get('id'), response]))
  for (const response of granted) {
    const best = newest.get(response.get('id'))
    if (Number(response.get('epoch')) > Number(best?.get('epoch'))) newest.set(response.get('id'), response)
  }
  await Promise.all(Array.from(newest.values(), (response) => attach(test, response)))
})

test('ports of another program are excluded, and retried if no other port is free', async () => {
  await using test = await openTestServer()
  const { portRangeStart: first } = test.context.config
  const foreign = [0, 1].map((offset) =>
    Bun.listen({ hostname: '127.0.0.1', port: first + offset, socket: { data: () => undefined } }),
  )
  const qpus = await Promise.all(Array.from({ length: 10 }, () => test.createQpu()))
  const responses = []
  for (const qpu of qpus) responses.push(await connectAs(test, qpu))
  expect(responses.map((response) => response.status)).toEqual([...Array(9).fill(200), 503])
  expect(responses[0]?.get('command_port')).toBe(first + 2)
  for (const listener of foreign) listener.stop(true)
  const last = qpus.at(-1)
  if (!last) throw new Error('no QPU')
  expect((await connectAs(test, last)).body).toMatchObject({ command_port: first, result_port: first + 1 })
})

test('disabling a driver or its QPU closes its sockets and releases its lease', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu('north')
  for (const [path, which] of [
    ['/api/op/drivers/toggle', { id: qpu.driver }],
    ['/api/op/qpu/toggle', { name: 'north' }],
  ] as const) {
    const { command } = await attach(test, await connectAs(test, qpu))
    await untilStatus(test, qpu, 'online')
    const off = await test.admin.post(path, { ...which, enabled: false })
    expect(off.body).toMatchObject({ enabled: false, status: 'offline' })
    await until('the socket is closed', () => !command.ready)
    expect(await statusOf(test, qpu)).toBe('offline')
    const leases = await test.db.read((tx) => tx.all(`SELECT * FROM leases WHERE driver <> ''`))
    expect(leases).toEqual([])
    expect((await test.admin.post(path, { ...which, enabled: true })).body).toMatchObject({ enabled: true })
  }
})

test('a lease without an attach within 30 s is released, with its ports', async () => {
  const clock = new FakeClock()
  await using test = await openTestServer({ clock })
  const qpu = await test.createQpu('north')
  const standby = await registerStandby(test, qpu)
  expect((await connectAs(test, qpu)).status).toBe(200)
  await clock.advance(29_000)
  expect((await connectAs(test, standby)).status).toBe(409)
  await clock.advance(1_000)
  await until('the lease is free', async () => (await connectAs(test, standby)).status === 200)
  const leases = await test.db.read((tx) =>
    tx.all<{ name: string }>('SELECT name FROM drivers WHERE command_port > 0'),
  )
  expect(leases).toEqual([{ name: 'south' }])
})

test('a driver that is disabled between its connect and its attach is disconnected', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu()
  const lease = (await connectAs(test, qpu)).body as ConnectResponse
  // As if the toggle came from a request before the session exists.
  await setDriverEnabled(test.db, 'test', qpu.driver, false)
  await expectRefusal(test, lease)
  expect(await statusOf(test, qpu)).toBe('offline')
  expect(test.context.hub.attachedEpoch(qpu.driver)).toBeUndefined()
})

test('a driver receives the maintenance state of its QPU at each attach', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu('cold')
  for (const on of [true, false]) {
    const reason = on ? 'new pump' : ''
    await test.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance: on, reason })
    const received: unknown[] = []
    const response = await connectAs(test, qpu)
    await attach(test, response, {}, (body) => void received.push(JSON.parse(Buffer.from(body).toString())))
    await until('the driver receives the state', () => received.length > 0)
    expect(received).toEqual([{ type: 'SetMaintenance', knows_aborted: true, begins_runs: true, on, reason }])
  }
})

test('a driver that was started for another operation is refused and does not disturb the right one', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu('north')
  const { command } = await attach(test, await connectAs(test, qpu))
  const response = await test.guest.post('/api/op/drivers/connect', {
    token: qpu.token,
    operation: 'monitor',
  })
  expect([response.status, response.get('code')]).toEqual([400, 'wrong_operation'])
  expect(response.text('message')).toContain('Driver north is registered for process, not monitor')
  expect(command.ready).toBe(true)
  expect(await statusOf(test, qpu)).toBe('online')
})

test('a driver that is connected while its QPU is offline is a problem of the server after 30 s', async () => {
  const clock = new FakeClock(Date.now())
  await using test = await openTestServer({ clock })
  const qpu = await test.createQpu('north')
  await attach(test, await connectAs(test, qpu))
  await untilStatus(test, qpu, 'online')
  await test.db.write('set offline', (tx) => tx.update(qpus, qpu.id, { status: 'offline' }))
  const seen = async () => {
    const metrics = await (await fetch(`${test.url}/metrics`)).text()
    const [, count] = /^svc_drivers_half_attached (\d+)$/m.exec(metrics) ?? []
    return [count, (await test.guest.get('/api/health?ready=1')).status]
  }
  expect(await seen()).toEqual(['0', 200])
  // In steps, so that neither side takes the other for dead.
  for (let s = 0; s < 31; s += 1) {
    await clock.advance(1_000)
    await Bun.sleep(1)
  }
  expect(await seen()).toEqual(['1', 503])
  expect((await test.guest.get('/api/health?ready=1')).text('message')).toContain(
    'drivers: connected for more than 30 s, but offline: north',
  )
  await test.db.write('set online', (tx) => tx.update(qpus, qpu.id, { status: 'online' }))
  expect(await seen()).toEqual(['0', 200])
})

test('activity counts what a driver sends and says why another one is refused', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu('north')
  const standby = await registerStandby(test, qpu)
  await connectAs(test, qpu)
  expect((await connectAs(test, standby)).status).toBe(409)
  const activity = await test.admin.get('/api/op/drivers/activity')
  expect(activity.body).toMatchObject({
    ca_fingerprint: test.context.tls.material.caFingerprint,
    svc_addr: expect.stringContaining('127.0.0.1'),
    event_rate_limit: test.context.config.eventRateLimit,
  })
  const [holder, other] = activity.get('drivers') as Record<string, unknown>[]
  expect(holder).toMatchObject({ id: qpu.driver, connected_at: expect.stringMatching(/Z$/), refused: null })
  expect(other).toMatchObject({ connected_at: '', refused: { code: 'already_connected' } })
})

test('a new access token ends the connection and replaces the old token', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu('north')
  await connectAs(test, qpu)
  const renewed = await test.admin.post('/api/op/drivers/token', { id: qpu.driver })
  expect([renewed.status, renewed.get('name')]).toEqual([200, 'north'])
  expect(renewed.get('snippets')).toMatchObject({ start: expect.stringContaining('svc driver start') })
  expect((await connectAs(test, qpu)).status).toBe(401)
  const token = renewed.text('token')
  expect((await connectAs(test, { ...qpu, token })).status).toBe(200)
})
