import { describe, expect, test } from 'bun:test'
import { calibrationRequests, calibrationResults } from '../../../src/db/store/calibrations/index.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { CalibrationLab } from '../../support/server/calibration-lab.ts'

describe('CalibrationDispatcher.dispatchOnce()', () => {
  test('dispatches the oldest request to an attached tuner, and the next one after its report', async () => {
    await using lab = await CalibrationLab.open()
    const [first, second] = [await lab.request(), await lab.request()]
    await lab.dispatcher.dispatchOnce()
    expect((await lab.read(first.id)).status).toBe('pending')
    const { epoch } = await lab.attach()
    await lab.dispatcher.dispatchOnce()
    await lab.dispatcher.dispatchOnce()
    const { status, run_id, started_at } = await lab.read(first.id)
    expect([status, started_at === '']).toEqual(['running', false])
    expect(lab.lab.hub.commands('RunCalibration')).toEqual([
      {
        ...{ type: 'RunCalibration', run_id, request_id: first.id, epoch, mode: 'full' },
        ...{ target_qubits: [], limit_ms: 48 * 3_600_000 },
      },
    ])
    await lab.report(run_id, first.id)
    await lab.dispatcher.dispatchOnce()
    expect([(await lab.read(first.id)).status, (await lab.read(second.id)).status]).toEqual([
      'done',
      'running',
    ])
  })

  test('requeues a request that could not be sent, and retries after the back-off', async () => {
    await using lab = await CalibrationLab.open()
    await lab.attach()
    const { id } = await lab.request()
    lab.lab.hub.isFull = true
    await lab.dispatcher.dispatchOnce()
    expect(await lab.read(id)).toMatchObject({ status: 'pending', started_at: '' })
    lab.lab.hub.isFull = false
    await lab.dispatcher.dispatchOnce()
    expect((await lab.read(id)).status).toBe('pending')
    await lab.clock.advance(250)
    await lab.dispatcher.dispatchOnce()
    expect((await lab.read(id)).status).toBe('running')
  })

  test('waits while the QPU or the tuner is disabled, and continues in maintenance', async () => {
    await using lab = await CalibrationLab.open()
    await lab.attach()
    const { id } = await lab.request()
    await lab.lab.setQpu(lab.qpu.id, { enabled: false })
    await lab.dispatcher.dispatchOnce()
    expect((await lab.read(id)).status).toBe('pending')
    await lab.lab.setQpu(lab.qpu.id, { enabled: true, maintenance: true })
    await lab.dispatcher.dispatchOnce()
    expect((await lab.read(id)).status).toBe('running')
  })

  test('fails a request whose stored targets cannot be used, and continues', async () => {
    await using lab = await CalibrationLab.open()
    await lab.attach()
    const [bad, good] = [await lab.request(), await lab.request()]
    await lab.lab.db.write('spoil', (tx) =>
      tx.update(calibrationRequests, bad.id, { target_qubits: { q: 0 } }),
    )
    await lab.dispatcher.dispatchOnce()
    await lab.dispatcher.dispatchOnce()
    expect(await lab.read(bad.id)).toMatchObject({ status: 'failed' })
    expect((await lab.read(bad.id)).error).toStartWith('The stored target_qubits cannot be used: ')
    expect((await lab.read(good.id)).status).toBe('running')
  })
})

describe('CalibrationRefused', () => {
  test('requeues the request; the tuner is sent one again after the back-off', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    await lab.sendEvent('CalibrationRefused', { run_id: run, reason: 'busy' })
    await lab.dispatcher.dispatchOnce()
    expect((await lab.read(id)).status).toBe('pending')
    await lab.clock.advance(250)
    await lab.dispatcher.dispatchOnce()
    expect(await lab.read(id)).toMatchObject({ status: 'running' })
    expect((await lab.read(id)).run_id).not.toBe(run)
  })
})

describe('CalibrationProgress', () => {
  const STEP = { phase: 'routine', step: 7, total: 33, routine: 'motzoi_parameter', target: 'q2' }

  test('collects the outcome of each routine on each target', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    const ids = { run_id: run, request_id: id }
    await lab.sendEvent('CalibrationProgress', { ...ids, ...STEP, outcome: 'success' })
    await lab.sendEvent('CalibrationProgress', { ...ids, ...STEP, target: '__proto__', outcome: 'failed' })
    const ended = ['q2', 'q3'].map((target) => ({ routine: 't1', target, outcome: 'success' }))
    await lab.sendEvent('CalibrationProgress', { ...ids, ...STEP, step: 8, routine: 't1', ended })
    const { outcomes, ...step } = (await lab.read(id)).progress as { outcomes: Record<string, object> }
    expect(JSON.stringify(outcomes)).toBe(
      '{"motzoi_parameter":{"q2":"success","__proto__":"failed"},"t1":{"q2":"success","q3":"success"}}',
    )
    expect(step).not.toHaveProperty('ended')
  })

  test('keeps what was measured last until a later step has another trace', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    const line = { kind: 'line', model: 'exponential', y: [1, null], y_name: 'P1', y_unit: '' }
    const trace = { routine: 't1', target: 'q0', ...line, x: { name: 'delay', unit: 's', values: [0, 1] } }
    const send = (step: object) =>
      lab.sendEvent('CalibrationProgress', { run_id: run, request_id: id, ...step })
    await send({ ...STEP, trace })
    await send({ ...STEP, step: 8 })
    expect((await lab.read(id)).progress).toMatchObject({ step: 8, trace })
    await send({ ...STEP, step: 9, trace: { ...trace, target: 'q1' } })
    expect((await lab.read(id)).progress).toMatchObject({ step: 9, trace: { target: 'q1' } })
  })

  test("is stored with the plan of the run's start, while it runs", async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    const ids = { run_id: run, request_id: id }
    const plan = [{ routine: 't1' }]
    await lab.sendEvent('CalibrationProgress', { ...ids, phase: 'plan', step: 0, total: 33, plan })
    await lab.sendEvent('CalibrationProgress', { ...ids, ...STEP })
    expect((await lab.read(id)).progress).toEqual({ ...STEP, plan })
    await lab.report(run, id)
    await lab.sendEvent('CalibrationProgress', { ...ids, ...STEP, step: 8 })
    expect(await lab.read(id)).toMatchObject({ status: 'done', progress: { step: 7 } })
  })

  test("of a tuner's own check changes nothing and stops nothing", async () => {
    await using lab = await CalibrationLab.open()
    const { id } = await lab.running()
    await lab.sendEvent('CalibrationProgress', { run_id: lab.newRun(), request_id: null, ...STEP })
    expect((await lab.read(id)).progress).toBeNull()
    expect(lab.lab.hub.commands('StopCalibration')).toEqual([])
  })

  test('of a run whose request has ended stops the run', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    await lab.lab.db.write('fail', (tx) => tx.update(calibrationRequests, id, { status: 'failed' }))
    await lab.sendEvent('CalibrationProgress', { run_id: run, request_id: id, ...STEP })
    expect(lab.lab.hub.commands('StopCalibration')).toEqual([{ type: 'StopCalibration', run_id: run }])
    expect((await lab.read(id)).progress).toBeNull()
  })
})

describe('CalibrationReport', () => {
  test('ends its request, once, and is acknowledged each time', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    await lab.report(run, id, { status: 'partial_failure', errors: ['q2 t1: no_signal', 'q3 t1: no_signal'] })
    await lab.report(run, id)
    const [report, ...more] = await lab.reports()
    expect(more).toEqual([])
    expect(report).toMatchObject({
      ...{ request: id, run_id: run, driver: lab.tuner.id, qpu: lab.qpu.id, mode: 'full' },
      ...{ status: 'partial_failure', error: 'q2 t1: no_signal\nq3 t1: no_signal' },
    })
    expect(await lab.read(id)).toMatchObject({ status: 'done', result: report?.id ?? '-' })
    expect((await lab.read(id)).finished_at).not.toBe('')
    expect(lab.lab.hub.commands('EventAck').map(({ applied }) => applied)).toEqual([true, false])
  })

  test('of a failed request is stored, and the request stays failed', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    await lab.lab.db.write('fail', (tx) => tx.update(calibrationRequests, id, { status: 'failed' }))
    await lab.report(run, id)
    const [report] = await lab.reports()
    expect(await lab.read(id)).toMatchObject({ status: 'failed', result: report?.id ?? '-' })
    expect(lab.lab.hub.commands('EventAck')).toMatchObject([{ applied: true }])
  })

  test('that arrives late, of a requeued request, ends it', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    await lab.sendEvent('CalibrationRefused', { run_id: run, reason: 'stopping' })
    await lab.report(run, id)
    expect((await lab.read(id)).status).toBe('done')
  })

  test('of a replaced run is stored, and the newer run continues', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    await lab.sendEvent('CalibrationRefused', { run_id: run, reason: 'stopping' })
    await lab.clock.advance(250)
    await lab.dispatcher.dispatchOnce()
    await lab.report(run, id)
    expect(await lab.read(id)).toMatchObject({ status: 'running', result: '' })
    expect(await lab.reports()).toMatchObject([{ request: id, run_id: run }])
  })

  test("of a tuner's own check is stored without a request", async () => {
    await using lab = await CalibrationLab.open()
    const { id } = await lab.running()
    await lab.report(lab.newRun(), null, { mode: 'fidelity_check' })
    expect(await lab.reports()).toMatchObject([{ request: '', mode: 'fidelity_check' }])
    expect((await lab.read(id)).status).toBe('running')
  })

  test('of another tuner ends its connection and is audited', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    const other = await CalibrationLab.tuner(lab.lab, await lab.lab.qpu(), 'other')
    await lab.report(run, id, {}, other)
    expect(lab.lab.hub.disconnected).toMatchObject([{ driver: other.id }])
    expect((await lab.read(id)).status).toBe('running')
    const audit = await lab.lab.db.read((tx) =>
      tx.all("SELECT actor, subject FROM audit_log WHERE act = 'report.foreign'"),
    )
    expect(audit).toEqual([{ actor: `driver:${other.id}`, subject: id }])
  })

  test('that cannot be stored is replaced by a failed one', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    await lab.report(run, id, { backend: 'x'.repeat(101) })
    expect((await lab.read(id)).status).toBe('done')
    const [report] = await lab.reports()
    expect(report?.status).toBe('failed')
    expect(report?.error).toStartWith('The report cannot be stored: backend: ')
  })

  test.skipIf(onlySqlite('its schema'))(
    'is not acknowledged if it cannot be stored, and leaves nothing behind',
    async () => {
      await using lab = await CalibrationLab.open()
      const { id, run } = await lab.running()
      await lab.lab.db.write('break', (tx) =>
        tx.run(
          `CREATE TRIGGER no_more BEFORE UPDATE ON calibration_requests BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
        ),
      )
      await expect(lab.report(run, id)).rejects.toThrow('disk full')
      expect(await lab.reports()).toEqual([])
      expect(lab.lab.hub.commands('EventAck')).toEqual([])
      await lab.lab.db.write('repair', (tx) => tx.run('DROP TRIGGER no_more'))
      await lab.report(run, id)
      expect((await lab.read(id)).status).toBe('done')
    },
  )

  test('of a tuner whose clock is ahead ends now', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run } = await lab.running()
    await lab.report(run, id, { ended_at: '2999-01-01T00:00:00.000Z' })
    const row = await lab.lab.db.read((tx) => tx.findBy(calibrationResults, { run_id: run }))
    expect(row?.finished_at).toBe((await lab.read(id)).finished_at)
  })
})

describe('a tuner that reconnects', () => {
  test('with its run: the request continues', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run, server } = await lab.running()
    await lab.sendEvent('CalibrationStarted', { run_id: run })
    await lab.lab.detach(server)
    await lab.attach()
    await lab.hello({ run_id: run })
    expect(await lab.read(id)).toMatchObject({ status: 'running', run_id: run })
  })

  test('with the report in its outbox: the request waits for it', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run, server } = await lab.running()
    await lab.sendEvent('CalibrationStarted', { run_id: run })
    await lab.lab.detach(server)
    await lab.attach()
    await lab.hello({ outbox: [run] })
    expect((await lab.read(id)).status).toBe('running')
  })

  test('without a run that it had started: the request has failed, and the next one runs', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run, server } = await lab.running()
    const next = await lab.request()
    await lab.sendEvent('CalibrationStarted', { run_id: run })
    await lab.lab.detach(server)
    await lab.attach()
    await lab.hello()
    expect(await lab.read(id)).toMatchObject({ status: 'failed', error: 'The tuner reconnected without it' })
    await lab.dispatcher.dispatchOnce()
    expect((await lab.read(next.id)).status).toBe('running')
  })

  test('without a run that never reached it: the request runs again', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run, server } = await lab.running()
    await lab.lab.detach(server)
    await lab.attach()
    await lab.hello()
    expect((await lab.read(id)).status).toBe('pending')
    await lab.dispatcher.dispatchOnce()
    expect((await lab.read(id)).run_id).not.toBe(run)
  })

  test('with a run that was considered lost: the request continues', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run, server } = await lab.running()
    await lab.lab.detach(server)
    await lab.recovery.recoverOnce()
    await lab.clock.advance(600_000)
    await lab.recovery.recoverOnce()
    expect((await lab.read(id)).status).toBe('pending')
    await lab.attach()
    await lab.hello({ run_id: run })
    expect(await lab.read(id)).toMatchObject({ status: 'running', run_id: run })
  })

  test('keeps a run that it received under its new lease', async () => {
    await using lab = await CalibrationLab.open()
    const { id } = await lab.running()
    await lab.hello()
    expect((await lab.read(id)).status).toBe('running')
  })

  test('with a run that is no longer expected: it is stopped', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run, server } = await lab.running()
    await lab.lab.detach(server)
    await lab.lab.db.write('fail', (tx) => tx.update(calibrationRequests, id, { status: 'failed' }))
    await lab.attach()
    await lab.hello({ run_id: run })
    expect(lab.lab.hub.commands('StopCalibration')).toEqual([{ type: 'StopCalibration', run_id: run }])
  })
})

describe('CalibrationRecovery.recoverOnce()', () => {
  test('fails a run whose tuner is disconnected for 10 min, not one that reconnects in time', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run, server } = await lab.running()
    await lab.sendEvent('CalibrationStarted', { run_id: run })
    await lab.recovery.recoverOnce()
    await lab.lab.detach(server)
    await lab.recovery.recoverOnce()
    await lab.clock.advance(9 * 60_000)
    await lab.recovery.recoverOnce()
    const again = await lab.attach()
    await lab.hello({ run_id: run })
    await lab.recovery.recoverOnce()
    await lab.lab.detach(again)
    await lab.recovery.recoverOnce()
    await lab.clock.advance(9 * 60_000)
    await lab.recovery.recoverOnce()
    expect((await lab.read(id)).status).toBe('running')
    await lab.clock.advance(60_000)
    await lab.recovery.recoverOnce()
    expect(await lab.read(id)).toMatchObject({
      status: 'failed',
      error: 'The tuner was disconnected for 10m',
    })
  })

  test('allows the tuner the full time after a start of the server', async () => {
    await using lab = await CalibrationLab.open()
    const { id, run, server } = await lab.running()
    await lab.sendEvent('CalibrationStarted', { run_id: run })
    await lab.lab.detach(server)
    await lab.clock.advance(3_600_000)
    await lab.recovery.recoverOnce()
    await lab.clock.advance(9 * 60_000)
    await lab.recovery.recoverOnce()
    expect((await lab.read(id)).status).toBe('running')
  })
})
