import { describe, expect, test } from 'bun:test'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { compileCircuit } from '../../../../src/devices/compiler/compile.ts'
import { calibratedChipOf } from '../../../../src/devices/compiler/schedule/calibrated-chip.ts'
import { checkProgram } from '../../../../src/devices/pulse/check-program.ts'
import { lowerProgram, parseProgram } from '../../../../src/qasm/index.ts'

const QUBITS = ['q0', 'q1', 'q2', 'q3'].map(
  (name, index) => `${name}:
  element_type: {path: svc.elements.CalibratedTransmon, args: [${name}]}
  reset: {duration: ${200 + index}.0e-6}
  rxy: {${name === 'q3' ? '' : 'amp180: 0.5, '}duration: 20.0e-9}
  measure: {pulse_amp: 0.2, pulse_duration: 1.0e-6, acq_delay: 200.0e-9, integration_time: 900.0e-9}
  measure_2state: {frequency: 6.${index}1e+9, pulse_amp: 0.1, acq_rotation: 30.0, acq_threshold: 0.01}
  clock_freqs: {f01: 4.${index}e+9, readout: 6.${index}e+9}
`,
)
const EDGES = ['q0_q1', 'q1_q2', 'q2_q3'].map((name) => {
  const [parent, child] = name.split('_')
  return `${name}:
  element_type: {path: svc.elements.CompositeSquareEdge, kwargs: {parent_element_name: ${parent}, child_element_name: ${child}}}
  cz: {square_amp: 0.3, square_duration: 40.0e-9}
`
})
const FILE = [...QUBITS, ...EDGES].join('')

function compiled(
  statements: string,
  point: 'measure' | 'measure_2state' = 'measure',
  text = FILE,
  decoupling?: 'XX' | 'XY4',
) {
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const program = parseProgram(`OPENQASM 3.0; include "stdgates.inc"; ${statements}`)
  const circuit = compileCircuit(
    'scheduler_b',
    lowerProgram(program, []),
    calibratedChipOf(file.chip),
    point,
    { level: 0, decoupling },
  )
  checkProgram({ kind: 'shots', shots: 10, reset_ns: circuit.resetNs, points: [circuit.schedule] })
  return circuit
}

const REGISTER = 'qubit[3] q; bit[3] c;'

/** Start and port of each pulse and acquisition. */
function timesOf({ schedule }: ReturnType<typeof compiled>): string[] {
  return [
    ...schedule.pulses.map(({ at, port }) => `${port} ${at}`),
    ...schedule.acquisitions.map(({ at, qubit }) => `read ${qubit} ${at}`),
  ]
}

describe('scheduleCircuit()', () => {
  test('plays each gate as late as those after it allow, and reads all qubits together at the end', () => {
    const circuit = compiled(`${REGISTER} x q[0]; x q[1]; cz q[0], q[1]; x q[2]; c = measure q;`)
    expect(timesOf(circuit).sort()).toEqual(
      [
        ...['q0:mw 0', 'q1:mw 0', 'q2:mw 40', 'q0_q1:fl 20'],
        ...['q0:res 60', 'q1:res 60', 'q2:res 60', 'read q0 260', 'read q1 260', 'read q2 260'],
      ].sort(),
    )
    expect(circuit.readings).toEqual([0, 1, 2].map((clbit) => ({ qubit: `q${clbit}`, clbit })))
    expect(circuit.gates).toEqual({ cz: 1, pulses: 3 })
  })

  test('waits for the slowest reset of the qubits that are used', () => {
    expect(compiled(`${REGISTER} x q[1]; c[1] = measure q[1];`).resetNs).toBe(201_000)
  })

  test('keeps barriers and delays', () => {
    const circuit = compiled(`${REGISTER} x q[0]; delay[7ns] q[0]; barrier q[0], q[1]; x q[1]; x q[2];`)
    expect(timesOf(circuit)).toEqual(['q0:mw 0', 'q1:mw 27', 'q2:mw 27'])
  })

  test('measures within a circuit where the qubit is, and resets by waiting', () => {
    const circuit = compiled(
      `${REGISTER} x q[0]; c[0] = measure q[0]; reset q[0]; x q[0]; c[1] = measure q[0];`,
    )
    // 20 ns, then the window until 1120 ns, then the wait of 200 µs.
    expect(timesOf(circuit)).toEqual([
      ...['q0:mw 0', 'q0:res 20', 'q0:mw 201120', 'q0:res 201140'],
      ...['read q0 220', 'read q0 201340'],
    ])
    expect(circuit.readings.map(({ clbit }) => clbit)).toEqual([0, 1])
  })

  test('does not wait for a reset at the start, which every shot has', () => {
    expect(compiled(`${REGISTER} reset q; x q[0];`).schedule.duration).toBe(20)
  })

  test('reads where two states are separated best when asked to', () => {
    const [first] = compiled(`${REGISTER} c[0] = measure q[0];`, 'measure_2state').schedule.pulses
    expect(first).toMatchObject({ frequency: 6.01e9, amplitude: 0.1 })
    const [other] = compiled(`${REGISTER} c[0] = measure q[0];`).schedule.pulses
    expect(other).toMatchObject({ frequency: 6e9, amplitude: 0.2 })
    const unfinished = FILE.replaceAll(', acq_threshold: 0.01', '')
    const [third] = compiled(`${REGISTER} c[0] = measure q[0];`, 'measure_2state', unfinished).schedule.pulses
    expect(third).toMatchObject({ frequency: 6e9, amplitude: 0.2 })
  })

  test('follows a qubit that routing has moved', () => {
    const { routing, readings } = compiled(
      `${REGISTER} cx q[0], q[1]; cx q[1], q[2]; cx q[0], q[2]; c = measure q;`,
    )
    expect(routing).toMatchObject({ method: 'sabre', swaps: 1 })
    for (const { qubit, clbit } of readings) expect(routing.final[clbit]).toBe(qubit)
  })

  test.each([
    ['100ns', 100],
    ['3 * 0.1us - 200ns', 100],
    ['1us / 3 * 3 / 10', 100],
    ['100.5ns - 1.5e-20s', 100],
    ['100.5ns', 101],
    ['100.49999999999999999999ns', 100],
    ['1us / 3', 333],
    ['0.4ns', 0],
  ])('rounds the delay %s once, to %i ns', (delay, ns) => {
    const start = (text: string) => compiled(`${REGISTER} ${text} x q[0];`).schedule.pulses[0]?.at ?? -1
    expect(start(`delay[${delay}] q[0];`) - start('')).toBe(ns)
  })

  test('names delays that were rounded', () => {
    const { warnings } = compiled(`${REGISTER} delay[1us/3] q[0]; delay[1us/3] q[1]; delay[3 * 0.1us] q[0];`)
    expect(warnings).toEqual([
      'A delay of 333.333333 ns lasts 333 ns: the clock of the instruments has a period of 1 ns',
    ])
    const many = Array.from({ length: 99 }, (_, at) => `delay[${at}.5ns] q[0];`).join('')
    expect(compiled(`${REGISTER} ${many}`).warnings).toHaveLength(20)
  })

  test('places $1 on the second qubit of the chip', () => {
    const { readings, routing } = compiled('bit c; x $1; c = measure $1;')
    expect(readings).toEqual([{ qubit: 'q1', clbit: 0 }])
    expect(routing.initial).toEqual([null, 'q1'])
  })

  test('refuses classical control and a qubit that is not calibrated', () => {
    expect(() => compiled(`${REGISTER} c[0] = measure q[0]; if (c[0] == 1) x q[1];`)).toThrow(
      'classically controlled gates are not supported by scheduler_b',
    )
    expect(() => compiled('x $3;')).toThrow(
      'q3 is not calibrated and cannot be played: rxy.amp180 is not set in the device configuration',
    )
  })

  test('names the value of the device file that makes a pulse beyond full scale', () => {
    const strong = FILE.replace('amp180: 0.5', 'amp180: 1.5').replace('square_amp: 0.3', 'square_amp: 2')
    const of = (statement: string) => () => compiled(statement, 'measure', strong)
    expect(of('x $0;')).toThrow(
      'q0.rxy.amp180 in the device configuration makes a pulse of 1.5 of full scale',
    )
    expect(of('cz $0, $1;')).toThrow('q0_q1.cz.square_amp in the device configuration makes a pulse of 2')
    expect(of('x $1;')).not.toThrow()
  })

  test('does not use a tunable coupler whose gate has no frequency', () => {
    const text = FILE.replace('CompositeSquareEdge', 'FluxTunableCoupler')
    expect(() => compiled('cz $0, $1;', 'measure', text)).toThrow('$0 and $1 are not coupled')
  })
})

describe('dynamical decoupling', () => {
  const file = FILE.replace('rxy: {duration', 'rxy: {amp180: 0.5, duration')
  /** `qubit start axis` of each half turn that is no gate of the circuit, in eighths of a turn. */
  const inserted = (statements: string, sequence: 'XX' | 'XY4') => {
    const [plain, circuit] = [undefined, sequence].map((each) => compiled(statements, 'measure', file, each))
    if (!plain || !circuit) throw new Error('nothing was compiled')
    expect(circuit.schedule.acquisitions).toEqual(plain.schedule.acquisitions)
    expect(circuit.schedule.duration).toBe(plain.schedule.duration)
    const known = new Set(plain.schedule.pulses.map(({ at, port }) => `${port} ${at}`))
    const added = circuit.schedule.pulses.filter(({ at, port }) => !known.has(`${port} ${at}`))
    expect(circuit.schedule.pulses.length).toBe(plain.schedule.pulses.length + added.length)
    expect(circuit.gates).toEqual({ ...plain.gates, pulses: plain.gates.pulses + added.length })
    expect(added.every(({ amplitude, duration }) => amplitude === 0.5 && duration === 20)).toBe(true)
    const pulses = added.map(({ port, at, phase }) => `${port.split(':')[0]} ${at} ${(phase * 4) / Math.PI}`)
    return { pulses, found: circuit.decoupling }
  }

  test('fills a delay with evenly spaced pulses, whatever the frame of the qubit', () => {
    const delay = `${REGISTER} sx q[0]; rz(1) q[0]; delay[400ns] q[0]; sx q[0]; c[0] = measure q[0];`
    // 20 + (360 / 4), then half of the rest in the middle.
    expect(inserted(delay, 'XX')).toEqual({
      pulses: ['q0 110 0', 'q0 310 0'],
      found: { sequence: 'XX', windows: 1, pulses: 2 },
    })
    expect(inserted(delay, 'XY4').pulses).toEqual(['q0 60 0', 'q0 160 2', 'q0 260 0', 'q0 360 2'])
  })

  test('leaves short waits, qubits in their first state, resets and what nothing follows alone', () => {
    const none = { pulses: [], found: { sequence: 'XX' as const, windows: 0, pulses: 0 } }
    for (const statements of [
      'sx q[0]; delay[79ns] q[0]; sx q[0];',
      'delay[1us] q[0]; sx q[0];',
      'sx q[0]; reset q[0]; delay[1us] q[0]; sx q[0];',
      'sx q[0]; delay[1us] q[0];',
    ])
      expect(inserted(`${REGISTER} ${statements}`, 'XX')).toEqual(none)
    expect(inserted(`${REGISTER} sx q[0]; delay[80ns] q[0]; sx q[0];`, 'XX').pulses).toEqual([
      'q0 30 0',
      'q0 70 0',
    ])
  })

  test('no sequence lies across a barrier', () => {
    const delays = (between: string) =>
      `${REGISTER} sx q[0]; delay[100ns] q[0]; ${between} delay[100ns] q[0]; sx q[0];`
    expect(inserted(delays(''), 'XX').pulses).toEqual(['q0 60 0', 'q0 160 0'])
    expect(inserted(delays('barrier q[0];'), 'XX').pulses).toEqual([
      'q0 35 0',
      'q0 85 0',
      'q0 135 0',
      'q0 185 0',
    ])
    expect(inserted(delays('barrier q[0];'), 'XY4').pulses).toEqual([])
  })

  test('a wait ends where a neighbor plays a gate with another qubit, not where a stranger does', () => {
    const chain = 'qubit[4] q; bit[4] c; sx q[0]; cz q[0], q[1];'
    // q0 waits from 60 on for the barrier; q1 plays with q2 from 260 to 300.
    const beside = inserted(
      `${chain} delay[200ns] q[1]; cz q[1], q[2]; delay[300ns] q[1]; barrier q; x q[0];`,
      'XX',
    )
    expect(beside.pulses.filter((each) => each.startsWith('q0'))).toEqual([
      ...['q0 100 0', 'q0 200 0', 'q0 365 0', 'q0 515 0'],
    ])
    const apart = inserted(
      `${chain} delay[200ns] q[2]; cz q[2], q[3]; delay[300ns] q[2]; delay[540ns] q[1]; barrier q; x q[0];`,
      'XX',
    )
    expect(apart.pulses.filter((each) => each.startsWith('q0'))).toHaveLength(2)
  })
})
