import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { Provenance } from '../../../src/devices/chip/provenance/provenance.ts'
import type { ProcessDevice } from '../../../src/devices/index.ts'
import { chipOf, losslessTruth } from '../../support/simulated-chip/chips.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { deviceFileOf } from '../compiler/support/calibrated-pair.ts'
import { errorOfJob, openProcess, payloadOf, runJob } from '../support/jobs.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const DEVICE = join(folder.path, 'scheduler.device.yml')

/** A row of four qubits without a side file; the readout of q1 is that of a new element. */
function openRow(): Promise<ProcessDevice> {
  const truth = losslessTruth(4, 1)
  writeFileSync(join(folder.path, 'simulated.chip.yml'), stringify(truth))
  const text = deviceFileOf(truth, chipOf(truth).chip).replaceAll(
    /(q[023]:\n(?: .*\n)*? {2}measure: {)/g,
    '$1acq_rotation: 30, acq_threshold: 1.0e-3, ',
  )
  writeFileSync(DEVICE, text)
  const hardware = join(folder.path, 'scheduler.hardware.json')
  const cluster0 = {
    ...{ instrument_type: 'Cluster', ref: 'internal', modules: {} },
    ip: `sim:${folder.path}/simulated.chip.yml`,
  }
  writeFileSync(
    hardware,
    JSON.stringify({
      config_type: 'QbloxHardwareCompilationConfig',
      hardware_description: { cluster0 },
      connectivity: { graph: [] },
    }),
  )
  return openProcess('scheduler_a', [
    `scheduler_device_config=${DEVICE}`,
    `scheduler_hardware_config=${hardware}`,
  ])
}

const HEAD = 'OPENQASM 3.0; include "stdgates.inc";'
const MEASURE_1 = `${HEAD} bit c; x $1; c = measure $1;`
const ON_NUMBER_1 = `${HEAD} qubit[2] q; bit c; x q[1]; c = measure q[1];`
const chain = (qubits: number) =>
  `${HEAD} qubit[${qubits}] q; bit[${qubits}] c; h q[0]; ${Array.from({ length: qubits - 1 }, (_, at) => `cx q[${at}], q[${at + 1}];`).join(' ')} c = measure q;`
const UNSET = 'q1 (measure.acq_rotation and measure.acq_threshold are 0)'

describe('scheduler_a on a chip that is half calibrated', () => {
  let device: ProcessDevice
  beforeAll(async () => {
    device = await openRow()
  })
  const jobOf = (program: string, more: object = {}) => payloadOf([program], { shots: 10, ...more })

  test('describes the rest as not operational, each with its number', async () => {
    const { qubits } = (await device.describe?.()) ?? {}
    expect(qubits?.map(({ name, operational = true }) => [name, operational])).toEqual([
      ['q0', true],
      ['q1', false],
      ['q2', true],
      ['q3', true],
    ])
    expect(qubits?.[1]?.uncalibrated).toMatchObject([{ use: 'bits' }])
  })

  test('avoids the rest', async () => {
    const { circuit_results } = await runJob(device, jobOf(ON_NUMBER_1))
    expect(circuit_results[0]?.metadata).toMatchObject({ routing: { initial: [null, 'q0'] } })
    expect(circuit_results[0]?.metadata).not.toHaveProperty('warnings')
    const pair = await runJob(device, jobOf(chain(2)))
    expect(pair.circuit_results[0]?.metadata).toMatchObject({
      routing: { method: 'placement', swaps: 0, initial: expect.not.arrayContaining(['q1']) },
    })
  })

  test.each([
    ['names a qubit of it', MEASURE_1],
    ['joins more qubits than are joined without it', chain(3)],
    ['has more qubits than are left', chain(4)],
  ])('returns a job that %s to the queue, without having run', async (_, program) => {
    expect(await errorOfJob(device, jobOf(program))).toMatchObject({
      message: `circuit 0: the circuit needs parts of the chip that are not calibrated: ${UNSET}`,
      ...{ class: 'device', errorCode: 'not_calibrated', executed: false },
    })
  })

  test('fails a job that the whole chip cannot run either', async () => {
    expect(await errorOfJob(device, jobOf(chain(5)))).toMatchObject({
      ...{ class: 'user', errorCode: 'too_many_qubits' },
    })
  })

  test('needs a discriminator only for bits by the device file', async () => {
    for (const more of [{ meas_level: 1 }, { acq_rotation: 20, acq_threshold: 0 }]) {
      const { circuit_results } = await runJob(device, jobOf(MEASURE_1, more))
      expect(circuit_results[0]?.metadata).not.toHaveProperty('warnings')
    }
  })

  test('warns of each part that a job may use all the same', async () => {
    const { circuit_results } = await runJob(device, jobOf(MEASURE_1, { allow_uncalibrated: true }))
    expect(circuit_results[0]?.metadata['warnings']).toEqual([
      'q1 is not calibrated: measure.acq_rotation and measure.acq_threshold are 0',
    ])
  })

  test('prefers what is calibrated also where a job may use the rest', async () => {
    const allowed = { allow_uncalibrated: true }
    const avoiding = await runJob(device, jobOf(ON_NUMBER_1, allowed))
    expect(avoiding.circuit_results[0]?.metadata).toMatchObject({ routing: { initial: [null, 'q0'] } })
    expect(avoiding.circuit_results[0]?.metadata).not.toHaveProperty('warnings')
    const needing = await runJob(device, jobOf(chain(3), allowed))
    expect(needing.circuit_results[0]?.metadata['warnings']).toEqual([
      'q1 is not calibrated: measure.acq_rotation and measure.acq_threshold are 0',
    ])
  })

  test('warns of values that a check has found stale, where a job uses them', async () => {
    const path = 'measure.acq_rotation'
    const found = { element: 'q2', path, value: 30, routine: 't1', run: 'r1', at: '2026-11-26T10:00:00.000Z' }
    const reason = `${path} was found stale by t1 at ${found.at}`
    Provenance.read(DEVICE).recordChecks({ stale: [found], good: [] })
    expect((await device.describe?.())?.qubits?.map(({ stale }) => stale)).toEqual([
      ...[undefined, undefined, [{ use: 'bits' as const, reason }], undefined],
    ])
    const warningsOf = async (qubit: number, more: object = {}) => {
      const program = `${HEAD} bit c; x $${qubit}; c = measure $${qubit};`
      return (await runJob(device, jobOf(program, more))).circuit_results[0]?.metadata['warnings']
    }
    expect(await warningsOf(2)).toEqual([`q2 has stale values: ${reason}`])
    expect([await warningsOf(0), await warningsOf(2, { meas_level: 1 })]).toEqual([undefined, undefined])
    Provenance.read(DEVICE).recordChecks({ stale: [], good: [found] })
    expect(await warningsOf(2)).toBeUndefined()
  })

  test('uses it again once the file has its values', async () => {
    const before = readFileSync(DEVICE, 'utf8')
    const after = before.replace(
      /(q1:\n(?: .*\n)*? {2}measure: {)/,
      '$1acq_rotation: 30, acq_threshold: 1.0e-3, ',
    )
    writeFileSync(DEVICE, after)
    const { circuit_results } = await runJob(device, jobOf(MEASURE_1))
    expect(circuit_results[0]?.metadata).not.toHaveProperty('warnings')
    expect(JSON.stringify(await device.describe?.())).not.toContain('operational')
    writeFileSync(DEVICE, before)
    expect(await errorOfJob(device, jobOf(MEASURE_1))).toMatchObject({ errorCode: 'not_calibrated' })
  })
})

test('scheduler_a with is_dummy offers everything, and each result says that no hardware was used', async () => {
  const bare = join(folder.path, 'bare.device.yml')
  const names = ['q0', 'q1'].map(
    (name) => `${name}: {element_type: {path: svc.elements.BasicTransmonElement, args: [${name}]}}`,
  )
  const edge =
    'q0_q1: {element_type: {path: svc.elements.FluxTunableCoupler, args: [q0, q1]}, cz: {square_amp: 0}}'
  writeFileSync(bare, [...names, edge].join('\n'))
  const device = await openProcess('scheduler_a', [`scheduler_device_config=${bare}`, 'is_dummy=true'])
  expect(JSON.stringify(await device.describe?.())).not.toContain('operational')
  const { circuit_results } = await runJob(device, payloadOf([chain(2), MEASURE_1], { shots: 5 }))
  expect(circuit_results.map(({ counts }) => counts)).toEqual([{ '00': 5 }, { '0': 5 }])
  for (const { metadata } of circuit_results)
    expect(metadata['warnings']).toEqual([expect.stringContaining('no hardware was used')])
})
