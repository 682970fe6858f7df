import { describe, expect, test } from 'bun:test'
import { readNoise } from '../../../src/devices/noise/read-noise.ts'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'
import { withNoise } from '../../../src/simulator/noise/noise-model.ts'

const QUBITS = [0, 1, 2].map(
  (index) => `q${index}:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q${index}]}
  rxy: {amp180: 0.5, duration: ${20 + index}.0e-9}
  coherence: {t1: ${40 + index}.0e-6, t2_echo: 50.0e-6}
`,
)
const EDGES = [0, 1].map(
  (at) => `q${at}_q${at + 1}:
  element_type: {path: svc.elements.FluxTunableCoupler, kwargs: {parent_element_name: q${at}, child_element_name: q${at + 1}}}
  cz: {square_amp: 0.3, square_duration: ${300 + at}.0e-9}
`,
)
const DEVICE_FILE = [...QUBITS, ...EDGES].join('')
const NOISE_FILE = JSON.stringify({
  gates: ['x', 'p', 'cx', 'cz', 'cp', 'ccx', 'ccp', 'u3', 'cswap'].map((gate, at) => ({
    gate,
    errors: [{ depolarizing: 0.01 * (at + 1) }],
  })),
})

/** Programs of each line are the same unitary on the same qubits. */
const SAME = {
  'a change of the frame': [
    'z q[0];',
    'p(pi) q[0];',
    'u1(pi) q[0];',
    'ctrl @ gphase(pi) q[0];',
    'U(0, 0, pi) q[0];',
  ],
  'a half turn': ['x q[0];', 'rx(pi) q[0];', 'U(pi, 0, pi) q[0];', 'u3(pi, 0, pi) q[0];', 'inv @ x q[0];'],
  'a controlled phase': [
    ...['cz q[0], q[1];', 'ctrl @ z q[0], q[1];', 'ctrl @ p(pi) q[0], q[1];', 'cp(pi) q[0], q[1];'],
    ...['ctrl(2) @ gphase(pi) q[0], q[1];', 'cu1(pi) q[0], q[1];', 'ctrl @ phase(pi) q[0], q[1];'],
  ],
  'a controlled rotation about z': ['crz(1) q[0], q[1];', 'ctrl @ rz(1) q[0], q[1];'],
  'a controlled half turn': [
    'cx q[0], q[1];',
    'CX q[0], q[1];',
    'ctrl @ x q[0], q[1];',
    'ctrl @ U(pi, 0, pi) q[0], q[1];',
  ],
  'two controls': ['ccx q[0], q[1], q[2];', 'ctrl @ cx q[0], q[1], q[2];', 'ctrl(2) @ x q[0], q[1], q[2];'],
  'two controls of a phase': [
    ...[
      'ctrl(3) @ gphase(1) q[0], q[1], q[2];',
      'ctrl(2) @ p(1) q[0], q[1], q[2];',
      'ctrl @ cp(1) q[0], q[1], q[2];',
    ],
  ],
} as const

const read = (text: string) => {
  const noise = readNoise({ name: 'noise', text })
  if ('problems' in noise) throw new Error(noise.problems.join('\n'))
  return noise.model
}

/** The channels that a statement causes, as text. */
function channelsOf(text: string, statement: string) {
  const program = `OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; ${statement}`
  const steps = withNoise(lowerProgram(parseProgram(program), []).ops ?? [], read(text))
  return steps.flatMap((step) =>
    step.kind === 'channel'
      ? [{ qubits: step.qubits, kraus: step.channel.kraus.map((each) => [...each]) }]
      : [],
  )
}

describe('all spellings of a gate have the same noise on the same qubits', () => {
  test.each(Object.entries(SAME))('%s, of a device file', (_, [first, ...others]) => {
    const expected = channelsOf(DEVICE_FILE, first)
    expect(expected.length > 0).toBe(!first.startsWith('z '))
    for (const other of others)
      expect({ other, channels: channelsOf(DEVICE_FILE, other) }).toEqual({ other, channels: expected })
  })

  test.each([
    ['cx', ['ctrl @ x q[0], q[1];', 'CX q[0], q[1];', 'negctrl @ x q[0], q[1];']],
    ['cz', ['ctrl @ z q[0], q[1];']],
    ['cp(1)', ['ctrl @ p(1) q[0], q[1];', 'ctrl @ u1(1) q[0], q[1];', 'ctrl(2) @ gphase(1) q[0], q[1];']],
    ['ccx', ['ctrl @ cx q[0], q[1], q[2];', 'ctrl(2) @ x q[0], q[1], q[2];']],
    ['p(1)', ['ctrl @ gphase(1) q[0];', 'u1(1) q[0];']],
    ['cswap', ['ctrl @ swap q[0], q[1], q[2];']],
  ])('%s, of a noise file', (gate, others) => {
    const operands = ['q[0];', 'q[0], q[1];', 'q[0], q[1], q[2];'][
      gate.startsWith('cc') || gate === 'cswap' ? 2 : gate.startsWith('c') ? 1 : 0
    ]
    const expected = channelsOf(NOISE_FILE, `${gate} ${operands}`)
    expect(expected.length).toBeGreaterThan(0)
    for (const other of others)
      expect({ other, channels: channelsOf(NOISE_FILE, other) }).toEqual({ other, channels: expected })
  })

  test('waits of gates relax for their length', () => {
    const wait = (statement: string) => channelsOf(DEVICE_FILE, statement)
    expect(wait('id q[1];')).toEqual(wait('x q[1];'))
    expect(wait('u0(3) q[1];')).toEqual(wait('delay[63ns] q[1];'))
  })
})
