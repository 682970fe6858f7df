import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FakeClock } from '../../support/fake-clock.ts'
import { freePort } from '../../support/free-port.ts'
import { outboxIds } from '../../support/outbox-ids.ts'
import { until } from '../../support/until.ts'
import { openCables } from '../support/cables.ts'
import { certificates, openBench } from '../support/driver.ts'
import { runJobOf } from '../support/jobs.ts'
import { openTestServer } from '../support/test-server.ts'

/** Records every requested pause, whose length does not depend on the load of this machine. */
class NotingClock extends FakeClock {
  readonly sleeps: number[] = []

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms)
    return super.sleep(ms, signal)
  }
}

/** A bench whose driver uses a clock that only these tests advance. */
async function openSlowBench() {
  const clock = new NotingClock()
  const bench = await openBench({ clock })
  const dispose = bench[Symbol.asyncDispose]
  return Object.assign(bench, {
    clock,
    /**
     * Advances the clock in small steps until a condition is true; returns the elapsed ms, which are more
     * when sockets and processes are slow in real time. The steps follow each other more and more slowly, so
     * that the time limits of connections suffice on a busy machine.
     */
    async passUntil(read: () => unknown, what: string, stepMs = 250): Promise<number> {
      const start = clock.monotonic()
      let pauseMs = 1
      await until(what, async () => {
        if (read()) return true
        await clock.advance(stepMs)
        pauseMs = Math.min(1.03 * pauseMs, 100)
        await Bun.sleep(pauseMs)
        return false
      })
      return clock.monotonic() - start
    },
    async [Symbol.asyncDispose]() {
      // A stopping driver waits on the same clock.
      const disposed = dispose()
      let over = false
      void disposed.finally(() => {
        over = true
      })
      while (!over) {
        await clock.advance(250)
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      await disposed
    },
  })
}

test('a driver waits for a server that is not started yet, and logs this once', async () => {
  await using bench = await openSlowBench()
  const port = freePort()
  const driver = await bench.start({ svcAddr: `http://127.0.0.1:${port}` })
  await bench.passUntil(() => bench.clock.monotonic() > 20_000, 'time')
  expect(bench.messages().filter((message) => message === 'not connected; retrying')).toHaveLength(1)
  const late = await openTestServer({ certificates, port })
  await bench.passUntil(late.attached, 'attach')
  await driver.connected
  await late.close()
})

test('of several addresses, a driver uses that of the server that leads', async () => {
  await using bench = await openSlowBench()
  await using other = await openTestServer({ certificates })
  const standby = { status: 503, message: 'north leads' }
  bench.server.refuse = standby
  await bench.start({ svcAddr: `${bench.server.url},${other.url}` })
  await bench.passUntil(other.attached, 'attach to the second server')
  expect(bench.clock.sleeps).not.toContain(2_000)
  expect(bench.server.connects).toHaveLength(1)
  expect(bench.messages()).not.toContain('not connected; retrying')
  // For a while none leads.
  other.refuse = standby
  other.drop()
  await bench.passUntil(() => bench.server.connects.length >= 4, 'rounds without a leader')
  const lines = bench.lines.filter(({ message }) => message === 'not connected; retrying')
  // The end of the connection, and what repeats then, once.
  expect(lines.map((line) => line['reason'])).toEqual([
    expect.stringMatching(/^connection to the server ended: .*; connect was refused \(503\): north leads$/),
    'connect was refused (503): north leads',
  ])
  bench.server.refuse = undefined
  await bench.passUntil(bench.server.attached, 'attach to the first server')
})

test.each(['first', 'last'])(
  'the log says why a driver cannot attach to the server that leads, asked %s',
  async (place) => {
    await using bench = await openSlowBench()
    await using other = await openTestServer({ certificates })
    other.refuse = { status: 503, message: 'This server is on standby' }
    bench.server.response = { result_port: freePort() }
    const addresses = [bench.server.url, other.url]
    await bench.start({ svcAddr: (place === 'first' ? addresses : addresses.reverse()).join() })
    await bench.passUntil(() => bench.messages().includes('not connected; retrying'), 'a round of both')
    const [line] = bench.lines.filter(({ message }) => message === 'not connected; retrying')
    expect(line?.['reason']).toMatch(/result port \d+ .*cannot be attached/)
  },
)

test('a driver with several addresses leaves a server that has frozen within 5 s', async () => {
  await using bench = await openSlowBench()
  await using other = await openTestServer({ certificates })
  const { commands, results } = bench.server.ports
  using cables = await openCables([commands, results])
  const [command_port, result_port] = cables.ports
  bench.server.response = { command_port, result_port }
  await bench.start({ svcAddr: `${bench.server.url},${other.url}` })
  await bench.passUntil(bench.server.attached, 'attach to the first server')
  cables.freeze()
  const ms = await bench.passUntil(() => other.connects.length > 0, 'the second server to be asked', 100)
  expect(ms).toBeLessThanOrEqual(5_000)
  await bench.passUntil(other.attached, 'attach to the second server')
})

test('a driver with several addresses gives one 3 s that accepts connections, but does not respond', async () => {
  await using bench = await openSlowBench()
  await using other = await openTestServer({ certificates })
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  await bench.start({ svcAddr: `http://127.0.0.1:${silent.port},${other.url}` })
  const ms = await bench.passUntil(() => other.connects.length > 0, 'the second server to be asked', 100)
  expect(ms).toBeLessThanOrEqual(4_000)
  silent.stop(true)
})

test('a driver on standby retries every 2 s while another one has the lease', async () => {
  await using bench = await openSlowBench()
  bench.server.refuse = { status: 409, message: 'Driver south is already connected' }
  await bench.start()
  await until('the first connect', () => bench.server.connects.length === 1)
  await bench.passUntil(() => bench.server.connects.length === 4, 'next connects')
  expect(bench.clock.sleeps.filter((ms) => ms === 2_000).length).toBeGreaterThanOrEqual(3)
  expect(bench.lines.filter((line) => line.message === 'on standby until the lease is free')).toMatchObject([
    { reason: 'connect was refused (409): Driver south is already connected' },
  ])
  bench.server.refuse = undefined
  await bench.passUntil(bench.server.attached, 'attach')
})

test('a driver that is disabled retries every 4 s', async () => {
  await using bench = await openSlowBench()
  await bench.attach()
  bench.server.refuse = { status: 403, message: 'Driver north is disabled' }
  bench.server.drop()
  await bench.passUntil(() => bench.server.connects.length === 2, 'first refusal')
  const ms = await bench.passUntil(() => bench.server.connects.length === 3, 'second refusal')
  expect(ms).toBeGreaterThanOrEqual(3_000)
  expect(bench.clock.sleeps).toContain(4_000)
  bench.server.refuse = undefined
  await bench.passUntil(bench.server.attached, 'attach')
  expect(bench.server.eventsOf('DriverHello').at(-1)?.payload).toMatchObject({ epoch: 2 })
})

test('a driver whose token is revoked stops', async () => {
  await using bench = await openSlowBench()
  const driver = await bench.attach()
  bench.server.refuse = { status: 401, message: 'Unknown access token' }
  bench.server.drop()
  await bench.passUntil(() => bench.server.connects.length === 2, 'refusal')
  await expect(driver.finished).rejects.toThrow('connect was refused (401): Unknown access token')
})

test('a driver reconnects with a new lease, names its running job, and delivers the result', async () => {
  await using bench = await openSlowBench()
  await bench.attach()
  const end = join(bench.folder, 'end')
  bench.server.push(runJobOf(`held ${end}`))
  await bench.passUntil(() => bench.server.eventsOf('JobStarted').length === 1, 'start', 20)
  bench.server.drop()
  await bench.passUntil(() => bench.server.eventsOf('DriverHello').length === 2, 'second hello')
  expect(bench.server.eventsOf('DriverHello')[1]?.payload).toMatchObject({
    epoch: 2,
    running: { job: 'job000000000001', attempt: 1 },
  })
  writeFileSync(end, '')
  expect((await bench.event('JobResult')).payload).toMatchObject({ status: 'completed', epoch: 1 })
})

test('a result from a time without connection is delivered after the reconnect', async () => {
  await using bench = await openSlowBench()
  await bench.attach()
  const end = join(bench.folder, 'end')
  bench.server.push(runJobOf(`held ${end}`))
  await bench.passUntil(() => bench.server.eventsOf('JobStarted').length === 1, 'start', 20)
  bench.server.refuse = { status: 503, message: 'The server is stopping' }
  bench.server.drop()
  await until('the driver is detached', () => !bench.server.attached())
  writeFileSync(end, '')
  await until('the job ends', () => bench.messages().includes('job ended'))
  expect(await outboxIds(bench.outbox)).toContain('job000000000001.1')
  await bench.passUntil(() => bench.server.connects.length >= 4, 'retries')
  expect(bench.server.eventsOf('JobResult')).toEqual([])
  bench.server.refuse = undefined
  await bench.passUntil(() => bench.server.eventsOf('JobResult').length === 1, 'result')
})

test('a result is sent again after 5 and 10 s, until it is acknowledged', async () => {
  await using bench = await openSlowBench()
  await bench.attach()
  bench.server.acknowledge = false
  bench.server.push(runJobOf('ok'))
  await bench.event('JobResult')
  const results = () => bench.server.eventsOf('JobResult').length
  const first = await bench.passUntil(() => results() === 2, 'second sending')
  const second = await bench.passUntil(() => results() === 3, 'third sending')
  expect(first).toBeGreaterThanOrEqual(3_500)
  expect(second).toBeGreaterThanOrEqual(8_500)
  bench.server.push({ type: 'EventAck', event: 'job000000000001.1', applied: false })
  await until('the event is discarded', () =>
    bench.messages().includes('the server discarded an event as obsolete'),
  )
  await bench.clock.advance(120_000)
  expect(results()).toBe(3)
})

test('a running job sends a heartbeat every 5 s', async () => {
  await using bench = await openSlowBench()
  await bench.attach({ option: ['greeting=hi', 'job_timeout=60'] })
  bench.server.push(runJobOf('phase cooling'))
  await bench.passUntil(() => bench.server.eventsOf('JobStarted').length === 1, 'start', 20)
  await bench.passUntil(() => bench.server.eventsOf('JobHeartbeat').length === 3, 'heartbeats')
  expect(bench.clock.monotonic()).toBeGreaterThanOrEqual(14_000)
  expect(bench.server.eventsOf('JobHeartbeat')[2]?.payload).toEqual({
    job: 'job000000000001',
    attempt: 1,
    phase: 'cooling',
  })
})

test('an endless loop is killed 2 s after its time limit, and the driver stays connected', async () => {
  await using bench = await openSlowBench()
  await bench.attach()
  bench.server.push(runJobOf('loop'))
  await bench.passUntil(() => bench.server.eventsOf('JobStarted').length === 1, 'start', 20)
  const ms = await bench.passUntil(() => bench.server.eventsOf('JobResult').length === 1, 'result')
  expect(ms).toBeGreaterThanOrEqual(11_500)
  expect(bench.server.eventsOf('JobResult')[0]?.payload).toMatchObject({
    status: 'failed',
    error: {
      class: 'user',
      message: 'job timed out after 10 s (job_timeout of the driver)',
      error_code: 'timed_out',
    },
  })
  bench.server.push(runJobOf('ok', { job: 'job000000000002' }))
  expect((await bench.event('JobResult', 2)).payload).toMatchObject({ status: 'completed' })
  expect(bench.server.eventsOf('DriverHello')).toHaveLength(1)
})

test('a driver that is disconnected repeatedly slows down and logs a possible reason', async () => {
  await using bench = await openSlowBench()
  await bench.attach()
  for (let count = 2; count <= 8; count++) {
    bench.server.drop()
    await bench.passUntil(() => bench.server.eventsOf('DriverHello').length === count, `attach ${count}`)
    await until('the driver is attached', bench.server.attached)
  }
  bench.server.drop()
  const ms = await bench.passUntil(() => bench.server.connects.length === 9, 'next connect')
  expect(ms).toBeGreaterThanOrEqual(5_000)
  const hint = 'connections end soon after they are made; another driver may be using the same token'
  expect(bench.messages().filter((message) => message === hint)).toHaveLength(1)
  // The driver must be attached before the time that makes a link healthy can pass.
  await bench.passUntil(() => bench.server.eventsOf('DriverHello').length === 9, 'attach 9')
  const attached = () => bench.messages().filter((message) => message === 'connected').length === 9
  await until('the driver is attached', async () => bench.server.attached() && attached())
  await bench.clock.advance(10_000)
  const before = bench.clock.sleeps.length
  bench.server.drop()
  await bench.passUntil(() => bench.server.connects.length === 10, 'next connect')
  expect(Math.min(...bench.clock.sleeps.slice(before))).toBeLessThanOrEqual(250)
})

test('a driver with the outbox of another driver does not send its events', async () => {
  await using bench = await openSlowBench()
  bench.server.acknowledge = false
  const first = await bench.attach()
  bench.server.push(runJobOf('ok'))
  await bench.event('JobResult')
  const stopped = first.stop()
  await bench.passUntil(() => !bench.server.attached(), 'stop')
  await stopped
  // Sent again as long as the driver ran, because it was not acknowledged.
  const sent = bench.server.eventsOf('JobResult').length
  await Bun.write(`${bench.outbox}/owner`, 'driver000000009')
  await bench.attach()
  await bench.clock.advance(10_000)
  expect(bench.server.eventsOf('JobResult')).toHaveLength(sent)
  expect(await readdir(bench.outbox)).toContain('job000000000001.1.json.driver000000009')
})
