import { describe, expect, test } from 'bun:test'
import { requeueJob } from '../../../src/db/store/jobs/index.ts'
import { events } from '../../../src/db/store/readings/index.ts'
import { EVENTS, figuresOf } from '../../../src/protocol/index.ts'
import { DispatchBackoff } from '../../../src/server/drivers/dispatch-backoff.ts'
import { createEventHandler } from '../../../src/server/events/handlers.ts'
import { Heartbeats } from '../../../src/server/jobs/attempts/heartbeats.ts'
import { JobDispatcher } from '../../../src/server/jobs/dispatch/dispatcher.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { JobLab, RESULTS } from '../../support/server/job-lab.ts'

/** A result with these counts, as the receiver passes it on. */
function completedWith(result: object, counts: Record<string, number>): object {
  const circuit_results = RESULTS.circuit_results.map((each) => ({ ...each, counts }))
  const results = { ...RESULTS, counts, circuit_results }
  return { ...result, results, summary: figuresOf(results) }
}

/** One QPU that runs one job, and the events of its driver. */
async function openCase() {
  const lab = await JobLab.open()
  const heartbeats = new Heartbeats(lab.clock, lab.config.jobTimeout)
  const backoff = new DispatchBackoff(lab.clock)
  const parts = { ...lab.dependencies(), heartbeats, backoff }
  const dispatcher = new JobDispatcher(parts)
  const handle = createEventHandler({ context: lab.dependencies(), heartbeats, backoff })
  const qpu = await lab.qpu()
  const user = await lab.user(100)
  const server = await lab.attach(qpu.driver)
  const { id: job } = await lab.submit(user, qpu.id)
  await dispatcher.dispatchOnce()
  const sendEvent = (type: string, payload: object, driver = qpu.driver) =>
    handle(
      { driver: driver.id, name: driver.name, qpu: qpu.id, operation: 'process', epoch: server.epoch },
      { type, id: `event of ${type}`, ts: '2026-01-31T09:05:00.000Z', payload },
    )
  const result = {
    job,
    attempt: 1,
    epoch: server.epoch,
    execution_ms: 40,
    status: 'completed',
    results: RESULTS,
  }
  return {
    lab,
    heartbeats,
    backoff,
    dispatcher,
    qpu,
    user,
    server,
    job,
    sendEvent,
    result,
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

describe('JobResult', () => {
  test('is applied, charged by both clocks and acknowledged', async () => {
    await using it = await openCase()
    await it.lab.clock.advance(25)
    await it.sendEvent('JobResult', it.result)
    expect(await it.lab.job(it.job)).toMatchObject({ status: 'completed', results: RESULTS, duration: 0.025 })
    expect(await it.lab.balance(it.user)).toBe(99_975)
    expect(it.lab.hub.commands('EventAck')).toEqual([
      { type: 'EventAck', event: 'event of JobResult', applied: true },
    ])
  })

  test.skipIf(onlySqlite('its file'))(
    'is acknowledged when another machine has it, if that is required; later events do not wait',
    async () => {
      await using it = await openCase()
      const replica = Promise.withResolvers<void>()
      Object.assign(it.lab.db.files ?? {}, { replicated: () => replica.promise })
      await it.sendEvent('JobResult', it.result)
      expect(await it.lab.job(it.job)).toMatchObject({ status: 'completed' })
      await it.sendEvent('JobHeartbeat', { job: it.job, attempt: 1 })
      expect(it.lab.hub.commands('EventAck')).toEqual([])
      replica.resolve()
      await it.lab.settle()
      expect(it.lab.hub.commands('EventAck')).toMatchObject([{ applied: true }])
    },
  )

  test('is acknowledged again if it is sent again, and changes nothing', async () => {
    await using it = await openCase()
    await it.sendEvent('JobResult', it.result)
    await it.sendEvent('JobResult', it.result)
    expect(it.lab.hub.commands('EventAck').map(({ applied }) => applied)).toEqual([true, false])
    expect(await it.lab.history(it.job)).toEqual(['submitted 0', 'claimed 1', 'started 1', 'completed 1'])
  })

  test('whose results contradict the job fails it at once, free of charge, with device and figures', async () => {
    await using it = await openCase()
    await it.sendEvent('JobResult', completedWith(it.result, { '00': 60, '11': 45 }))
    const error =
      'The results of device test of driver qpu_1 contradict the job: circuit_results.0.counts add up to 105 of 100 shots'
    expect(await it.lab.job(it.job)).toMatchObject({
      ...{ status: 'failed', attempt: 1, duration: 0, error_code: 'invalid_results' },
      results: { error, error_code: 'invalid_results' },
    })
    await it.sendEvent('JobResult', it.result)
    expect(it.lab.hub.commands('EventAck').map(({ applied }) => applied)).toEqual([true, false])
    expect(await it.lab.balance(it.user)).toBe(100_000)
    expect(await it.lab.history(it.job)).toEqual(['submitted 0', 'claimed 1', 'failed 1'])
  })

  test('of an older attempt is stale, whatever its results are', async () => {
    await using it = await openCase()
    await it.lab.db.write('requeue', (tx) => requeueJob(tx, { job: it.job, actor: 'test', reason: '' }))
    await it.dispatcher.dispatchOnce()
    await it.sendEvent('JobResult', completedWith(it.result, { '00': 1 }))
    expect((await it.lab.job(it.job)).status).toBe('running')
    await it.sendEvent('JobResult', completedWith({ ...it.result, attempt: 2 }, { '00': 1 }))
    expect(await it.lab.job(it.job)).toMatchObject({ status: 'failed', error_code: 'invalid_results' })
  })

  test('of a job of an earlier version, which expects nothing, is taken as it is', async () => {
    await using it = await openCase()
    await it.lab.db.write('forget', (tx) => tx.run("UPDATE quantum_jobs SET expected_results = ''"))
    await it.sendEvent('JobResult', completedWith(it.result, { '00': 1 }))
    expect((await it.lab.job(it.job)).status).toBe('completed')
  })

  test('that an earlier driver reports as invalid ends the job, of whatever class, free of charge', async () => {
    await using it = await openCase()
    const error = { class: 'device', message: 'no valid results', error_code: 'invalid_results' }
    await it.lab.clock.advance(40)
    await it.sendEvent('JobResult', { ...it.result, status: 'failed', error })
    expect(await it.lab.job(it.job)).toMatchObject({ status: 'failed', error_code: 'invalid_results' })
    expect(await it.lab.balance(it.user)).toBe(100_000)
  })

  test('of a failed job has its message, code and circuit in the results', async () => {
    await using it = await openCase()
    const error = { class: 'user', message: 'too deep', error_code: 'depth', circuit_index: 0 }
    await it.sendEvent('JobResult', { ...it.result, status: 'failed', error })
    expect(await it.lab.job(it.job)).toMatchObject({
      status: 'failed',
      error_code: 'depth',
      results: { error: 'too deep', error_code: 'depth', circuit_index: 0 },
    })
  })

  test('of another driver ends its connection and is audited', async () => {
    await using it = await openCase()
    const other = await it.lab.standby(it.qpu)
    await it.sendEvent('JobResult', it.result, other)
    expect(it.lab.hub.disconnected).toMatchObject([{ driver: other.id }])
    expect(it.lab.hub.commands('EventAck')).toEqual([])
    expect((await it.lab.job(it.job)).status).toBe('running')
    const audit = await it.lab.db.read((tx) => tx.all("SELECT * FROM audit_log WHERE act = 'result.foreign'"))
    expect(audit).toMatchObject([{ actor: `driver:${other.id}`, subject: it.job }])
  })

  test.skipIf(onlySqlite('its schema'))('is not acknowledged if it cannot be stored', async () => {
    await using it = await openCase()
    await it.lab.db.write('break', (tx) =>
      tx.run(
        `CREATE TRIGGER no_more BEFORE UPDATE ON quantum_jobs BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
      ),
    )
    await expect(it.sendEvent('JobResult', it.result)).rejects.toThrow('disk full')
    expect(it.lab.hub.commands('EventAck')).toEqual([])
    await it.lab.db.write('repair', (tx) => tx.run('DROP TRIGGER no_more'))
    await it.sendEvent('JobResult', it.result)
    expect(it.lab.hub.commands('EventAck')).toMatchObject([{ applied: true }])
    expect(await it.lab.balance(it.user)).toBe(100_000)
  })
})

describe('JobStarted and JobHeartbeat', () => {
  test('extend the attempt, but only from the driver that runs it', async () => {
    await using it = await openCase()
    const running = [{ job: it.job, attempt: 1 }]
    const other = await it.lab.standby(it.qpu)
    await it.lab.clock.advance(15_000)
    await it.sendEvent('JobStarted', { job: it.job, attempt: 1 })
    await it.lab.clock.advance(15_000)
    expect(it.heartbeats.findExpired(running)).toEqual([])
    await it.sendEvent('JobHeartbeat', { job: it.job, attempt: 1 })
    await it.lab.clock.advance(15_000)
    expect(it.heartbeats.findExpired(running)).toEqual([])
    await it.sendEvent('JobHeartbeat', { job: it.job, attempt: 1 }, other)
    await it.sendEvent('JobHeartbeat', { job: it.job, attempt: 2 })
    await it.lab.clock.advance(5_000)
    expect(it.heartbeats.findExpired(running)).toEqual(running)
    expect((await it.lab.job(it.job)).started_at).toBe('2026-01-31 09:00:15.000Z')
  })
})

describe('JobRefused', () => {
  test('requeues the job, and the driver is offered the next one after the back-off', async () => {
    await using it = await openCase()
    await it.sendEvent('JobRefused', { job: it.job, attempt: 1, reason: 'busy' })
    expect((await it.lab.timeline(it.job)).at(-1)).toMatchObject({ event: 'undelivered', detail: 'busy' })
    await it.dispatcher.dispatchOnce()
    expect(it.lab.hub.commands('RunJob')).toHaveLength(1)
    await it.lab.clock.advance(250)
    await it.dispatcher.dispatchOnce()
    expect(it.lab.hub.commands('RunJob').map(({ attempt }) => attempt)).toEqual([1, 2])
  })

  test('of an attempt that has ended changes nothing', async () => {
    await using it = await openCase()
    await it.sendEvent('JobResult', it.result)
    await it.sendEvent('JobRefused', { job: it.job, attempt: 1, reason: 'busy' })
    expect((await it.lab.job(it.job)).status).toBe('completed')
  })
})

describe('DriverHello', () => {
  test('stops a job that an operator requeued while the driver was disconnected', async () => {
    await using it = await openCase()
    const hello = { version: '1', device: 'mock', epoch: 1, running: { job: it.job, attempt: 1 } }
    await it.sendEvent('DriverHello', hello)
    expect(it.lab.hub.commands('StopJob')).toEqual([])
    const act = { job: it.job, actor: 'test', reason: '' }
    await it.lab.db.write('requeue', (tx) => requeueJob(tx, act))
    await it.sendEvent('DriverHello', hello)
    expect(it.lab.hub.commands('StopJob')).toEqual([{ type: 'StopJob', job: it.job, attempt: 1 }])
  })

  test('counts as a heartbeat of the attempt it names', async () => {
    await using it = await openCase()
    const hello = { version: '1', device: 'mock', epoch: it.server.epoch }
    await it.lab.clock.advance(15_000)
    await it.sendEvent('DriverHello', { ...hello, running: { job: it.job, attempt: 1 } })
    await it.lab.clock.advance(15_000)
    expect(it.heartbeats.findExpired([{ job: it.job, attempt: 1 }])).toEqual([])
    await it.sendEvent('DriverHello', { ...hello, running: null })
  })
})

describe('other events', () => {
  test('that are declared as logged are stored as received', async () => {
    await using it = await openCase()
    const payload = { readings: { 'mixing.temperature': { value: 0.011, unit: 'K', status: 'ok' } } }
    expect(EVENTS.find(({ type }) => type === 'CryostatReading')?.log).toBe(true)
    await it.sendEvent('CryostatReading', payload)
    expect(await it.lab.db.read((tx) => tx.list(events))).toMatchObject([
      { source: it.qpu.driver.name, type: 'CryostatReading', payload, ts: '2026-01-31T09:05:00.000Z' },
    ])
  })
})
