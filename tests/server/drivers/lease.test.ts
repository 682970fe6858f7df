import { afterEach, expect, test } from 'bun:test'
import { FakeClock } from '../../support/fake-clock.ts'
import {
  attach,
  closeDriverSockets,
  connectAs,
  registerStandby,
  statusOf,
  untilStatus,
} from '../../support/server/driver-sockets.ts'
import { openTestServer, type TestDriver, type TestServer } from '../../support/server/server.ts'
import { until } from '../../support/until.ts'
import { part } from '../../support/whole.ts'

afterEach(closeDriverSockets)

test.each([
  [
    'toggled',
    (test: TestServer, { id }: TestDriver) =>
      test.admin.post('/api/op/drivers/toggle', { id, enabled: false }),
  ],
  [
    'changed',
    (test: TestServer, { id }: TestDriver) =>
      test.admin.patch(`/api/collections/drivers/records/${id}`, { enabled: false }),
  ],
  [
    'deleted',
    (test: TestServer, { id }: TestDriver) =>
      test.admin.call('DELETE', `/api/collections/drivers/records/${id}`),
  ],
])('a QPU stays online when a standby without lease is %s', async (_, act) => {
  await using test = await openTestServer()
  const qpu = await test.createQpu('north')
  const standby = await registerStandby(test, qpu)
  const { command } = await attach(test, await connectAs(test, qpu))
  await untilStatus(test, qpu, 'online')
  expect((await act(test, standby)).status).toBeLessThan(300)
  expect(await statusOf(test, qpu)).toBe('online')
  expect(command.ready).toBe(true)
})

test.each(['', 'another process'])(
  'a second process of a driver is refused (instance "%s")',
  async (second) => {
    await using test = await openTestServer()
    const qpu = await test.createQpu('north')
    const { command } = await attach(test, await connectAs(test, qpu))
    await untilStatus(test, qpu, 'online')
    const refused = await connectAs(test, qpu, second)
    expect([refused.status, refused.get('code')]).toEqual([409, 'already_connected'])
    expect(refused.get('message')).toBe(
      "Driver north is already connected as this QPU's process driver by another process on 127.0.0.1; only one per QPU is allowed.",
    )
    expect([command.ready, await statusOf(test, qpu)]).toEqual([true, 'online'])
    // As a restarted process after a crash: the end of the old socket is enough.
    void command.close()
    await until('the second has the lease', async () => (await connectAs(test, qpu, second)).status === 200)
  },
)

test('a second process of a driver replaces one that has been silent for 15 s since its connect', async () => {
  const clock = new FakeClock()
  await using test = await openTestServer({ clock })
  const qpu = await test.createQpu('north')
  expect((await connectAs(test, qpu)).status).toBe(200)
  await clock.advance(14_999)
  expect((await connectAs(test, qpu, 'another process')).status).toBe(409)
  await clock.advance(1)
  expect((await connectAs(test, qpu, 'another process')).status).toBe(200)
  expect((await connectAs(test, qpu)).status).toBe(409)
})

/** A driver that is granted the lease again and again and never attaches, beside one that waits for it. */
async function openRace() {
  // The certificate of the sockets is checked with the true time.
  const clock = new FakeClock(Date.now())
  const server = await openTestServer({ clock })
  const qpu = await server.createQpu('north')
  const standby = await registerStandby(server, qpu)
  const failing = (instance?: string, failure?: string) =>
    server.guest.post('/api/op/drivers/connect', {
      token: qpu.token,
      instance: instance ?? 'failing',
      ...(failure !== undefined && { failure }),
    })
  return { clock, server, qpu, standby, failing, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('in each race, a healthy standby has the lease within 35 s beside a driver that cannot attach', async () => {
  await using race = await openRace()
  const { clock, server, qpu, standby } = race
  const random = randomOf(Number(process.env['SVC_TEST_SEED']) || 7)
  for (let run = 0; run < part(100, 8); run += 1) {
    // A crash loop is a new process each time; a driver without instance is one process.
    const instance = () => ['failing', `failing ${random(1_000)}`, ''][run % 3]
    const attached = await attach(server, await connectAs(server, qpu, 'healthy once'))
    await untilStatus(server, qpu, 'online')
    await Promise.all([attached.command.close(), attached.result.close()])
    await untilStatus(server, qpu, 'offline')
    const start = clock.monotonic()
    let [failingAt, standbyAt] = [start, start + random(4_000)]
    for (;;) {
      await clock.advance(Math.min(failingAt, standbyAt) - clock.monotonic())
      if (failingAt <= clock.monotonic()) {
        await connectAs(server, qpu, instance())
        failingAt += 250 + random(10_000)
        continue
      }
      standbyAt += 2_000
      const granted = await connectAs(server, standby, 'healthy')
      if (granted.status !== 200) continue
      expect(clock.monotonic() - start).toBeLessThanOrEqual(35_000)
      const { command, result } = await attach(server, granted)
      await untilStatus(server, qpu, 'online')
      await Promise.all([command.close(), result.close()])
      await untilStatus(server, qpu, 'offline')
      break
    }
  }
})

test('a driver that has not attached in 30 s is refused with the reason while another one asks', async () => {
  await using race = await openRace()
  const { clock, server, qpu, standby, failing } = race
  const failure = 'result port 6001 of 127.0.0.1 cannot be attached: certificate is not yet valid'
  for (let second = 0; second < 30; second += 5) {
    expect((await failing('failing', failure)).status).toBe(200)
    expect((await connectAs(server, standby)).status).toBe(409)
    await clock.advance(5_000)
  }
  const refused = await failing('failing', failure)
  expect([refused.status, refused.get('code'), refused.get('message')]).toEqual([
    409,
    'not_attached',
    `Driver north has not attached within 30 s of its first connect (${failure}); driver south asks for the lease and goes first.`,
  ])
  const { drivers } = (await server.admin.get('/api/op/drivers/activity')).body as {
    drivers: { id: string; qpu: string; name: string; refused: { code: string; message: string } }[]
  }
  expect(drivers.find(({ id }) => id === qpu.driver)).toMatchObject({
    name: 'north',
    qpu: qpu.id,
    refused: { code: 'not_attached', message: expect.stringContaining(failure) },
  })
  // Nobody else asks any more: it may try again, but a healthy one does not wait for its turn.
  await clock.advance(60_000)
  expect((await failing()).status).toBe(200)
  expect((await connectAs(server, standby)).status).toBe(200)
  expect((await failing()).status).toBe(409)
})

test('drivers that all cannot attach take turns', async () => {
  await using race = await openRace()
  const { clock, server, standby, failing } = race
  const holders: string[] = []
  for (let second = 0; second < 180; second += 5) {
    if ((await failing()).status === 200) holders.push('north')
    if ((await connectAs(server, standby)).status === 200) holders.push('south')
    await clock.advance(5_000)
  }
  const turns = holders.filter((holder, at) => holder !== holders[at - 1])
  expect(turns).toEqual(['north', 'south', 'north', 'south', 'north', 'south'])
})

test('a healthy process replaces one of its own driver that cannot attach', async () => {
  await using race = await openRace()
  const { clock, server, qpu, failing } = race
  for (let second = 0; second < 30; second += 10) {
    expect((await failing()).status).toBe(200)
    expect((await connectAs(server, qpu, 'healthy')).status).toBe(409)
    await clock.advance(10_000)
  }
  expect((await failing()).get('message')).toContain('another process of driver north asks')
  expect((await connectAs(server, qpu, 'healthy')).status).toBe(200)
})

test('a connection that replaces the older one of its lease does not end the lease', async () => {
  await using test = await openTestServer()
  const qpu = await test.createQpu()
  const response = await connectAs(test, qpu)
  const first = await attach(test, response)
  await untilStatus(test, qpu, 'online')
  await attach(test, response)
  await until('the older socket is closed', () => !first.command.ready)
  expect(await statusOf(test, qpu)).toBe('online')
  expect(test.context.hub.attachedEpoch(qpu.driver)).toBe(1)
})

/** Random numbers below `below`, the same for each seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface ModelDriver extends TestDriver {
  enabled: boolean
  /** Its response to the last connect, while it may attach. */
  granted?: Awaited<ReturnType<typeof connectAs>> | undefined
  sockets?: Awaited<ReturnType<typeof attach>> | undefined
}

/** QPU, its leases and sockets in one snapshot. */
function readState(test: TestServer, qpu: { id: string }) {
  return test.db.read((tx) => {
    const [row] = tx.all<{ status: string }>('SELECT status FROM qpus WHERE id = $id', { id: qpu.id })
    const [lease] = tx.all<{ driver: string; state: string }>(
      `SELECT driver, state FROM leases WHERE qpu = $id AND operation = 'process' AND driver <> ''`,
      { id: qpu.id },
    )
    const online = tx.all<{ id: string }>(
      `SELECT id FROM drivers WHERE qpu = $id AND operation = 'process' AND status = 'online'`,
      { id: qpu.id },
    )
    return {
      isOnline: row?.status === 'online',
      attached: lease?.state === 'attached' ? lease.driver : undefined,
      online: online.map(({ id }) => id),
    }
  })
}

test.each([1, 2, 3])(
  'a QPU is online exactly while a lease of its process driver is attached (seed %i)',
  async (seed) => {
    await using test = await openTestServer()
    const random = randomOf(seed)
    const qpu = await test.createQpu('north')
    const drivers: ModelDriver[] = [{ id: qpu.driver, token: qpu.token, enabled: true }]
    for (const name of ['south', 'west']) {
      drivers.push({ ...(await registerStandby(test, qpu, name)), enabled: true })
    }
    // It must not affect the QPU.
    const tuner = await test.createTuner(qpu)
    await attach(test, await connectAs(test, tuner))
    let registered = 0
    const steps = {
      async connect(driver: ModelDriver) {
        const response = await connectAs(test, driver, `process ${random(2)}`)
        if (response.status !== 200) return
        driver.granted = response
        driver.sockets = undefined
      },
      async attach(driver: ModelDriver) {
        if (!driver.granted || driver.sockets) return
        driver.sockets = await attach(test, driver.granted)
      },
      async detach(driver: ModelDriver) {
        await driver.sockets?.command.close()
        if (driver.sockets) driver.granted = undefined
        driver.sockets = undefined
      },
      async toggle(driver: ModelDriver) {
        await test.admin.post('/api/op/drivers/toggle', { id: driver.id, enabled: !driver.enabled })
        switched(driver)
      },
      async patch(driver: ModelDriver) {
        const path = `/api/collections/drivers/records/${driver.id}`
        await test.admin.patch(path, { enabled: !driver.enabled })
        switched(driver)
      },
      async remove(driver: ModelDriver) {
        await test.admin.call('DELETE', `/api/collections/drivers/records/${driver.id}`)
        const replacement = await registerStandby(test, qpu, `driver_${++registered}`)
        drivers.splice(drivers.indexOf(driver), 1, { ...replacement, enabled: true })
      },
    }
    const switched = (driver: ModelDriver) => {
      driver.enabled = !driver.enabled
      driver.granted = undefined
      driver.sockets = undefined
    }
    const names = Object.keys(steps) as (keyof typeof steps)[]
    const violations: unknown[] = []
    let onlineSteps = 0
    for (let step = 0; step < 120; step += 1) {
      // Chosen more often, because most other steps end a connection.
      const name = names[random(2) === 0 ? random(2) : random(names.length)]
      const driver = drivers[random(drivers.length)]
      if (!name || !driver) throw new Error('nothing to do')
      await steps[name](driver)
      const expected = drivers.find(({ sockets }) => sockets)?.id
      const state = await until(`step ${step}, ${name}: ${expected ?? 'nobody'} is attached`, async () => {
        const now = await readState(test, qpu)
        const online = now.attached === undefined ? [] : [now.attached]
        if (now.isOnline !== online.length > 0 || `${now.online}` !== `${online}`) violations.push(now)
        return now.attached === expected && now
      })
      if (state.isOnline) onlineSteps += 1
    }
    expect(violations).toEqual([])
    // The steps must not be trivial.
    expect(onlineSteps).toBeGreaterThan(15)
  },
)
