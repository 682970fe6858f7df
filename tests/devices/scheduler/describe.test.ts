import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { Provenance } from '../../../src/devices/chip/provenance/provenance.ts'
import { describeScheduler } from '../../../src/devices/scheduler/describe.ts'
import { deviceDescription } from '../../../src/protocol/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const TEXT = `
q0:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q0]}
  rxy: {amp180: 0.5, duration: 3.2e-8}
  clock_freqs: {f01: 5.0e+9, readout: 7.0e+9}
  measure: {pulse_amp: 0.2, acq_delay: 1.0e-7, integration_time: 1.5e-6, pulse_duration: 1.0e-6, acq_rotation: 12, acq_threshold: 0}
  coherence: {t1: 5.0e-5, t2_echo: 6.0e-5, t2_star: .nan}
  measure_2state: {assignment: [[0.99, 0.01], [0.03, 0.97]]}
q1: {element_type: {path: svc.elements.CalibratedTransmon, args: [q1]}, rxy: {duration: 2.0e-8}, clock_freqs: {f01: .nan}}
q0_q1:
  element_type: {path: svc.elements.FluxTunableCoupler, kwargs: {parent_element_name: q0, child_element_name: q1}}
  clock_freqs: {cz: 3.0e+8}
  cz: {square_amp: 0.3, square_duration: 2.0e-7}
`

test('a chip is described by its device file, and the time of its calibration by the side file', () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'scheduler.device.yml')
  writeFileSync(path, TEXT)
  const file = readDeviceFile(TEXT)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const measured = (element: string, at: string, value: unknown, of: string) => ({
    ...{ element, path: of, value, routine: 'some_routine', run: 'run000000000001', at, fit: {} },
  })
  Provenance.read(path).record([
    measured('q0', '2026-11-01T10:00:00.000Z', 5e9, 'clock_freqs.f01'),
    measured('q0_q1', '2026-11-01T12:00:00.000Z', 3e8, 'clock_freqs.cz'),
    // Changed by hand since: it says nothing about the values in use.
    measured('q0', '2026-11-01T14:00:00.000Z', 0.4, 'rxy.amp180'),
  ])
  const [edge] = file.chip.edges
  if (!edge) throw new Error('there is no edge')
  const gate = {
    element: edge,
    error: 0.004,
    routine: 'cz_rb',
    run: 'run000000000001',
    at: '2026-11-01T11:00:00.000Z',
  }
  Provenance.read(path).recordGates([gate])
  const describe = (devicePath: string, backend: string) =>
    describeScheduler({
      chip: file.chip,
      hardware: undefined,
      provenance: Provenance.read(devicePath),
      backend,
      deviceConfig: 'abc123',
    })
  const description = describe(path, 'cluster')
  expect(v.is(deviceDescription, description)).toBe(true)
  expect(description).toMatchObject({
    qubits: [
      { name: 'q0', t1_s: 5e-5, t2_s: 6e-5, frequency_hz: 5e9, readout_error: 0.02 },
      {
        name: 'q1',
        operational: false,
        uncalibrated: [
          { use: 'gates', reason: 'rxy.amp180 is not set' },
          { use: 'gates', reason: 'clock_freqs.f01 is not set' },
          { use: 'readout', reason: 'clock_freqs.readout is not set' },
          { use: 'readout', reason: 'measure.pulse_amp is not set' },
          { use: 'bits', reason: 'measure.acq_rotation and measure.acq_threshold are 0' },
        ],
      },
    ],
    ...{ measure: { duration_s: 1.6e-6 }, reset: { duration_s: 2e-4 } },
    ...{ dt_s: 1e-9, simulator: false, calibrated_at: '2026-11-01T12:00:00.000Z' },
  })
  expect(description.qubits?.[0]).not.toHaveProperty('operational')
  expect(description.gates?.find(({ name }) => name === 'cz')?.on).toEqual([
    { qubits: [0, 1], duration_s: 2e-7, error: 0.004, calibrated_at: '2026-11-01T12:00:00.000Z' },
  ])
  const dummy = describe(join(folder.path, 'other.yml'), 'dummy')
  expect(dummy.simulator).toBe(true)
  expect(JSON.stringify(dummy)).not.toContain('operational')
})
