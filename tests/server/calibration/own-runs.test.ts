import { describe, expect, test } from 'bun:test'
import { calibrationRequests } from '../../../src/db/store/calibrations/index.ts'
import { drivers } from '../../../src/db/store/qpus/index.ts'
import { CalibrationLab } from '../../support/server/calibration-lab.ts'

describe('a run that the tuner started on its own', () => {
  test('makes the QPU calibrate until its report, and a request wait', async () => {
    await using lab = await CalibrationLab.open()
    await lab.attach()
    const changes: string[] = []
    lab.lab.db.changes.subscribe((batch) => {
      for (const { collection, id } of batch) changes.push(`${collection} ${id}`)
    })
    const run = await lab.startOwn()
    expect(await lab.isCalibrating()).toBe(true)
    expect(changes).toEqual([`qpus ${lab.qpu.id}`])
    expect(lab.lab.hub.commands('StopCalibration')).toEqual([])
    const { id } = await lab.request()
    await lab.dispatcher.dispatchOnce()
    expect((await lab.read(id)).status).toBe('pending')
    await lab.report(run, null)
    expect(await lab.isCalibrating()).toBe(false)
    expect(changes.filter((change) => change === `qpus ${lab.qpu.id}`)).toHaveLength(2)
    await lab.dispatcher.dispatchOnce()
    expect((await lab.read(id)).status).toBe('running')
    // Sent again after its report, the start changes nothing.
    await lab.report(id, null)
    await lab.sendEvent('CalibrationStarted', { run_id: run, request_id: null })
    await lab.lab.db.write('give up', (tx) => tx.update(calibrationRequests, id, { status: 'failed' }))
    expect(await lab.isCalibrating()).toBe(false)
  })

  test('goes on while its tuner reconnects with it, and is over when it reconnects without it', async () => {
    await using lab = await CalibrationLab.open()
    const { driver, qpu, epoch } = await lab.attach()
    const run = await lab.startOwn()
    await lab.lab.detach({ driver, qpu, epoch })
    await lab.recovery.recoverOnce()
    await lab.clock.advance(9 * 60_000)
    await lab.recovery.recoverOnce()
    expect(await lab.isCalibrating()).toBe(true)
    await lab.attach()
    await lab.hello({ own_run: run })
    expect(await lab.isCalibrating()).toBe(true)
    await lab.hello({ outbox: [run] })
    expect(await lab.isCalibrating()).toBe(false)
    // The start was lost with the connection.
    await lab.hello({ own_run: lab.newRun() })
    expect(await lab.isCalibrating()).toBe(true)
  })

  test('is over when its tuner stays away for 10 min, or is deleted', async () => {
    await using lab = await CalibrationLab.open()
    const { driver, qpu, epoch } = await lab.attach()
    await lab.startOwn()
    await lab.lab.detach({ driver, qpu, epoch })
    await lab.recovery.recoverOnce()
    await lab.clock.advance(10 * 60_000)
    await lab.recovery.recoverOnce()
    expect(await lab.isCalibrating()).toBe(false)
    await lab.attach()
    await lab.startOwn()
    await lab.lab.db.write('delete', (tx) => tx.remove(drivers, driver))
    expect(await lab.isCalibrating()).toBe(false)
  })
})
