import { describe, expect, test } from 'bun:test'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { convertQuantumDevice } from '../../../src/devices/chip/saved-quantum-device.ts'

const QUBIT = (name: string) => ({
  deserialization_type: 'quantify_scheduler.BasicTransmonElement',
  mode: '__init__',
  data: {
    name,
    reset: { duration: 2e-4 },
    rxy: { amp180: 0.12, motzoi: -3e-7, duration: 2e-8 },
    measure: {
      ...{ pulse_type: 'SquarePulse', pulse_amp: 0.1, pulse_duration: 1e-6, acq_channel: 0 },
      ...{ acq_delay: 1e-7, integration_time: 1e-6, acq_rotation: 37, acq_threshold: -1.5e-3 },
      ...{ acq_weights_a: [], acq_weights_b: null, reset_clock_phase: true },
    },
    ports: { microwave: `${name}:mw`, flux: `${name}:fl`, readout: `${name}:res` },
    clock_freqs: { f01: 4.8e9, f12: Number.NaN, readout: 6.4e9 },
  },
})
const EDGE = {
  deserialization_type: 'CompositeSquareEdge',
  mode: '__init__',
  data: {
    ...{ parent_element_name: 'q0', child_element_name: 'q1' },
    cz: { square_amp: 0.3, square_duration: 4e-8, q0_phase_correction: 12, q1_phase_correction: 0 },
  },
}

/** JSON as Python writes it. */
function python(value: unknown): string {
  return JSON.stringify(value, (_, each) => (Number.isNaN(each) ? '<NaN>' : each)).replaceAll(
    /\\*"<NaN>\\*"/g,
    'NaN',
  )
}

const WHOLE = (wrap: (element: unknown) => unknown) =>
  python({
    deserialization_type: 'quantify_scheduler.QuantumDevice',
    data: {
      name: 'chip',
      elements: { q0: wrap(QUBIT('q0')), q1: wrap(QUBIT('q1')) },
      edges: { q0_q1: wrap(EDGE) },
      cfg_sched_repetitions: '1024',
    },
  })

describe('a QuantumDevice that other software has saved', () => {
  test.each([
    ['objects', WHOLE((element) => element)],
    ['JSON texts', WHOLE(python)],
    [
      'the newer scheduler',
      python({
        name: 'chip',
        elements: Object.fromEntries(
          ['q0', 'q1'].map((name) => [name, { element_type: 'BasicTransmonElement', ...QUBIT(name).data }]),
        ),
        edges: { q0_q1: { edge_type: 'CompositeSquareEdge', ...EDGE.data } },
      }),
    ],
  ])('is refused as what it is with %s, and converted to a device file', (_, text) => {
    const refused = readDeviceFile(text)
    expect('problems' in refused && refused.problems).toEqual([
      expect.stringContaining('convert it with svc driver convert-device-file'),
    ])
    const { text: converted, unrecognized, elements } = convertQuantumDevice(text)
    expect([elements, unrecognized]).toEqual([3, []])
    const file = readDeviceFile(converted)
    if ('problems' in file) throw new Error(file.problems.join('\n'))
    const qubit = file.chip.qubits[1]
    expect(qubit?.name).toBe('q1')
    expect(qubit?.get('rxy.amp180')).toBe(0.12)
    expect(qubit?.get('rxy.motzoi')).toBe(-3e-7)
    expect(qubit?.get('measure.acq_rotation')).toBe(37)
    expect(qubit?.get('measure.acq_threshold')).toBe(-1.5e-3)
    expect(qubit?.get('clock_freqs.f01')).toBe(4.8e9)
    expect(qubit?.get('clock_freqs.f12')).toBeUndefined()
    expect(qubit?.get('ports.readout')).toBe('q1:res')
    const [edge] = file.chip.edges
    expect([edge?.parent, edge?.child]).toEqual(['q0', 'q1'])
    expect(edge?.get('cz.square_duration')).toBe(4e-8)
    expect(edge?.get('cz.parent_phase_correction')).toBe(12)
    // Readers of YAML 1.1 take numbers without a point or with an unsigned exponent for texts.
    expect(converted).toContain('f01: 4.8e+9')
  })

  test('may have no edges, and null for what was not measured', () => {
    const { reset, rxy, measure, ports, clock_freqs } = QUBIT('q0').data
    const data = { name: 'q0', reset, rxy, measure, ports, clock_freqs: { ...clock_freqs, f12: null } }
    const text = JSON.stringify({
      deserialization_type: 'quantify_scheduler.QuantumDevice',
      data: {
        name: 'chip',
        elements: { q0: { ...QUBIT('q0'), data } },
        edges: {},
        cfg_sched_repetitions: 1024,
      },
    })
    const refused = readDeviceFile(text)
    expect('problems' in refused && refused.problems[0]).toContain('convert it with')
    const { text: converted, elements } = convertQuantumDevice(text)
    const file = readDeviceFile(converted)
    if ('problems' in file) throw new Error(file.problems.join('\n'))
    expect([elements, file.chip.qubits[0]?.get('clock_freqs.f12')]).toEqual([1, undefined])
  })

  test('is refused with each element that cannot be converted', () => {
    const text = JSON.stringify({
      deserialization_type: 'QuantumDevice',
      data: {
        name: 'chip',
        elements: {
          q0: { deserialization_type: 'BasicElectronicNVElement', data: { name: 'q0' } },
          q1: 'nothing',
        },
      },
    })
    expect(() => convertQuantumDevice(text)).toThrow(
      /elements.q0: the class BasicElectronicNVElement is not supported; .*\n {2}elements.q1: expected an element/,
    )
    expect(() => convertQuantumDevice('{}')).toThrow('expected a file that QuantumDevice.to_json_file')
  })
})
