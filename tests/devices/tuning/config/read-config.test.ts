import { describe, expect, test } from 'bun:test'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import {
  type CalibrationConfig,
  isPinned,
  routineConfigFor,
} from '../../../../src/devices/tuning/config/calibration-config.ts'
import { readCalibrationConfig } from '../../../../src/devices/tuning/config/read-config.ts'
import { ROUTINES } from '../../../../src/devices/tuning/routine-names.ts'

const qubit = (name: string) => `${name}: {element_type: {path: a.CalibratedTransmon}}\n`
const edge = (one: string, other: string, rest = '') =>
  `${one}_${other}: {element_type: {path: a.FluxTunableCoupler, args: [${one}, ${other}]}${rest}}\n`
const device = readDeviceFile(
  ['q0', 'q1', 'q2'].map(qubit).join('') +
    edge('q0', 'q1', ', bias: {source: spi, limit: 2.0e-3}') +
    edge('q1', 'q2'),
)
if ('problems' in device) throw new Error(device.problems.join())
const { chip } = device

function read(text: string): CalibrationConfig {
  const config = readCalibrationConfig(text, chip)
  if ('problems' in config) throw new Error(config.problems.join('\n'))
  return config
}

function problemsOf(text: string): readonly string[] {
  const config = readCalibrationConfig(text, chip)
  return 'problems' in config ? config.problems : []
}

describe('calibration.yml', () => {
  test.each(['', '# nothing\n', 'version: 1'])(
    'enables everything on all elements when it says nothing: %j',
    (text) => {
      const config = read(text)
      expect(config).toMatchObject({
        ...{ targetQubits: ['q0', 'q1', 'q2'], targetEdges: ['q0_q1', 'q1_q2'], notes: [] },
        ...{ routineTimeoutS: 900, maxAttempts: 3, safety: { pauseAfterStepS: 0 } },
        heralding: true,
        monitoring: { rbDepths: [1, 16, 64, 256], rbSeeds: 6, shots: 512, allXy: true },
        parallel: {
          enabled: true,
          qubitSpacing: 2,
          edgeSpacing: 1,
          maxGroup: 8,
          exclude: [],
          measurePenalty: false,
        },
      })
      for (const { name } of ROUTINES) expect(routineConfigFor(config, name, 'q0').enabled).toBe(true)
    },
  )

  test('sets ranges, and other ones for some targets key by key', () => {
    const config = read(`
routines:
  punchout: {enabled: false}
  qubit_01_spectroscopy:
    frequency: {span: 60.0e+6, points: 201}
    shots: 2000
    targets:
      q2: {frequency: {center: 4.4339e+9}, timeout_s: 60}
      q1: {frequency: {start: 4.0e+9, stop: 5.0e+9}, enabled: false}
  ramsey_correction: {detuning: [-1.0e+6, 0.4e+6]}
  coupler_anticrossing: {current: {start: -1.5e-3, stop: 1.5e-3}, parking_fraction: 0.6}
  rb: {interleave: x90, seeds: 3}
`)
    const on = (target: string) => routineConfigFor(config, 'qubit_01_spectroscopy', target)
    expect(on('q0').axes).toEqual({
      frequency: { range: { kind: 'around', center: undefined, span: 60e6 }, points: 201 },
    })
    expect(on('q2')).toMatchObject({
      ...{ enabled: true, shots: 2000, timeoutS: 60 },
      axes: { frequency: { range: { kind: 'around', center: 4.4339e9, span: 60e6 }, points: 201 } },
    })
    expect(on('q1')).toMatchObject({
      enabled: false,
      axes: { frequency: { range: { kind: 'interval', start: 4e9, stop: 5e9 }, points: 201 } },
    })
    expect(routineConfigFor(config, 'punchout', 'q0').enabled).toBe(false)
    expect(routineConfigFor(config, 'ramsey_correction', 'q0').axes['detuning']).toEqual({
      range: { kind: 'values', values: [-1e6, 0.4e6] },
    })
    expect(routineConfigFor(config, 'coupler_anticrossing', 'q0_q1').numbers).toEqual({ park_fraction: 0.6 })
    expect(routineConfigFor(config, 'randomized_benchmarking', 'q0')).toMatchObject({
      ...{ numbers: { seeds: 3 }, choices: { interleave: 'x90' } },
    })
    expect(config.notes).toEqual(['routines.rb is read as randomized_benchmarking'])
  })

  test('reads the names of the predecessor', () => {
    const config = read(`
routines: {rabi: {shots: 5}, allxy: {shots: 7}, allxy_check: {}, flux_spectroscopy: {}, fine_amplitude_90: {anything: 1}}
monitoring: {n_circuits_per_depth: 4, allxy_as_smoke_test: false}
`)
    expect(routineConfigFor(config, 'rabi_oscillations', 'q0').shots).toBe(5)
    expect(routineConfigFor(config, 'all_xy', 'q0').shots).toBe(7)
    expect(config.monitoring).toMatchObject({ rbSeeds: 4, allXy: false })
    expect(config.notes).toEqual([
      'routines.allxy and allxy_check are one routine, all_xy',
      'routines.flux_spectroscopy is left out: coupler_anticrossing fits the curve of the coupler',
      'routines.fine_amplitude_90 is left out: n_rabi_oscillations includes it',
      'routines.rabi is read as rabi_oscillations',
      'routines.allxy is read as all_xy',
    ])
  })

  test('leaves out targets that the chip does not have', () => {
    const config = read('target_qubits: [q0, q1, q11]\nroutines: {t1: {targets: {q7: {shots: 1}}}}')
    expect([config.targetQubits, config.targetEdges]).toEqual([['q0', 'q1'], ['q0_q1']])
    expect(config.notes).toEqual([
      expect.stringContaining('target_qubits: the chip has no q11; did you mean q'),
      expect.stringContaining('routines.t1: the chip has no q7'),
    ])
  })

  test('pins parameters, whole submodules, or those of all targets', () => {
    const config = read('pin: {q0: [clock_freqs.f01, measure], "*": [rxy.motzoi]}')
    expect(
      [
        ['q0', 'clock_freqs.f01'],
        ['q0', 'measure.acq_delay'],
        ['q1', 'rxy.motzoi'],
        ['q1', 'clock_freqs.f01'],
        ['q0', 'measure_2state.frequency'],
      ].map(([target = '', path = '']) => isPinned(config, target, path)),
    ).toEqual([true, true, true, false, false])
  })

  test('takes routines of one’s own by import path, whose axes are theirs, after routines by name or alias', () => {
    const path = './ac-stark.ts#acStark'
    const config = read(`
routines:
  ./ac-stark.ts#acStark:
    after: [t1, rabi]
    drive: {start: 0, stop: 5, points: 11}
    targets: {q0_q1: {enabled: false}}
  plain.ts#other: {after: t2, replaces: t2_echo}
  lab.third:Third:
`)
    expect([...config.ownRoutines]).toEqual([
      [path, { after: ['t1', 'rabi_oscillations'], replaces: undefined }],
      ['plain.ts#other', { after: ['t2'], replaces: 't2_echo' }],
      ['lab.third:Third', { after: [], replaces: undefined }],
    ])
    expect(routineConfigFor(config, path, 'q0')).toMatchObject({
      ...{ enabled: true, axes: { drive: { range: { kind: 'interval', start: 0, stop: 5 }, points: 11 } } },
    })
    expect(Object.keys(routineConfigFor(config, path, 'q0').axes)).toEqual(['drive'])
    expect(routineConfigFor(config, path, 'q0_q1').enabled).toBe(false)
  })

  test.each([
    ['routines: [', 'line 1, column 12'],
    ['version: 2', 'line 1, column 10: version: expected version 1, got 2'],
    ['3', 'expected keys out of version, target_qubits'],
    [
      'rutines: {}',
      'line 1, column 10: rutines: unknown key; allowed are version, target_qubits, target_edges, routine_timeout_s, max_attempts, routines, pin, safety, heralding, monitoring, parallel; did you mean routines?',
    ],
    [
      'routines: {rabi_oscilations: {}}',
      'routines.rabi_oscilations: unknown routine; did you mean rabi_oscillations?',
    ],
    [
      'routines: {zzzzzzzzzzzzzzzzzzzzzzzzzzzz: {}}',
      'unknown routine; there are resonator_spectroscopy, time_of_flight',
    ],
    [
      'routines: {rabi: {}, rabi_oscillations: {}}',
      'routines.rabi_oscillations: the same routine as rabi; remove one of them',
    ],
    [
      'routines: {rabi: {freqency: {}}}',
      'routines.rabi.freqency: unknown key; allowed are enabled, shots, timeout_s, amplitude, targets',
    ],
    ['routines: {punchout: {freqency: {}}}', 'did you mean frequency?'],
    [
      'routines: {t1: {delay: {start: "4e-9", stop: 1}}}',
      'routines.t1.delay.start: expected a number from 0 to 1, without quotes, got "4e-9"',
    ],
    [
      'routines: {t1: {delay: {points: 1}}}',
      'routines.t1.delay.points: expected a whole number from 2 to 2000, without quotes, got 1',
    ],
    [
      'routines: {t1: {delay: {start: 1, stop: 0.5}}}',
      'routines.t1.delay: expected start below stop, got {"start":1,"stop":0.5}',
    ],
    ['routines: {t1: {delay: {start: 1}}}', 'expected start and stop, or center and span, or values'],
    [
      'routines: {t1: {delay: {start: 0, stop: 1, scale: log}}}',
      'expected a range above 0 for the scale log',
    ],
    ['routines: {t1: {delay: {values: []}}}', 'expected at least one value'],
    [
      'routines: {t1: {delay: 3}}',
      'routines.t1.delay: expected keys out of start, stop, center, span, values, points, scale, got 3',
    ],
    [
      'routines: {rabi: {amplitude: {start: 0, stop: 1.5}}}',
      'routines.rabi.amplitude.stop: expected a number from 0 to 1, without quotes, got 1.5',
    ],
    [
      'routines: {motzoi_parameter: {repetitions: [1.5]}}',
      'routines.motzoi_parameter.repetitions.0: expected a whole number from 0 to 10000, without quotes, got 1.5',
    ],
    [
      'routines: {coupler_anticrossing: {current: {start: -2.5e-3, stop: 0}}}',
      'routines.coupler_anticrossing.current: -0.0025 A is beyond the limit of q0_q1, 0.002 A (bias.limit in the device file)',
    ],
    [
      'routines: {coupler_anticrossing: {targets: {q0_q1: {current: [3.0e-3]}}}}',
      'routines.coupler_anticrossing.targets.q0_q1.current: 0.003 A is beyond the limit',
    ],
    [
      'routines: {coupler_anticrossing: {current: {start: -4.0e-3, stop: 0}}}',
      'expected a number from -0.0031 to 0.0031',
    ],
    [
      'routines: {t1: {shots: 0}}',
      'routines.t1.shots: expected a whole number from 1 to 1000000, without quotes, got 0',
    ],
    ['routines: {t1: {enabled: yes}}', 'routines.t1.enabled: expected true or false, got "yes"'],
    [
      'routines: {t1: {targets: {q0_q1: {}}}}',
      'routines.t1.targets.q0_q1: t1 is a routine of qubits, and q0_q1 is not one',
    ],
    ['routines: {rb: {interleave: x45}}', 'expected one of none, x90, got "x45"'],
    ['target_qubits: [q8, q9]', 'target_qubits: none of these is on the chip; it has q0, q1, q2'],
    [
      'target_qubits: [q0]\ntarget_edges: [q0_q1]',
      'line 2, column 16: target_edges.0: q0_q1 would be measured through uncalibrated qubits; add q1 to target_qubits',
    ],
    ['routines: {./a.ts#a: {after: tee1}}', 'routines../a.ts#a.after: unknown routine; did you mean t1?'],
    [
      'routines: {./a.ts#a: {after: 3}}',
      'routines../a.ts#a.after: expected the name of a routine, or a list of names, got 3',
    ],
    ['routines: {./a.ts#a: 3}', 'routines../a.ts#a: '],
    ['routines: {lab:A: {replaces: tee1}}', 'routines.lab:A.replaces: unknown routine; did you mean t1?'],
    [
      'routines: {lab:A: {replaces: t1}, t1: {shots: 5}}',
      'routines.lab:A.replaces: t1 has an entry of its own; move its settings here',
    ],
    [
      'routines: {lab:A: {replaces: t1}, ./b.ts: {replaces: t1}}',
      'routines../b.ts.replaces: t1 is replaced by another routine already',
    ],
    ['pin: {q0: [rxy.amp18]}', 'pin.q0.0: q0 has no parameter rxy.amp18'],
    [
      'safety: {max_mixing_chamber_K: 0.03}',
      'a tuner receives no temperatures of the cryostat; remove it and set safety.pause_after_step_s, got 0.03',
    ],
    ['monitoring: {rb_depths: [1, 64, 256]}', 'monitoring.rb_depths: expected at least 4 depths'],
    ['monitoring: {rb_seeds: 3, n_circuits_per_depth: 3}', 'rb_seeds and n_circuits_per_depth are the same'],
    ['monitoring: {rb_seeds: 2}', 'monitoring.rb_seeds: '],
    ['monitoring: {n_circuits_per_depth: 1}', 'monitoring.n_circuits_per_depth: '],
    ['routines: {cz_rb: {seeds: 2}}', 'routines.cz_rb.seeds: expected '],
    ['parallel: {exclude: [[q0, q9]]}', 'parallel.exclude.0.1: the chip has no q9'],
    [
      `routines: {${ROUTINES.map(({ name }) => `${name}: {enabled: false}`).join(', ')}}`,
      'every routine is disabled; there is nothing to run',
    ],
  ])('is refused for %s', (text, reason) => {
    expect(problemsOf(text).join('\n')).toContain(reason)
  })

  test('reports all problems together', () => {
    const problems = problemsOf(`version: 3
target_qubits: [q9]
routines:
  rabbi: {}
  t1: {delay: {points: 1, start: "0"}, shots: many}
parallel: {max_group: 0}
`)
    expect(problems.map((each) => each.split(': ').slice(0, 2))).toEqual([
      ['line 1, column 10', 'version'],
      ['line 2, column 16', 'target_qubits'],
      ['line 4, column 10', 'routines.rabbi'],
      ['line 5, column 24', 'routines.t1.delay.points'],
      ['line 5, column 34', 'routines.t1.delay.start'],
      ['line 5, column 47', 'routines.t1.shots'],
      ['line 6, column 23', 'parallel.max_group'],
    ])
  })
})
