import { describe, expect, test } from 'bun:test'
import { cancelJob } from '../../../src/db/store/jobs/index.ts'
import { viewJob } from '../../../src/server/jobs/view.ts'
import { CalibrationLab } from '../../support/server/calibration-lab.ts'
import { claimNow } from '../../support/server/job-lab.ts'

/** A QPU with a tuner that runs a job, and a second job in its queue. */
async function openCase() {
  const it = await CalibrationLab.open()
  const { lab } = it
  await it.attach()
  const process = await lab.attach(it.qpu.driver)
  const user = await lab.user(100)
  const running = await lab.submit(user, it.qpu.id)
  await lab.db.write('claim', (tx) => claimNow(tx, running.id, process))
  const next = await lab.submit(user, it.qpu.id)
  const waitingOf = async (job: string) => (await viewJob(lab, lab.caller(user), job))['waiting']
  return {
    ...{ it, lab, user, process, running, next, waitingOf },
    [Symbol.asyncDispose]: () => it[Symbol.asyncDispose](),
  }
}

describe('a calibration of a QPU that runs a job', () => {
  test('waits for it, and no other job starts meanwhile', async () => {
    await using at = await openCase()
    const { it, lab, running, next } = at
    const { id } = await it.request()
    await it.dispatcher.dispatchOnce()
    await it.dispatcher.dispatchOnce()
    expect((await it.read(id)).status).toBe('pending')
    expect(lab.hub.commands('RunCalibration')).toEqual([])
    expect(await at.waitingOf(next.id)).toMatchObject({ code: 'calibrating' })
    await lab.complete(running.id)
    expect(await it.isCalibrating()).toBe(true)
    await it.dispatcher.dispatchOnce()
    expect((await it.read(id)).status).toBe('running')
    expect(await lab.history(running.id)).not.toContain('requeued 1')
    await it.report((await it.read(id)).run_id, id)
    expect(await it.isCalibrating()).toBe(false)
    await lab.db.write('cancel', (tx) => cancelJob(tx, next.id))
  })

  test('requeues it when it outlasts its time limit, and begins', async () => {
    await using at = await openCase()
    const { it, lab, running } = at
    it.heartbeats.start({ job: running.id, attempt: 1 })
    const started = { job: running.id, attempt: 1, limit_ms: 60_000 }
    await it.sendEvent('JobStarted', started, { tuner: it.qpu.driver })
    const { id } = await it.request()
    await it.dispatcher.dispatchOnce()
    await it.dispatcher.dispatchOnce()
    await lab.clock.advance(60_000)
    await it.dispatcher.dispatchOnce()
    expect((await lab.job(running.id)).status).toBe('running')
    await lab.clock.advance(10_000)
    await it.dispatcher.dispatchOnce()
    expect(await lab.job(running.id)).toMatchObject({ status: 'pending', attempt: 1 })
    expect(lab.hub.commands('StopJob')).toMatchObject([{ job: running.id, attempt: 1 }])
    expect((await it.read(id)).status).toBe('running')
    expect(await lab.history(running.id)).toEqual(['submitted 0', 'claimed 1', 'started 1', 'requeued 1'])
  })

  test('waits for a foreign driver, which reports no limit, as long as the setting says', async () => {
    await using at = await openCase()
    const { it, lab, running } = at
    const run = it.newRun()
    await it.sendEvent('CalibrationStarted', { run_id: run, request_id: null, mode: 'full', waits: true })
    await it.dispatcher.dispatchOnce()
    await lab.clock.advance(lab.config.calibrationWait - 1)
    await it.dispatcher.dispatchOnce()
    expect((await lab.job(running.id)).status).toBe('running')
    await lab.clock.advance(1)
    await it.dispatcher.dispatchOnce()
    expect((await lab.job(running.id)).status).toBe('pending')
    expect(lab.hub.commands('BeginCalibration')).toMatchObject([{ run_id: run }])
  })

  test('holds no job back while its tuner is away, or once it was given up', async () => {
    await using at = await openCase()
    const { it, lab } = at
    const target = await it.attach()
    const { id } = await it.request()
    await it.dispatcher.dispatchOnce()
    expect(await it.isCalibrating()).toBe(true)
    await lab.detach(target)
    expect(await it.isCalibrating()).toBe(false)
    await it.attach()
    expect(await it.isCalibrating()).toBe(true)
    await lab.db.write('give up', (tx) =>
      tx.run("UPDATE calibration_requests SET status = 'failed', finished_at = $at WHERE id = $id", {
        id,
        at: tx.at,
      }),
    )
    expect(await it.isCalibrating()).toBe(false)
  })

  test('that its tuner starts begins when the server lets it, once under each lease', async () => {
    await using at = await openCase()
    const { it, lab, running } = at
    const run = it.newRun()
    const started = { run_id: run, request_id: null, mode: 'fidelity_check', waits: true }
    await it.sendEvent('CalibrationStarted', started)
    expect(await it.isCalibrating()).toBe(true)
    await it.dispatcher.dispatchOnce()
    const begun = () => lab.hub.commands('BeginCalibration').map(({ run_id }) => run_id)
    expect(begun()).toEqual([])
    await lab.complete(running.id)
    await it.dispatcher.dispatchOnce()
    await it.dispatcher.dispatchOnce()
    expect(begun()).toEqual([run])
    // The connection was lost, perhaps with the command.
    await it.attach()
    await it.hello({ own_run: run })
    await it.dispatcher.dispatchOnce()
    expect(begun()).toEqual([run, run])
    await it.report(run, null)
    expect(await it.isCalibrating()).toBe(false)
  })

  test('is named by a job whose result arrived before its start was known', async () => {
    await using at = await openCase()
    const { it, lab, user, running, next } = at
    await lab.clock.advance(5_000)
    await lab.complete(running.id)
    const started_at = new Date(lab.clock.now() - 5).toISOString()
    await lab.clock.advance(60_000)
    await it.report(it.newRun(), null, { started_at })
    const [report] = await it.reports()
    const named = async (job: string) => (await viewJob(lab, lab.caller(user), job))['disturbed_by']
    expect([await named(running.id), await named(next.id)]).toEqual([report?.id, null])
    await it.report(it.newRun(), null, { started_at: new Date(lab.clock.now() - 10).toISOString() })
    expect(await named(running.id)).toBe(report?.id)
  })

  test('that an earlier tuner starts at once makes the job run again, uncharged and uncounted', async () => {
    await using at = await openCase()
    const { it, lab, user, running, process } = at
    const before = await lab.balance(user)
    const run = await it.startOwn()
    expect(await lab.job(running.id)).toMatchObject({ status: 'pending', attempt: 1 })
    expect(lab.hub.commands('StopJob')).toMatchObject([{ job: running.id, attempt: 1 }])
    expect(await lab.history(running.id)).toEqual(['submitted 0', 'claimed 1', 'requeued 1'])
    await it.report(run, null)
    await lab.db.write('claim', (tx) => claimNow(tx, running.id, process))
    expect(await lab.balance(user)).toBe(before)
    await lab.complete(running.id)
    expect(await lab.job(running.id)).toMatchObject({ status: 'completed', attempt: 2 })
  })
})
