import { describe, expect, test } from 'bun:test'
import { users } from '../../../../src/db/store/accounts/index.ts'
import { holdJob } from '../../../../src/db/store/jobs/index.ts'
import { markUnfit } from '../../../../src/db/store/qpus/index.ts'
import { DispatchBackoff } from '../../../../src/server/drivers/dispatch-backoff.ts'
import { Heartbeats } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { JobRecovery } from '../../../../src/server/jobs/attempts/recover.ts'
import { JobDispatcher } from '../../../../src/server/jobs/dispatch/dispatcher.ts'
import { JobLab } from '../../../support/server/job-lab.ts'

function partsOf(lab: JobLab) {
  const heartbeats = new Heartbeats(lab.clock, lab.config.jobTimeout)
  const parts = { ...lab.dependencies(), heartbeats }
  const dispatcher = new JobDispatcher({ ...parts, backoff: new DispatchBackoff(lab.clock) })
  return { heartbeats, dispatcher, recovery: new JobRecovery(parts) }
}

/** One QPU that runs one job. */
async function openCase(flags: Record<string, string> = {}, maxMs = 0) {
  const lab = await JobLab.open(flags)
  const { heartbeats, dispatcher, recovery } = partsOf(lab)
  const server = await lab.attach((await lab.qpu()).driver)
  const { id } = await lab.submit(await lab.user(), '', { qubits: 2 }, { maxMs })
  await dispatcher.dispatchOnce()
  return {
    lab,
    heartbeats,
    dispatcher,
    recovery,
    server,
    id,
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

describe('JobRecovery.recoverOnce()', () => {
  test('requeues a job whose driver has sent no heartbeat for the job timeout', async () => {
    await using it = await openCase()
    await it.lab.clock.advance(19_999)
    await it.recovery.recoverOnce()
    expect((await it.lab.job(it.id)).status).toBe('running')
    await it.lab.clock.advance(1)
    await it.recovery.recoverOnce()
    expect(await it.lab.job(it.id)).toMatchObject({ status: 'pending', attempt: 1, not_before: 0 })
    expect((await it.lab.timeline(it.id)).at(-1)).toMatchObject({
      event: 'lost',
      detail: 'no heartbeat from the driver for 20s',
    })
    expect(it.lab.hub.disconnected).toMatchObject([{ reason: 'no heartbeat from the driver for 20s' }])
    await it.dispatcher.dispatchOnce()
    expect(await it.lab.job(it.id)).toMatchObject({ status: 'running', attempt: 2 })
  })

  test('fails a job that has waited too long, held or not, and never one that runs', async () => {
    await using it = await openCase()
    const { lab } = it
    const user = await lab.user()
    const submit = (giveUpMs: number) => lab.submit(user, '', { qubits: 2 }, { giveUpMs })
    const [due, later, never] = [await submit(60_000), await submit(60_001), await submit(0)]
    await lab.db.write('hold', (tx) => holdJob(tx, { job: due.id, actor: 'superuser:test', reason: '' }))
    await lab.db.write('unfit', (tx) =>
      markUnfit(tx, due.id, { qpu: it.server.qpu, code: 'below_quality', reason: 'q1 misses' }),
    )
    await lab.clock.advance(60_000)
    it.heartbeats.record({ job: it.id, attempt: 1 })
    const published: unknown[] = []
    lab.db.changes.subscribe((all) => void published.push(...all.map(({ id, record }) => [id, record])))
    await it.recovery.recoverOnce()
    await it.recovery.recoverOnce()
    expect(published).toContainEqual([due.id, expect.objectContaining({ status: 'failed' })])
    const error = 'Given up: the job was waiting at the end of its give_up_after; q1 misses'
    expect(await lab.job(due.id)).toMatchObject({
      ...{ status: 'failed', error_code: 'given_up', held: false, duration: 0 },
      results: { error, error_code: 'given_up' },
    })
    expect(await lab.history(due.id)).toEqual(['submitted 0', 'held 0', 'failed 0'])
    expect((await lab.job(later.id)).status).toBe('pending')
    expect((await lab.job(never.id)).status).toBe('pending')
    expect(await lab.balance(user)).toBe(100_000)
    // The end of a wait is the begin of an attempt.
    await lab.complete(it.id)
    await it.dispatcher.dispatchOnce()
    await lab.clock.advance(60_000)
    await it.recovery.recoverOnce()
    expect((await lab.job(later.id)).error_code).not.toBe('given_up')
  })

  test('cancels a job that returns to the queue after the removal of its user', async () => {
    await using it = await openCase()
    await it.lab.clock.advance(20_000)
    const { user_id } = await it.lab.job(it.id)
    await it.lab.db.write('remove', (tx) => tx.remove(users, user_id))
    await it.recovery.recoverOnce()
    await it.recovery.recoverOnce()
    expect(await it.lab.job(it.id)).toMatchObject({ status: 'cancelled', user_id: '' })
    expect((await it.lab.timeline(it.id)).at(-1)).toMatchObject({ detail: 'its user was removed' })
  })

  test('does not requeue a job while a message of its driver is arriving', async () => {
    await using it = await openCase()
    it.lab.hub.receiving.add(it.server.driver)
    await it.lab.clock.advance(60_000)
    await it.recovery.recoverOnce()
    expect((await it.lab.job(it.id)).status).toBe('running')
    expect(it.lab.hub.disconnected).toEqual([])
    it.lab.hub.receiving.clear()
    await it.lab.clock.advance(19_999)
    await it.recovery.recoverOnce()
    expect(it.lab.hub.disconnected).toEqual([])
    await it.lab.clock.advance(1)
    await it.recovery.recoverOnce()
    expect((await it.lab.job(it.id)).status).toBe('pending')
  })

  test('does not offer the job again to the driver that has lost it', async () => {
    await using it = await openCase()
    // As the sockets do, at once.
    const hub = {
      isReceiving: () => false,
      send: () => true,
      disconnect: (driver: string) => void it.lab.hub.epochs.delete(driver),
    }
    const recovery = new JobRecovery({ ...it.lab.dependencies(), heartbeats: it.heartbeats, hub })
    it.dispatcher.loop.start()
    await it.lab.settle()
    await it.lab.clock.advance(20_000)
    await recovery.recoverOnce()
    await it.lab.settle()
    await it.dispatcher.loop.stop()
    expect(await it.lab.history(it.id)).toEqual(['submitted 0', 'claimed 1', 'lost 1'])
  })

  test('does not requeue a job whose driver is disconnected before the time-out', async () => {
    await using it = await openCase()
    await it.lab.detach(it.server)
    await it.lab.clock.advance(15_000)
    await it.recovery.recoverOnce()
    expect((await it.lab.job(it.id)).status).toBe('running')
  })

  test('allows jobs that run at its start their full time, whatever the wall clock', async () => {
    await using it = await openCase()
    it.lab.clock.jump(86_400_000)
    const afterRestart = new JobRecovery({
      ...it.lab.dependencies(),
      heartbeats: new Heartbeats(it.lab.clock, it.lab.config.jobTimeout),
    })
    await afterRestart.recoverOnce()
    await it.lab.clock.advance(19_999)
    await afterRestart.recoverOnce()
    expect((await it.lab.job(it.id)).status).toBe('running')
    await it.lab.clock.advance(1)
    await afterRestart.recoverOnce()
    expect((await it.lab.job(it.id)).status).toBe('pending')
  })

  test('silence fails no job: one whose attempts are used up fails when it would run again', async () => {
    await using it = await openCase({ maxAttempts: '2' })
    await it.lab.clock.advance(20_000)
    await it.recovery.recoverOnce()
    await it.dispatcher.dispatchOnce()
    await it.lab.clock.advance(20_000)
    await it.recovery.recoverOnce()
    expect((await it.lab.job(it.id)).status).toBe('pending')
    await it.dispatcher.dispatchOnce()
    expect(it.lab.hub.commands('RunJob')).toHaveLength(2)
    expect(await it.lab.job(it.id)).toMatchObject({
      status: 'failed',
      error_code: 'attempts_exhausted',
      results: {
        error: 'Given up after 2 attempts; the last one ended with: no heartbeat from the driver for 20s',
      },
    })
  })

  test('ends a job that its driver does not stop at its max_seconds', async () => {
    await using it = await openCase({}, 5_000)
    expect(it.lab.hub.commands('RunJob')).toMatchObject([{ limit_ms: 5_000 }])
    for (let beat = 0; beat < 7; beat += 1) {
      await it.recovery.recoverOnce()
      expect((await it.lab.job(it.id)).status).toBe('running')
      await it.lab.clock.advance(5_000)
      it.heartbeats.record({ job: it.id, attempt: 1 })
    }
    await it.recovery.recoverOnce()
    expect(await it.lab.job(it.id)).toMatchObject({
      ...{ status: 'failed', error_code: 'max_seconds_reached', duration: 5 },
      results: { error: 'The job was stopped after 5 s of QPU time, its max_seconds' },
    })
    expect(it.lab.hub.commands('StopJob')).toMatchObject([{ job: it.id, attempt: 1 }])
  })

  test('neither silence nor a result that is arriving is QPU time', async () => {
    await using it = await openCase({ jobTimeout: '2m' }, 5_000)
    it.lab.hub.receiving.add(it.server.driver)
    for (let pass = 0; pass < 5; pass += 1) {
      await it.lab.clock.advance(30_000)
      await it.recovery.recoverOnce()
    }
    expect((await it.lab.job(it.id)).status).toBe('running')
    it.lab.hub.receiving.clear()
    await it.lab.clock.advance(120_000)
    await it.recovery.recoverOnce()
    expect(await it.lab.job(it.id)).toMatchObject({ status: 'pending', attempt: 1 })
    await it.dispatcher.dispatchOnce()
    expect(it.lab.hub.commands('RunJob')).toMatchObject([{}, { attempt: 2, limit_ms: 5_000 }])
  })

  test('a job keeps its give_up_after while it runs, and ten minutes more for a result on its way', async () => {
    await using lab = await JobLab.open()
    const { recovery, dispatcher, heartbeats } = partsOf(lab)
    await lab.attach((await lab.qpu()).driver)
    const { id } = await lab.submit(await lab.user(), '', 2, { giveUpMs: 10_000 })
    await dispatcher.dispatchOnce()
    for (let beat = 0; beat < 4; beat += 1) {
      await lab.clock.advance(10_000)
      heartbeats.record({ job: id, attempt: 1 })
      await recovery.recoverOnce()
    }
    for (const ms of [20_000, 579_999]) {
      await lab.clock.advance(ms)
      await recovery.recoverOnce()
      expect((await lab.job(id)).status).toBe('pending')
    }
    await lab.clock.advance(1)
    await recovery.recoverOnce()
    expect(await lab.job(id)).toMatchObject({ status: 'failed', error_code: 'given_up' })
  })

  test('runs automatically at the recovery interval', async () => {
    await using it = await openCase()
    it.recovery.loop.start()
    await it.lab.settle()
    await it.lab.clock.advance(20_000)
    await it.lab.settle()
    expect((await it.lab.job(it.id)).status).toBe('pending')
    await it.recovery.loop.stop()
    await it.recovery.loop.stop()
  })
})
