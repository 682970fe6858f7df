import { describe, expect, test } from 'bun:test'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { uncalibratedOf } from '../../../src/devices/chip/uncalibrated.ts'

/** What each element of a device file lacks. */
function missingIn(text: string): Record<string, string[]> {
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const { qubits, edges } = file.chip
  return Object.fromEntries(
    [...qubits, ...edges].map((each) => [
      each.name,
      uncalibratedOf(each).map(({ use, reason }) => `${use}: ${reason}`),
    ]),
  )
}

const QUBIT = {
  rxy: 'amp180: 0.1, duration: 2.0e-8',
  measure:
    'pulse_amp: 0.2, pulse_duration: 1.0e-6, integration_time: 1.0e-6, acq_rotation: 0, acq_threshold: 1.0e-3',
  clock_freqs: 'f01: 5.0e+9, readout: 7.0e+9',
}
function qubit(name: string, changes: Partial<Record<keyof typeof QUBIT | 'measure_2state', string>> = {}) {
  const parts = Object.entries({ ...QUBIT, ...changes }).map(([key, values]) => `${key}: {${values}}`)
  return `${name}: {element_type: {path: a.CalibratedTransmon, args: [${name}]}, ${parts.join(', ')}}\n`
}

describe('uncalibratedOf()', () => {
  test('is empty for a file that sets what is needed, with or without settings that have defaults', () => {
    const few = 'pulse_amp: 0.2, acq_rotation: 40'
    expect(missingIn(qubit('q0') + qubit('q1', { rxy: 'amp180: -0.1', measure: few }))).toEqual({
      q0: [],
      q1: [],
    })
    const own = 'frequency: 7.0e+9, pulse_amp: 0.1, acq_rotation: 0, acq_threshold: -1.0e-4'
    expect(
      missingIn(qubit('q0', { measure: 'acq_delay: 0', measure_2state: own, clock_freqs: 'f01: 5.0e+9' })),
    ).toEqual({
      q0: [],
    })
  })

  test.each([
    ['rxy', 'duration: 2.0e-8', 'gates: rxy.amp180 is not set'],
    ['rxy', 'amp180: .nan', 'gates: rxy.amp180 is not set'],
    ['rxy', 'amp180: 0', 'gates: rxy.amp180 is 0'],
    ['rxy', 'amp180: 0.1, duration: 0', 'gates: rxy.duration is 0'],
    ['clock_freqs', 'readout: 7.0e+9', 'gates: clock_freqs.f01 is not set'],
    ['clock_freqs', 'f01: 5.0e+9, readout: 0', 'readout: clock_freqs.readout is 0'],
    ['measure', 'acq_threshold: 1.0e-3', 'readout: measure.pulse_amp is not set'],
    ['measure', 'pulse_amp: 0, acq_threshold: 1.0e-3', 'readout: measure.pulse_amp is 0'],
    [
      'measure',
      'pulse_amp: 0.2, acq_threshold: 1.0e-3, integration_time: 0',
      'readout: measure.integration_time is 0',
    ],
    ['measure', 'pulse_amp: 0.2', 'bits: measure.acq_rotation and measure.acq_threshold are 0'],
    [
      'measure_2state',
      'acq_rotation: 0, acq_threshold: 0',
      'bits: measure_2state.acq_rotation and measure_2state.acq_threshold are 0',
    ],
  ] as const)('names what %s of a qubit lacks with {%s}', (submodule, values, expected) => {
    expect(missingIn(qubit('q0', { [submodule]: values }))).toEqual({ q0: [expected] })
  })

  test('names what an edge lacks', () => {
    const edge = (type: string, values: string) =>
      `${qubit('q0')}${qubit('q1')}q0_q1: {element_type: {path: a.${type}, args: [q0, q1]}, ${values}}`
    expect(
      missingIn(edge('CompositeSquareEdge', 'cz: {square_amp: 0.2, square_duration: 4.0e-8}'))['q0_q1'],
    ).toEqual([])
    expect(missingIn(edge('CompositeSquareEdge', 'cz: {square_amp: 0}'))['q0_q1']).toEqual([
      'gates: cz.square_amp is 0',
      'gates: cz.square_duration is not set',
    ])
    expect(
      missingIn(edge('FluxTunableCoupler', 'cz: {square_amp: 0.2, square_duration: 4.0e-8}'))['q0_q1'],
    ).toEqual(['gates: clock_freqs.cz is not set'])
  })
})
