import { fixed, matrixGate, oneAngle, sequence, tableOf } from './define-gate.ts'
import { GLOBAL_PHASE, QELIB1, STDGATES } from './library.ts'
import {
  adjoint,
  type Matrix,
  matrixOf,
  multiply,
  phaseMatrix,
  rotation,
  rzMatrix,
  withPhase,
} from './matrix.ts'
import type { NativeGate } from './native-gate.ts'
import { exchange, pairMatrix, pairRotation, phaseOn, unit } from './pair-matrix.ts'

const R = Math.SQRT1_2
const X = matrixOf(0, 0, 1, 0, 1, 0, 0, 0)
const Z = matrixOf(1, 0, 0, 0, 0, 0, -1, 0)
const SX = matrixOf(0.5, 0.5, 0.5, -0.5, 0.5, -0.5, 0.5, 0.5)

/** A rotation by theta about the axis of the equator at the angle phi. */
const equator = ([theta = 0, phi = 0]: readonly number[]) =>
  rotation(theta, phi - Math.PI / 2, Math.PI / 2 - phi)

const cx = fixed('cx', 1, X)
/** Gates of `hqslib1.inc` that other tools write as well. */
const ION_GATES = [
  matrixGate('U1q', 2, 0, 1, equator),
  fixed('cs', 1, phaseMatrix(Math.PI / 2)),
  fixed('csdg', 1, phaseMatrix(-Math.PI / 2)),
]

/** Gates outside of the standard libraries: all tools that write one of these names mean the same gate. */
const SHARED = tableOf([
  matrixGate('r', 2, 0, 1, equator),
  matrixGate('prx', 2, 0, 1, equator),
  ...ION_GATES,
  fixed('csxdg', 1, adjoint(SX)),
  fixed('ccz', 2, Z),
  oneAngle('rxx', 0, (theta) => pairRotation('xx', theta)),
  oneAngle('ryy', 0, (theta) => pairRotation('yy', theta)),
  oneAngle('rzz', 0, (theta) => pairRotation('zz', theta)),
  oneAngle('rzx', 0, (theta) => pairRotation('zx', theta)),
  fixed('iswap', 0, exchange([0, 0], [0, 1], [1, 0])),
  sequence('dcx', 2, [
    [cx, 0, 1],
    [cx, 1, 0],
  ]),
  fixed(
    'ecr',
    0,
    pairMatrix(
      [0, 1, [R, 0]],
      [0, 3, [0, R]],
      [1, 0, [R, 0]],
      [1, 2, [0, -R]],
      [2, 1, [0, R]],
      [2, 3, [R, 0]],
      [3, 0, [0, -R]],
      [3, 2, [R, 0]],
    ),
  ),
  // Qibo and Braket
  oneAngle('gpi', 0, (phi) => multiply(multiply(rzMatrix(phi), X), rzMatrix(-phi))),
  oneAngle('gpi2', 0, (phi) => equator([Math.PI / 2, phi])),
  matrixGate('ms', 3, 0, 2, ([first = 0, second = 0, theta = 0]) => ionPair(first, second, theta)),
  fixed('fswap', 0, exchange([0, 0], [1, 0], [-1, 0])),
  // bqskit
  matrixGate('pxz', 3, 0, 1, ([x = 0, z = 0, axis = 0]) =>
    withPhase((Math.PI * x) / 2, rotation(Math.PI * x, Math.PI * (z + axis - 0.5), Math.PI * (0.5 - axis))),
  ),
  fixed('st', 0, phaseMatrix(Math.PI / 8)),
  fixed('ct', 1, phaseMatrix(Math.PI / 4)),
  oneAngle('ccp', 2, phaseMatrix),
  fixed('iccx', 2, matrixOf(0, 0, 0, 1, 0, 1, 0, 0)),
  fixed('sqisw', 0, exchange([R, 0], [0, R], [1, 0])),
  fixed('syc', 0, exchange([0, 0], [0, -1], unit(-Math.PI / 6))),
  matrixGate('fsim', 2, 0, 2, ([theta = 0, phi = 0]) =>
    exchange([Math.cos(theta), 0], [0, -Math.sin(theta)], unit(-phi)),
  ),
  fixed('b', 0, multiply(pairRotation('xx', -Math.PI / 2), pairRotation('yy', -Math.PI / 4))),
])

/** exp(-i (x XX + y YY + z ZZ) / 2); the three parts commute. */
function threePairs([x = 0, y = 0, z = 0]: readonly number[]): Matrix {
  return multiply(multiply(pairRotation('xx', x), pairRotation('yy', y)), pairRotation('zz', z))
}

/** The Mølmer-Sørensen gate with the phases of both ions. */
function ionPair(first: number, second: number, theta: number): Matrix {
  const cos = Math.cos(theta / 2)
  const sin = Math.sin(theta / 2)
  /** -i e^{i phase} sin(theta / 2) */
  const turned = (phase: number) => [sin * Math.sin(phase), -sin * Math.cos(phase)] as const
  return pairMatrix(
    ...[0, 1, 2, 3].map((state) => [state, state, [cos, 0]] as const),
    [0, 3, turned(-first - second)],
    [1, 2, turned(first - second)],
    [2, 1, turned(second - first)],
    [3, 0, turned(first + second)],
  )
}

/** What Amazon Braket, whose programs include no library, calls gates of the standard libraries. */
const BRAKET_NAMES: ReadonlyMap<string, string> = new Map([
  ['i', 'id'],
  ['si', 'sdg'],
  ['ti', 'tdg'],
  ['v', 'sx'],
  ['vi', 'sxdg'],
  ['cv', 'csx'],
  ['cnot', 'cx'],
  ['ccnot', 'ccx'],
  ['phaseshift', 'p'],
  ['cphaseshift', 'cp'],
])

/** Names of standard gates that no program of OpenQASM has. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ...BRAKET_NAMES,
  ['not', 'x'],
  ['hadamard', 'h'],
  ['toffoli', 'ccx'],
  ['fredkin', 'cswap'],
  ['phase', 'p'],
])

/** The other gates of Braket. */
const BRAKET = tableOf([
  oneAngle('cphaseshift00', 0, (angle) => phaseOn(0, angle)),
  // The first qubit is bit 0.
  oneAngle('cphaseshift01', 0, (angle) => phaseOn(2, angle)),
  oneAngle('cphaseshift10', 0, (angle) => phaseOn(1, angle)),
  oneAngle('pswap', 0, (angle) => exchange([0, 0], unit(angle), [1, 0])),
  oneAngle('xx', 0, (angle) => pairRotation('xx', angle)),
  oneAngle('xy', 0, (angle) => exchange([Math.cos(angle / 2), 0], [0, Math.sin(angle / 2)], [1, 0])),
  oneAngle('yy', 0, (angle) => pairRotation('yy', angle)),
  oneAngle('zz', 0, (angle) => pairRotation('zz', angle)),
])

/** `hqslib1.inc` of pytket and Quantinuum: the gates of `qelib1.inc`, and those of trapped ions. */
const HQSLIB1: ReadonlyMap<string, NativeGate> = new Map([
  ...QELIB1,
  ...tableOf([
    oneAngle('Rz', 0, rzMatrix),
    ...ION_GATES,
    fixed('ZZ', 0, pairRotation('zz', Math.PI / 2)),
    oneAngle('RZZ', 0, (angle) => pairRotation('zz', angle)),
    matrixGate('Rxxyyzz', 3, 0, 2, threePairs),
    // The inverse of the gate of this name in qelib1.
    fixed('c3sqrtx', 3, adjoint(SX)),
  ]),
])

/** What programs can include: nothing is read from a file. */
export const LIBRARIES = {
  'stdgates.inc': STDGATES,
  'qelib1.inc': QELIB1,
  'hqslib1.inc': HQSLIB1,
} as const satisfies Record<string, ReadonlyMap<string, NativeGate>>

/** The name of a file that programs can include. */
export type Library = keyof typeof LIBRARIES

/** Gates that a program may neither define nor include; the standard library of its version comes first. */
const IMPLIED: Readonly<Record<2 | 3, readonly ReadonlyMap<string, NativeGate>[]>> = {
  2: [QELIB1, SHARED, STDGATES, tableOf([GLOBAL_PHASE])],
  3: [STDGATES, SHARED, QELIB1],
}

/**
 * The gate that a program means by a name that it neither defines nor includes; undefined if tools differ in
 * its meaning, or none writes it. Names of Braket count only in programs that include nothing.
 */
export function impliedGate(version: 2 | 3, name: string, includesLibrary: boolean): NativeGate | undefined {
  const gate = knownGate(version, name)
  if (gate || version === 2 || includesLibrary) return gate
  return BRAKET.get(name) ?? knownGate(version, BRAKET_NAMES.get(name) ?? '')
}

function knownGate(version: 2 | 3, name: string): NativeGate | undefined {
  for (const gates of IMPLIED[version]) {
    const gate = gates.get(name)
    if (gate) return gate
  }
  return undefined
}

/** The gates of the standard library of a version. */
export function standardNames(version: 2 | 3): readonly string[] {
  return [...(version === 2 ? QELIB1 : STDGATES).keys()]
}

/** The standard gate that another tool, or a textbook, calls by this name. */
export function standardNameOf(name: string): string | undefined {
  return OTHER_NAMES.get(name.toLowerCase())
}
