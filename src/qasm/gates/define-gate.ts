import type { Matrix } from './matrix.ts'
import type { NativeGate } from './native-gate.ts'

/** The controls of most gates. */
const NONE: number[] = []

/** A gate whose first qubits are controls and whose matrix on the others follows from the parameters. */
export function matrixGate(
  name: string,
  parameters: number,
  controls: number,
  targets: number,
  matrix: (angles: readonly number[]) => Matrix,
): NativeGate {
  const controlValues = 2 ** controls - 1
  return {
    kind: 'native',
    name,
    parameters,
    qubits: controls + targets,
    build(angles, qubits, emit) {
      emit({
        kind: 'unitary',
        targets: qubits.slice(controls),
        controls: controls === 0 ? NONE : qubits.slice(0, controls),
        controlValues,
        matrix: matrix(angles),
        name,
      })
    },
  }
}

/** A gate without parameters: this matrix on its last qubits, under as many controls. */
export function fixed(name: string, controls: number, matrix: Matrix): NativeGate {
  return matrixGate(name, 0, controls, matrix.length === 8 ? 1 : 2, () => matrix)
}

/** A gate of one angle, under `controls` controls. */
export function oneAngle(name: string, controls: number, matrix: (angle: number) => Matrix): NativeGate {
  const targets = matrix(0).length === 8 ? 1 : 2
  return matrixGate(name, 1, controls, targets, (angles) => matrix(angles[0] ?? 0))
}

type Angles3 = (theta: number, phi: number, lambda: number) => Matrix

/** A gate of three angles on one qubit, under `controls` controls. */
export function threeAngles(name: string, controls: number, matrix: Angles3): NativeGate {
  // Indexed access, because destructuring the list costs as much as the matrix.
  return matrixGate(name, 3, controls, 1, (angles) => matrix(angles[0] ?? 0, angles[1] ?? 0, angles[2] ?? 0))
}

/** A gate that is a sequence of fixed gates: [gate, positions of its qubits]. */
export function sequence(
  name: string,
  qubits: number,
  steps: readonly (readonly [NativeGate, ...number[]])[],
): NativeGate {
  return {
    kind: 'native',
    name,
    parameters: 0,
    qubits,
    build(_, operands, emit) {
      for (const [gate, ...positions] of steps) {
        gate.build(
          [],
          positions.map((position) => operands[position] ?? 0),
          emit,
        )
      }
    },
  }
}

/** Gates by name. */
export function tableOf(gates: readonly NativeGate[]): ReadonlyMap<string, NativeGate> {
  return new Map(gates.map((gate) => [gate.name, gate]))
}
