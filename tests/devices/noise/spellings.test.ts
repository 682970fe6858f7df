import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readNoise } from '../../../src/devices/noise/read-noise.ts'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'
import { createRng } from '../../../src/simulator/index.ts'
import { withNoise } from '../../../src/simulator/noise/noise-model.ts'
import { part } from '../../support/whole.ts'

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

/** Gates without modifiers: their names, those with a control or two, and how the inverse is written. */
const BASES = [
  { names: ['x'], controlled: ['cx', 'CX'], twice: ['ccx'], qubits: 1, angles: 0, inverse: () => [] },
  { names: ['h'], controlled: ['ch'], twice: [], qubits: 1, angles: 0, inverse: () => [] },
  {
    ...{ names: ['p', 'u1', 'phase'], controlled: ['cp', 'cu1', 'cphase'], twice: [] },
    ...{ qubits: 1, angles: 1, inverse: ([a = 0]: number[]) => [-a] },
  },
  {
    ...{ names: ['u3'], controlled: [], twice: [], qubits: 1, angles: 3 },
    inverse: ([a = 0, b = 0, c = 0]: number[]) => [-a, -c, -b],
  },
  { names: ['swap'], controlled: ['cswap'], twice: [], qubits: 2, angles: 0, inverse: () => [] },
]

const drawn = fc.record({
  base: fc.constantFrom(...BASES),
  controls: fc.nat(2),
  angles: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 3, maxLength: 3 }),
  order: fc.shuffledSubarray([0, 1, 2], { minLength: 3, maxLength: 3 }),
})
type Drawn = typeof drawn extends fc.Arbitrary<infer D> ? D : never

/** One of the ways to write a gate: modifiers in any order, names of controlled gates, gates of one's own. */
function spell({ base, controls: drawn, angles, order }: Drawn, random: () => number): string {
  const controls = Math.min(drawn, order.length - base.qubits)
  const pick = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)]
  const named = [base.names, base.controlled, base.twice].slice(0, controls + 1)
  const own = pick(named.flatMap((names, taken) => names.map((name) => ({ name, taken }))))
  const { name = '', taken = 0 } = own ?? {}
  const modifiers: string[] = []
  for (let left = controls - taken; left > 0; ) {
    const now = 1 + Math.floor(random() * left)
    modifiers.push(now === 1 && random() < 0.5 ? 'ctrl @' : `ctrl(${now}) @`)
    left -= now
  }
  const insert = (text: string) => modifiers.splice(Math.floor(random() * (modifiers.length + 1)), 0, text)
  const inversions = Math.floor(random() * 3)
  for (let at = 0; at < inversions; at += 1) insert(random() < 0.5 ? 'inv @' : 'pow(-1) @')
  if (random() < 0.3) insert('pow(1) @')
  const values = angles.slice(0, base.angles).map((angle) => angle / 10)
  const shown = inversions % 2 === 1 ? base.inverse(values) : values
  const gate = `${name}${shown.length > 0 ? `(${shown.join(', ')})` : ''}`
  const operands = order.slice(0, base.qubits + controls).map((qubit) => `q[${qubit}]`)
  if (random() < 0.5) return `${modifiers.join(' ')} ${gate} ${operands.join(', ')};`
  // The last modifiers belong to a gate of one's own, the others to its call.
  const inner = modifiers.splice(Math.floor(random() * (modifiers.length + 1)))
  const outside = modifiers.reduce(
    (sum, text) => sum + Number(/ctrl(?:\((\d)\))?/.exec(text)?.[1] ?? /ctrl/.test(text)),
    0,
  )
  const names = operands
    .slice(outside)
    .map((_, at) => `a${at}`)
    .join(', ')
  return `gate own ${names} { ${inner.join(' ')} ${gate} ${names}; } ${modifiers.join(' ')} own ${operands.join(', ')};`
}

test('any two spellings of a gate have the same noise', () => {
  const isSame = fc.property(drawn, fc.nat(), (gate, seed) => {
    const random = createRng(seed)
    const [one, other] = [spell(gate, () => random.next()), spell(gate, () => random.next())]
    for (const text of [DEVICE_FILE, NOISE_FILE])
      expect({ one, other, channels: channelsOf(text, other) }).toEqual({
        one,
        other,
        channels: channelsOf(text, one),
      })
  })
  fc.assert(isSame, { numRuns: part(3_000, 100), endOnFailure: true, includeErrorInReport: true })
})
