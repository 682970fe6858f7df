import { describe, expect, test } from 'bun:test'
import { markStarted } from '../../../../src/db/store/jobs/index.ts'
import { DispatchBackoff } from '../../../../src/server/drivers/dispatch-backoff.ts'
import { Heartbeats } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { requeueAbandoned } from '../../../../src/server/jobs/attempts/requeue-abandoned.ts'
import { JobDispatcher } from '../../../../src/server/jobs/dispatch/dispatcher.ts'
import { JobLab } from '../../../support/server/job-lab.ts'

/** A driver that received a job, began it if `hasStarted`, disconnected and is back under a new lease. */
async function openCase({ hasStarted = true, flags = {} }: { hasStarted?: boolean; flags?: object } = {}) {
  const lab = await JobLab.open({ ...flags })
  const qpu = await lab.qpu()
  const first = await lab.attach(qpu.driver)
  const { id: job } = await lab.submit(await lab.user(), qpu.id)
  const heartbeats = new Heartbeats(lab.clock, lab.config.jobTimeout)
  const dispatcher = new JobDispatcher({
    ...lab.dependencies(),
    heartbeats,
    backoff: new DispatchBackoff(lab.clock),
  })
  await dispatcher.dispatchOnce()
  const attempt = { job, attempt: 1 }
  if (hasStarted) {
    await lab.db.write('start', (tx) => markStarted(tx, { ...attempt, driver: qpu.driver.id }))
  }
  await lab.detach(first)
  const again = await lab.attach(qpu.driver)
  return {
    lab,
    qpu,
    job,
    attempt,
    first,
    again,
    /** The server's handling of a hello of the driver. */
    hello: (
      hello: { running?: { job: string; attempt: number } | null; outbox?: string[] | undefined },
      source = again,
    ) =>
      requeueAbandoned({ ...lab.dependencies(), heartbeats }, source, {
        running: null,
        outbox: [],
        ...hello,
      }),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

describe('requeueAbandoned()', () => {
  test('requeues a job that the driver began and lost; the attempt counts', async () => {
    await using it = await openCase()
    expect(await it.hello({})).toBe(1)
    expect(await it.lab.job(it.job)).toMatchObject({ status: 'pending', attempt: 1, driver: '' })
    expect((await it.lab.timeline(it.job)).at(-1)).toMatchObject({
      event: 'lost',
      detail: 'the driver reconnected without it',
    })
  })

  test('requeues a job that never reached the driver; the attempt does not count', async () => {
    await using it = await openCase({ hasStarted: false, flags: { maxAttempts: '1' } })
    expect(await it.hello({})).toBe(1)
    expect(await it.lab.job(it.job)).toMatchObject({ status: 'pending', error_code: '' })
    expect(await it.lab.history(it.job)).toEqual(['submitted 0', 'claimed 1', 'undelivered 1'])
  })

  test('fails a job whose last allowed attempt is lost in this way', async () => {
    await using it = await openCase({ flags: { maxAttempts: '1' } })
    expect(await it.hello({})).toBe(1)
    expect(await it.lab.job(it.job)).toMatchObject({ status: 'failed', error_code: 'attempts_exhausted' })
  })

  test('keeps the attempt that the driver still runs, and no other attempt of the job', async () => {
    await using it = await openCase()
    expect(await it.hello({ running: it.attempt })).toBe(0)
    expect((await it.lab.job(it.job)).status).toBe('running')
    expect(await it.hello({ running: { job: it.job, attempt: 2 } })).toBe(1)
    expect((await it.lab.job(it.job)).status).toBe('pending')
  })

  test('keeps the attempt whose result is in the outbox', async () => {
    await using it = await openCase()
    expect(await it.hello({ outbox: [`${it.job}.1`] })).toBe(0)
    expect((await it.lab.job(it.job)).status).toBe('running')
  })

  test('keeps every attempt until its heartbeat time-out if the driver has no outbox', async () => {
    await using it = await openCase()
    expect(await it.hello({ outbox: undefined })).toBe(0)
    expect((await it.lab.job(it.job)).status).toBe('running')
  })

  test('keeps attempts of the current lease, which are on their way to the driver', async () => {
    await using it = await openCase()
    expect(await it.hello({}, it.first)).toBe(0)
    expect((await it.lab.job(it.job)).status).toBe('running')
  })

  test('keeps attempts of other drivers of the QPU', async () => {
    await using it = await openCase()
    await it.lab.detach(it.again)
    const standby = await it.lab.attach(await it.lab.standby(it.qpu))
    expect(await it.hello({}, standby)).toBe(0)
    expect((await it.lab.job(it.job)).status).toBe('running')
  })
})
