import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type DriverAccess, FaultLab, ROW_TIMEOUT_MS } from '../../support/faults/fault-lab.ts'

setDefaultTimeout(ROW_TIMEOUT_MS)

const JOB = '// svc-mock: latency=0.1'
let lab: FaultLab
let second: DriverAccess

beforeAll(async () => {
  lab = await FaultLab.open()
  second = await lab.addDriver('second')
  // Leaves an outbox with the id of its driver: everything written there from now on are results.
  await using driver = await lab.startDriver()
  driver.process.kill('SIGTERM')
  await driver.ended()
})
afterAll(() => lab.close())

test('F8 killed while idle: the next job finds the next driver', () =>
  lab.row('F8 idle', async ({ submit }) => {
    await using driver = await lab.startDriver()
    driver.process.kill('SIGKILL')
    const id = await submit()
    await driver.ended()
    await using _next = await lab.startDriver()
    await lab.untilCompleted(id)
  }))

test.each<[string, string, number]>([
  ['F8 with the job taken', 'job.taken', 2],
  ['F8 after execution', 'job.executed', 2],
  ['F8 while the result is written', 'outbox.writing', 2],
  ['F8 between write and send', 'outbox.written', 1],
  ['F8 after send', 'outbox.sent', 1],
])('%s: the job runs again, or its result is delivered', (name, place, attempt) =>
  lab.row(name, async ({ submit }) => {
    await using driver = await lab.startDriver({ armed: `${place as 'job.taken'}:1:kill` })
    const id = await submit(JOB)
    expect((await driver.ended()).status).toBe(-1)
    await using _next = await lab.startDriver()
    expect((await lab.untilCompleted(id)).attempt).toBe(attempt)
    await lab.untilAcknowledged()
  }),
)

test('F8 in the middle of the execution: the job runs again', () =>
  lab.row('F8 executing', async ({ submit }) => {
    await using driver = await lab.startDriver()
    const id = await submit('// svc-mock: latency=20 attempts=1')
    await lab.untilEvent(id, 'started')
    driver.process.kill('SIGKILL')
    await driver.ended()
    await using _next = await lab.startDriver({ options: ['pragmas=false'] })
    expect((await lab.untilCompleted(id)).attempt).toBe(2)
  }))

test('F8 with a full disk: the result is delivered from memory', () =>
  lab.row('F8 outbox refuses', async ({ submit }) => {
    await using driver = await lab.startDriver({ armed: 'outbox.writing:1:throw' })
    const id = await submit()
    expect((await lab.untilCompleted(id)).attempt).toBe(1)
    await driver.untilLogged('is only in memory')
  }))

test('F8 with a full disk and without a server: a driver that is stopped keeps the result', () =>
  lab.row('F8 outbox refuses, stop', async ({ submit }) => {
    await using driver = await lab.startDriver({ armed: 'outbox.writing:1:throw' })
    const id = await submit('// svc-mock: latency=1')
    await lab.untilEvent(id, 'started')
    await lab.service.stop('SIGKILL')
    await driver.untilLogged('is only in memory')
    driver.process.kill('SIGTERM')
    await driver.ended()
    await lab.service.start()
    await using _next = await lab.startDriver({ options: ['pragmas=false'] })
    expect((await lab.untilCompleted(id)).attempt).toBe(1)
    await lab.untilAcknowledged()
  }))

test('F10 driver stopped beyond the timeout: its late result is accepted while no other driver has the job', () =>
  lab.row('F10 driver stopped, late result taken', async ({ submit }) => {
    await using driver = await lab.startDriver()
    const id = await submit('// svc-mock: latency=0.3')
    await lab.untilEvent(id, 'started')
    driver.process.kill('SIGSTOP')
    await lab.untilEvent(id, 'lost')
    await switchMaintenance(true)
    driver.process.kill('SIGCONT')
    expect((await lab.untilCompleted(id)).attempt).toBe(1)
    await switchMaintenance(false)
  }))

async function switchMaintenance(maintenance: boolean): Promise<void> {
  const body = { id: lab.qpu.id, maintenance, reason: 'a fault' }
  const token = await lab.service.admin()
  expect((await lab.service.call('POST', '/api/op/qpu/maintenance', { token, body })).status).toBe(200)
}

test('F10 driver stopped and back with its result: the job does not run again', () =>
  lab.row('F10 driver stopped, back with its result', async ({ submit }) => {
    await using driver = await lab.startDriver()
    const id = await submit('// svc-mock: latency=0.3')
    await lab.untilEvent(id, 'started')
    driver.process.kill('SIGSTOP')
    await lab.untilEvent(id, 'lost')
    driver.process.kill('SIGCONT')
    expect((await lab.untilCompleted(id)).attempt).toBe(1)
    await lab.untilAcknowledged()
  }))

test('F10 driver stopped while another takes over: its late result is stale', () =>
  lab.row('F10 driver stopped, late result stale', async ({ submit }) => {
    await using driver = await lab.startDriver()
    const id = await submit('// svc-mock: latency=0.3')
    await lab.untilEvent(id, 'started')
    driver.process.kill('SIGSTOP')
    await lab.untilEvent(id, 'lost')
    await using other = await lab.startDriver({ as: second })
    expect((await lab.untilCompleted(id)).attempt).toBe(2)
    driver.process.kill('SIGCONT')
    await driver.untilLogged('on standby until the lease is free')
    other.process.kill('SIGTERM')
    await other.ended()
    await driver.untilLogged('the server discarded an event as obsolete')
    await lab.untilAcknowledged()
  }))

test('F10 server stopped beyond the timeout of the job: its result is taken, or the job runs again', async () => {
  const quick = await FaultLab.open({ flags: ['--job-timeout', '600ms'] })
  await quick.row('F10 server stopped', async ({ submit }) => {
    await using _driver = await quick.startDriver()
    const id = await submit('// svc-mock: latency=0.3')
    await quick.untilEvent(id, 'started')
    process.kill(quick.service.pid ?? 0, 'SIGSTOP')
    await Bun.sleep(900)
    process.kill(quick.service.pid ?? 0, 'SIGCONT')
    await quick.untilCompleted(id)
    await quick.untilAcknowledged()
  })
  await quick.close()
})
