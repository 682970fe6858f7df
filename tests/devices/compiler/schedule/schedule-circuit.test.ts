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

function compiled(statements: string, point: 'measure' | 'measure_2state' = 'measure', text = FILE) {
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const program = parseProgram(`OPENQASM 3.0; include "stdgates.inc"; ${statements}`)
  const circuit = compileCircuit(
    'scheduler_b',
    lowerProgram(program, []),
    calibratedChipOf(file.chip),
    point,
    0,
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
  test('plays gates of different qubits in parallel, and reads all qubits together at the end', () => {
    const circuit = compiled(`${REGISTER} x q[0]; x q[1]; cz q[0], q[1]; x q[2]; c = measure q;`)
    expect(timesOf(circuit).sort()).toEqual(
      [
        ...['q0:mw 0', 'q1:mw 0', 'q2:mw 0', 'q0_q1:fl 20'],
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
    expect(timesOf(circuit)).toEqual(['q0:mw 0', 'q1:mw 27', 'q2:mw 0'])
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
    for (const text of ['bit d = 1;', 'bit d; d = c[0];'])
      expect(() => compiled(`${REGISTER} c[0] = measure q[0]; ${text}`)).toThrow(
        'nor result bits that the program',
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
