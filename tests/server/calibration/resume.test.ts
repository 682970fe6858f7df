import { describe, expect, test } from 'bun:test'
import { resumableCalibration } from '../../../src/db/store/calibrations/index.ts'
import { requestCalibration } from '../../../src/server/calibration/enqueue.ts'
import { CalibrationLab } from '../../support/server/calibration-lab.ts'

const ACTOR = 'superuser:test'

function labOf(lab: CalibrationLab) {
  const order = (given: object) =>
    requestCalibration(lab.lab, { target_qubits: [], ...given }, { actor: ACTOR, idempotencyKey: undefined })
  /** Dispatches what is pending, and returns its run. */
  const begin = async (id: string) => {
    await lab.dispatcher.dispatchOnce()
    return (await lab.read(id)).run_id
  }
  const end = async (id: string, status: string) => lab.report(await begin(id), id, { status })
  return { order, begin, end }
}

describe('a calibration request that continues another one', () => {
  test('asks for the same, names the first request to the tuner, and can be continued itself', async () => {
    await using lab = await CalibrationLab.open()
    const { order, begin, end } = labOf(lab)
    await lab.attach()
    const first = await order({ driver_id: lab.tuner.id, mode: 'partial', target_qubits: ['q1', 'q0_q1'] })
    expect(first.resumes).toBe('')
    await end(first.id, 'aborted')
    const second = await order({ resume: first.id })
    expect(second).toMatchObject({ driver: lab.tuner.id, mode: 'partial', resumes: first.id })
    expect(second.target_qubits).toEqual(['q1', 'q0_q1'])
    await begin(second.id)
    const [own, continued] = lab.lab.hub.commands('RunCalibration')
    expect([own?.resume, continued?.resume, continued?.mode]).toEqual([undefined, first.id, 'partial'])
    await end(second.id, 'failed')
    expect((await order({ resume: second.id })).resumes).toBe(first.id)
    const audit = await lab.lab.db.read((tx) =>
      tx.all<{ detail: string }>(
        `SELECT detail FROM audit_log WHERE act = 'calibration.dispatch' ORDER BY seq`,
      ),
    )
    expect(audit.map(({ detail }) => JSON.parse(detail).resumes)).toEqual([undefined, first.id, first.id])
  })

  test('is refused with the reason where nothing is left, or not yet', async () => {
    await using lab = await CalibrationLab.open()
    const { order, begin, end } = labOf(lab)
    const first = await order({ driver_id: lab.tuner.id, mode: 'full' })
    const read = (id: string) => lab.lab.db.read((tx) => resumableCalibration(tx, id))
    await expect(read('nosuchrequest00')).rejects.toMatchObject({ code: 'not_found' })
    await expect(read(first.id)).rejects.toThrow(`Calibration ${first.id} is pending`)
    await lab.attach()
    await begin(first.id)
    await expect(read(first.id)).rejects.toMatchObject({ reason: 'calibration_not_ended' })
    await end(first.id, 'aborted')
    const second = await order({ resume: first.id })
    await expect(order({ resume: first.id })).rejects.toThrow(
      `Calibration ${second.id}, which continues ${first.id}, is pending`,
    )
    await end(second.id, 'partial_failure')
    for (const id of [first.id, second.id])
      await expect(order({ resume: id })).rejects.toMatchObject({ reason: 'nothing_to_resume' })
  })

  test('has no fields beside the request to continue, and another one has its own', async () => {
    await using lab = await CalibrationLab.open()
    const { order } = labOf(lab)
    const fieldsOf = (given: object) => order(given).catch((error) => Object.keys(error.fields ?? {}))
    expect(await fieldsOf({})).toEqual(['driver_id', 'mode'])
    expect(await fieldsOf({ driver_id: lab.tuner.id })).toEqual(['mode'])
    const resume = 'request00000001'
    expect(await fieldsOf({ resume, driver_id: lab.tuner.id, mode: 'full' })).toEqual(['driver_id', 'mode'])
    expect(await fieldsOf({ resume, target_qubits: ['q0'] })).toEqual(['target_qubits'])
  })
})
