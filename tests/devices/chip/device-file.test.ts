import { describe, expect, test } from 'bun:test'
import { type DeviceFile, isDeviceFile, readDeviceFile } from '../../../src/devices/chip/device-file.ts'

function read(text: string): DeviceFile {
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  return file
}

function problemsOf(text: string): readonly string[] {
  const file = readDeviceFile(text)
  return 'problems' in file ? file.problems : []
}

function qubit(text: string, name = 'q0') {
  const element = read(text).chip.element(name)
  if (element?.kind !== 'qubit') throw new Error(`no qubit ${name}`)
  return element
}

function edge(text: string, name = 'q0_q1') {
  const element = read(text).chip.element(name)
  if (element?.kind !== 'edge') throw new Error(`no edge ${name}`)
  return element
}

const basic = (name: string, rest = '') =>
  `${name}: {element_type: {path: a.b.BasicTransmonElement, args: [${name}]}${rest}}\n`
const calibrated = (name: string, rest = '') =>
  `${name}: {element_type: {path: svc.elements.CalibratedTransmon, kwargs: {name: ${name}}}${rest}}\n`
const coupler = (rest = '', path = 'x.FluxTunableCoupler') =>
  `${basic('q0')}${basic('q1')}q0_q1: {element_type: {path: ${path}, kwargs: {parent_element_name: q0, child_element_name: q1}}${rest}}\n`

describe('a device file', () => {
  test('gives values in SI units, defaults, and undefined for what was never measured', () => {
    const { get } = qubit(
      calibrated('q0', ', rxy: {amp180: 0.1}, clock_freqs: {f01: 4.8e9, f12: .nan, readout: 0}'),
    )
    expect(get('rxy.amp180')).toBe(0.1)
    expect(get('rxy.duration')).toBe(20e-9)
    expect(get('clock_freqs.f01')).toBe(4.8e9)
    expect([get('clock_freqs.f12'), get('clock_freqs.readout'), get('coherence.t1')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(get('rxy.motzoi')).toBe(0)
    expect(get('measure.acq_rotation')).toBe(0)
  })

  test.each([
    ['measure: {acq_weight_type: Numerical}', 'q0.measure.acq_weight_type', 'set SSB'],
    ['measure: {reset_clock_phase: false}', 'q0.measure.reset_clock_phase', 'always reset'],
    ['measure: {num_points: 2}', 'q0.measure.num_points', 'one point'],
    ['pulse_compensation: {time_grid: 4.0e-9}', 'q0.pulse_compensation.time_grid', 'not compensated'],
  ])('refuses what no device plays: %s', (given, name, remedy) => {
    const [problem] = problemsOf(basic('q0', `, ${given}`))
    expect(problem).toContain(name)
    expect(problem).toContain(remedy)
    expect(problemsOf(basic('q0', ', pulse_compensation: {time_grid: .nan}'))).toEqual([])
  })

  test('reads numbers that other YAML readers write as text', () => {
    expect(qubit(basic('q0', ', clock_freqs: {f01: "4.8e9"}')).get('clock_freqs.f01')).toBe(4.8e9)
    for (const [text, value] of [
      ['4_420_000_000', 4.42e9],
      ['4_420.5e+6', 4.4205e9],
      ['0.000_5', 5e-4],
    ] as const)
      expect(qubit(basic('q0', `, clock_freqs: {f01: ${text}}`)).get('clock_freqs.f01')).toBe(value)
  })

  test.each(['4_420_', '_4420', '4__420', '0_420', '4_420e6'])('does not take %s for a number', (text) => {
    expect(problemsOf(basic('q0', `, clock_freqs: {f01: ${text}}`)).join()).toContain('q0.clock_freqs.f01')
  })

  test('orders qubits by number when all are numbered, else as the file does', () => {
    const names = (text: string) => read(text).chip.qubits.map(({ name }) => name)
    expect(names(basic('q1') + basic('q0') + calibrated('q2'))).toEqual(['q0', 'q1', 'q2'])
    expect(names(basic('q7') + basic('q0'))).toEqual(['q7', 'q0'])
  })

  test('keeps the derivative of a pulse in the form that the file has', () => {
    const number = qubit(basic('q0', ', rxy: {motzoi: 0.1}'))
    expect([number.has('rxy.motzoi'), number.has('rxy.beta')]).toEqual([true, false])
    const seconds = qubit(basic('q0', ', rxy: {beta: 1.25e-10}'))
    expect([seconds.has('rxy.motzoi'), seconds.has('rxy.beta')]).toEqual([false, true])
    expect([seconds.get('rxy.beta'), seconds.get('rxy.motzoi')]).toEqual([1.25e-10, 0])
    expect(problemsOf(basic('q0', ', rxy: {beta: 1e-10, motzoi: 0.1}'))[0]).toContain(
      'beta is motzoi in seconds',
    )
  })

  test('has the submodules of its class', () => {
    expect(qubit(basic('q0')).has('r12.ef_amp180')).toBe(false)
    expect(qubit(calibrated('q0')).has('r12.ef_amp180')).toBe(true)
    expect(qubit(calibrated('q0')).has('r12.nothing')).toBe(false)
    expect(edge(coupler()).has('bias.parking_current')).toBe(false)
    expect(edge(coupler(', bias: {source: spi}')).has('bias.parking_current')).toBe(true)
    expect(edge(coupler()).has('clock_freqs.cz')).toBe(true)
    expect(edge(coupler('', 'x.CompositeSquareEdge')).has('clock_freqs.cz')).toBe(false)
  })

  test('accepts the names of other software and remembers them', () => {
    const { get, keysOf } = edge(
      coupler(
        ', cz: {q0_phase_correction: 41.2, child_phase_correction: -3}, bias: {source: qcm, module: 6, output: 3, current: 0, ohms: 1000}, clock_freqs: {sideband_gap: 3.1e8}',
      ),
    )
    expect(get('cz.parent_phase_correction')).toBe(41.2)
    expect(keysOf('cz.parent_phase_correction')).toEqual(['cz', 'q0_phase_correction'])
    expect(keysOf('cz.square_amp')).toEqual(['cz', 'square_amp'])
    expect([get('bias.qcm_module'), get('bias.qcm_output'), get('bias.line_resistance_ohm')]).toEqual([
      6, 3, 1000,
    ])
    expect([get('bias.parking_current'), get('bias.limit')]).toEqual([0, 3.1e-3])
    expect(get('clock_freqs.sideband_gap')).toBe(3.1e8)
    const readout = qubit(
      calibrated(
        'q0',
        ', measure: {acq_label: ro}, extended_clock_freqs: {readout_1: 6.5e9, readout_2state_opt: 6.51e9}, discriminator_2state: {rotation: 31, assignment: [[0.9, 0.1], [0.2, 0.8]]}',
      ),
    )
    expect(readout.get('measure.acq_channel')).toBe('ro')
    expect(readout.get('resonator.readout_1')).toBe(6.5e9)
    expect(readout.get('measure_2state.frequency')).toBe(6.51e9)
    expect(readout.get('measure_2state.acq_rotation')).toBe(31)
    expect(readout.get('measure_2state.assignment')?.[1]?.[0]).toBe(0.2)
    expect(problemsOf(coupler(', cz: {q0_phase_correction: 1, parent_phase_correction: 2}'))).toEqual([
      expect.stringContaining('the same parameter as q0_phase_correction'),
    ])
  })

  test('accepts files of the newer scheduler: a bare class, names beside it', () => {
    const text = `q0: {element_type: BasicTransmonElement, name: q0}
q1: {element_type: {path: CalibratedTransmon, args: null, kwargs: null}}
q0_q1: {element_type: CompositeSquareEdge, parent_element_name: q0, child_element_name: q1}
`
    expect(edge(text)).toMatchObject({ parent: 'q0', child: 'q1', className: 'CompositeSquareEdge' })
  })

  test('accepts tuples of Python, and names that every object has', () => {
    const { chip, unrecognized } = read(
      `constructor: {element_type: {path: a.BasicTransmonElement, args: !!python/tuple [constructor]}, toString: {valueOf: 1}, rxy: {valueOf: 1}}`,
    )
    expect(chip.element('constructor')?.className).toBe('BasicTransmonElement')
    expect(chip.element('toString')).toBeUndefined()
    expect(unrecognized).toEqual(['constructor.toString', 'constructor.rxy.valueOf'])
  })

  test('reads submodules in kwargs; those of the element win', () => {
    const element = qubit(
      'q0: {element_type: {path: a.BasicTransmonElement, kwargs: {rxy: {amp180: 0.1, duration: 1e-8}, reset: {duration: 1e-4}}}, rxy: {amp180: 0.2}}',
    )
    expect([element.get('rxy.amp180'), element.get('rxy.duration'), element.get('reset.duration')]).toEqual([
      0.2, 1e-8, 1e-4,
    ])
    expect(element.keysOf('rxy.duration')).toEqual(['element_type', 'kwargs', 'rxy', 'duration'])
    expect(element.keysOf('rxy.motzoi')).toEqual(['rxy', 'motzoi'])
  })

  test('uses what it knows of names that nothing recognizes', () => {
    const { chip, unrecognized } = read(
      basic('q0', ', rxy: {amp18: 1, amp180: 0.1}, coherence: {t1: 1e-5}, flavour: {x: 1}'),
    )
    expect(unrecognized).toEqual(['q0.rxy.amp18', 'q0.coherence', 'q0.flavour'])
    expect(chip.qubits[0]?.get('rxy.amp180')).toBe(0.1)
  })

  test('reports all problems at once, with line and column', () => {
    const text = `q0:
  element_type: quantify_scheduler.device.BasicTransmonElement
q1:
  element_type: {path: a.CalibratedTransmin}
q2:
  element_type: {path: a.BasicTransmonElement, args: [q3]}
  rxy: {amp180: long, motzoi: 7}
  measure: 3
q2_q9:
  element_type: {path: a.CompositeSquareEdge, args: [q2, q9]}
q3: {}
`
    expect(problemsOf(text)).toEqual([
      'line 2, column 17: q0.element_type: expected the form element_type: {path: quantify_scheduler.device.BasicTransmonElement, args: [q0], kwargs: {}}',
      'line 4, column 24: q1.element_type.path: expected one of BasicTransmonElement, CalibratedTransmon, CompositeSquareEdge, FluxTunableCoupler, got CalibratedTransmin; did you mean CalibratedTransmon?',
      'line 6, column 54: q2.element_type.args: expected q2, the key of the element, got q3',
      'line 7, column 17: q2.rxy.amp180: expected a number from -10 to 10, got "long"',
      'line 7, column 31: q2.rxy.motzoi: expected a number from -1 to 1, got 7',
      'line 8, column 12: q2.measure: expected names with values',
      'line 10, column 3: q2_q9: the file has no qubit q9',
      'line 11, column 5: q3.element_type: missing; expected element_type: {path: svc.elements.CalibratedTransmon, args: [q3], kwargs: {}}',
    ])
  })

  test.each([
    ['a: [', 'line 1, column 5'],
    ['q0: {}\nq0: {}', 'line 2, column 1: Map keys must be unique'],
    ['', 'expected names of qubits and edges'],
    ['- 1', 'expected names of qubits and edges'],
    ['q0: *nowhere', 'nowhere'],
    [coupler().replace('q0_q1', 'c1'), 'c1: expected the key q0_q1'],
    [
      'q-0: {element_type: BasicTransmonElement}',
      'line 1, column 6: q-0: expected a name that begins with a letter',
    ],
    ['__proto__: {element_type: BasicTransmonElement}', 'expected a name that begins with a letter'],
    [
      `a: &a [x, x, x, x, x, x, x, x, x]\n${[...'bcdefgh'].map((name, at) => `${name}: &${name} [${`*${'abcdefg'[at]}, `.repeat(9)}]`).join('\n')}`,
      'Excessive alias count',
    ],
    ['q0_q1: {element_type: FluxTunableCoupler}', 'expected the name of a qubit'],
    [coupler(', bias: {source: battery}'), 'expected one of spi, qcm, got "battery"'],
    [coupler(', bias: {parking_current: 0.5}'), 'expected a number from -0.0031 to 0.0031, got 0.5'],
    [
      calibrated('q0', ', measure_2state: {assignment: [[1, 0]]}'),
      'expected 2 rows of 2 numbers from 0 to 1',
    ],
    [basic('q0', ', rxy: {reference_magnitude: {dBm: 1, V: 1}}'), 'at most one of dBm, V and A'],
  ])('is refused for %j', (text, reason) => {
    expect(problemsOf(text).join('\n')).toContain(reason)
  })

  test('has problems at the place of an alias and of a merged key', () => {
    const text = `q0:
  element_type: {path: a.BasicTransmonElement}
  rxy: &pulse
    amp180: wide
q1:
  element_type: {path: a.BasicTransmonElement}
  rxy: *pulse
`
    expect(problemsOf(text)).toEqual([
      'line 4, column 13: q0.rxy.amp180: expected a number from -10 to 10, got "wide"',
      'line 4, column 13: q1.rxy.amp180: expected a number from -10 to 10, got "wide"',
    ])
  })

  test('is distinguished from other files by its elements', () => {
    expect(isDeviceFile({ q0: { element_type: 1 } })).toBe(true)
    expect(isDeviceFile({ gates: [] })).toBe(false)
    expect(isDeviceFile({})).toBe(false)
  })
})
