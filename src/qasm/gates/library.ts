import type { PhaseOp, UnitaryOp } from '../circuit.ts'
import { fixed, matrixGate, oneAngle, sequence, tableOf, threeAngles } from './define-gate.ts'
import {
  identity,
  matrixOf,
  phaseMatrix,
  rotation,
  rxMatrix,
  rxxMatrix,
  ryMatrix,
  rzMatrix,
  rzzMatrix,
  withPhase,
} from './matrix.ts'
import type { NativeGate } from './native-gate.ts'

const R = Math.SQRT1_2
const X = matrixOf(0, 0, 1, 0, 1, 0, 0, 0)
const Y = matrixOf(0, 0, 0, -1, 0, 1, 0, 0)
const Z = matrixOf(1, 0, 0, 0, 0, 0, -1, 0)
const H = matrixOf(R, 0, R, 0, R, 0, -R, 0)
const S = matrixOf(1, 0, 0, 0, 0, 0, 0, 1)
const SDG = matrixOf(1, 0, 0, 0, 0, 0, 0, -1)
const T = matrixOf(1, 0, 0, 0, 0, 0, R, R)
const TDG = matrixOf(1, 0, 0, 0, 0, 0, R, -R)
const SX = matrixOf(0.5, 0.5, 0.5, -0.5, 0.5, -0.5, 0.5, 0.5)
const SXDG = matrixOf(0.5, -0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -0.5)
const SWAP = matrixOf(
  ...[1, 0, 0, 0, 0, 0, 0, 0],
  ...[0, 0, 0, 0, 1, 0, 0, 0],
  ...[0, 0, 1, 0, 0, 0, 0, 0],
  ...[0, 0, 0, 0, 0, 0, 1, 0],
)
const ID = identity(2)

/** A wait of `times` gates, which does nothing else. */
function wait(name: string, parameters: number, times: (angles: readonly number[]) => number): NativeGate {
  return {
    kind: 'native',
    name,
    parameters,
    qubits: 1,
    build(angles, [qubit = 0], emit) {
      const waits = times(angles)
      emit({ kind: 'unitary', targets: [qubit], controls: [], controlValues: 0, matrix: ID, name, waits })
    },
  }
}

const x = fixed('x', 0, X)
const h = fixed('h', 0, H)
const t = fixed('t', 0, T)
const tdg = fixed('tdg', 0, TDG)
const cx = fixed('cx', 1, X)

const cu = matrixGate('cu', 4, 1, 1, ([theta = 0, phi = 0, lambda = 0, gamma = 0]) =>
  withPhase(gamma, rotation(theta, phi, lambda)),
)

/** What the files of OpenQASM 3 add to `u2` and `u3`, to give them determinant 1. */
const BALANCE = 'e^{-i(φ+λ)/2}'

/** Gates that both libraries define with the same matrix. */
const common: readonly NativeGate[] = [
  x,
  fixed('y', 0, Y),
  fixed('z', 0, Z),
  h,
  fixed('s', 0, S),
  fixed('sdg', 0, SDG),
  t,
  tdg,
  fixed('sx', 0, SX),
  wait('id', 0, () => 1),
  oneAngle('p', 0, phaseMatrix),
  oneAngle('u1', 0, phaseMatrix),
  {
    ...matrixGate('u2', 2, 0, 1, ([phi = 0, lambda = 0]) => rotation(Math.PI / 2, phi, lambda)),
    omitted: { factor: BALANCE, angle: ([phi = 0, lambda = 0]) => -(phi + lambda) / 2 },
  },
  {
    ...threeAngles('u3', 0, rotation),
    omitted: { factor: BALANCE, angle: ([_, phi = 0, lambda = 0]) => -(phi + lambda) / 2 },
  },
  oneAngle('rx', 0, rxMatrix),
  oneAngle('ry', 0, ryMatrix),
  cx,
  fixed('cy', 1, Y),
  fixed('cz', 1, Z),
  fixed('ch', 1, H),
  oneAngle('cp', 1, phaseMatrix),
  oneAngle('crx', 1, rxMatrix),
  oneAngle('cry', 1, ryMatrix),
  oneAngle('crz', 1, rzMatrix),
  fixed('swap', 0, SWAP),
  fixed('ccx', 2, X),
  fixed('cswap', 1, SWAP),
  cu,
]

/** The gates of `stdgates.inc`, OpenQASM 3, with the phases of that file where a gate omits none. */
export const STDGATES: ReadonlyMap<string, NativeGate> = tableOf([
  ...common,
  oneAngle('rz', 0, rzMatrix),
  fixed('CX', 1, X),
  oneAngle('phase', 0, phaseMatrix),
  oneAngle('cphase', 1, phaseMatrix),
])

/** The relative-phase Toffoli gate of qelib1: the first half is mirrored by the second. */
const rccx = sequence('rccx', 3, [
  [h, 2],
  [t, 2],
  [cx, 1, 2],
  [tdg, 2],
  [cx, 0, 2],
  [t, 2],
  [cx, 1, 2],
  [tdg, 2],
  [h, 2],
])

/** The relative-phase gate with three controls of qelib1. */
const rc3x = sequence('rc3x', 4, [
  [h, 3],
  [t, 3],
  [cx, 2, 3],
  [tdg, 3],
  [h, 3],
  [cx, 0, 3],
  [t, 3],
  [cx, 1, 3],
  [tdg, 3],
  [cx, 0, 3],
  [t, 3],
  [cx, 1, 3],
  [tdg, 3],
  [h, 3],
  [t, 3],
  [cx, 2, 3],
  [tdg, 3],
  [h, 3],
])

/**
 * The gates of `qelib1.inc`, OpenQASM 2. Global phases are not observable there; rz is u1 as in that file.
 */
export const QELIB1: ReadonlyMap<string, NativeGate> = tableOf([
  ...common,
  wait('u0', 1, ([times = 0]) => times),
  threeAngles('u', 0, rotation),
  oneAngle('rz', 0, phaseMatrix),
  fixed('sxdg', 0, SXDG),
  oneAngle('cu1', 1, phaseMatrix),
  threeAngles('cu3', 1, rotation),
  fixed('csx', 1, SX),
  oneAngle('rzz', 0, rzzMatrix),
  oneAngle('rxx', 0, rxxMatrix),
  rccx,
  rc3x,
  fixed('c3x', 3, X),
  fixed('c3sqrtx', 3, SX),
  fixed('c4x', 4, X),
])

/** `gphase`. */
export const GLOBAL_PHASE: NativeGate = {
  kind: 'native',
  name: 'gphase',
  parameters: 1,
  qubits: 0,
  build([angle = 0], _, emit) {
    emit({ kind: 'phase', controls: [], controlValues: 0, angle })
  },
}

/** Gates that need no library. */
export const BUILTIN_GATES: Readonly<Record<2 | 3, ReadonlyMap<string, NativeGate>>> = {
  2: tableOf([threeAngles('U', 0, rotation), fixed('CX', 1, X)]),
  3: tableOf([
    {
      ...threeAngles('U', 0, rotation),
      omitted: { factor: 'e^{iθ/2}', angle: ([theta = 0]) => theta / 2 },
    },
    GLOBAL_PHASE,
  ]),
}

/** Names of the same gate in programs of the two versions and their libraries. */
const SPELLINGS = [
  ['cx', 'CX'],
  ['u3', 'u', 'U'],
  ['p', 'phase', 'u1'],
  ['cp', 'cphase', 'cu1'],
  ['cu3', 'cu', 'cU'],
  ['c3x', 'cccx'],
  ['c4x', 'ccccx', 'cc3x'],
]

/** All names that programs have for this gate, with any number of controls. */
export function spellingsOf(name: string): readonly string[] {
  const found = SPELLINGS.find((names) => names.includes(name))
  if (found || !name.startsWith('c')) return found ?? [name]
  return spellingsOf(name.slice(1)).map((each) => `c${each}`)
}

/** Number of qubits of a gate of a standard library; undefined for another name. */
export function standardGateWidth(name: string): number | undefined {
  return (STDGATES.get(name) ?? QELIB1.get(name) ?? BUILTIN_GATES[2].get(name))?.qubits
}

/** The name of a step with the controls of its modifiers: `ctrl @ z` is `cz`, a controlled phase `cp`. */
export function gateNameOf(op: UnitaryOp | PhaseOp): string {
  const name = op.kind === 'phase' ? 'p' : op.name
  const qubits = op.controls.length + (op.kind === 'phase' ? 0 : op.targets.length)
  const own = standardGateWidth(name) ?? qubits
  return 'c'.repeat(Math.max(0, qubits - own)) + name
}
