import type { MeasureOp, Op, PhaseOp, ResetOp, UnitaryOp } from '../../../src/qasm/index.ts'

const r = Math.SQRT1_2

export const MATRICES = {
  x: Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0),
  y: Float64Array.of(0, 0, 0, -1, 0, 1, 0, 0),
  z: Float64Array.of(1, 0, 0, 0, 0, 0, -1, 0),
  h: Float64Array.of(r, 0, r, 0, r, 0, -r, 0),
  s: Float64Array.of(1, 0, 0, 0, 0, 0, 0, 1),
  // Row-major 4 x 4.
  swap: Float64Array.of(
    ...[1, 0, 0, 0, 0, 0, 0, 0],
    ...[0, 0, 0, 0, 1, 0, 0, 0],
    ...[0, 0, 1, 0, 0, 0, 0, 0],
    ...[0, 0, 0, 0, 0, 0, 1, 0],
  ),
} as const

export function unitary(
  matrix: Float64Array,
  targets: number[],
  controls: number[] = [],
  controlValues = 2 ** controls.length - 1,
): UnitaryOp {
  return { kind: 'unitary', targets, controls, controlValues, matrix, name: 'test' }
}

export const x = (target: number, ...controls: number[]) => unitary(MATRICES.x, [target], controls)
export const h = (target: number, ...controls: number[]) => unitary(MATRICES.h, [target], controls)
export const z = (target: number, ...controls: number[]) => unitary(MATRICES.z, [target], controls)
export const swap = (a: number, b: number, ...controls: number[]) => unitary(MATRICES.swap, [a, b], controls)

/** Rotation about y: |0> → cos(angle/2)|0> + sin(angle/2)|1>. */
export function ry(angle: number, target: number, ...controls: number[]): UnitaryOp {
  const [c, s] = [Math.cos(angle / 2), Math.sin(angle / 2)]
  return unitary(Float64Array.of(c, 0, -s, 0, s, 0, c, 0), [target], controls)
}

export function phase(angle: number, controls: number[], controlValues = 2 ** controls.length - 1): PhaseOp {
  return { kind: 'phase', controls, controlValues, angle }
}

export const measure = (qubit: number, clbit = qubit): MeasureOp => ({ kind: 'measure', qubit, clbit })
export const reset = (qubit: number): ResetOp => ({ kind: 'reset', qubit })
export const measureAll = (qubits: number): Op[] => Array.from({ length: qubits }, (_, q) => measure(q))

/** A random 2^k x 2^k unitary: Gram-Schmidt on random complex rows. */
export function randomUnitary(k: number, random: () => number): Float64Array {
  const dimension = 2 ** k
  const rows: [number, number][][] = []
  while (rows.length < dimension) {
    let row = Array.from({ length: dimension }, (): [number, number] => [random() - 0.5, random() - 0.5])
    for (const other of rows) {
      const [re, im] = row.reduce(
        ([a, b], [c, d], i) => {
          const [e, f] = other[i] ?? [0, 0]
          return [a + c * e + d * f, b + d * e - c * f]
        },
        [0, 0],
      )
      row = row.map(([c, d], i) => {
        const [e, f] = other[i] ?? [0, 0]
        return [c - (re * e - im * f), d - (re * f + im * e)]
      })
    }
    const size = Math.sqrt(row.reduce((sum, [c, d]) => sum + c * c + d * d, 0))
    rows.push(row.map(([c, d]) => [c / size, d / size]))
  }
  return Float64Array.from(rows.flat(2))
}

/** A gate, measurement or reset on random qubits. */
export function randomStep(qubits: number, clbits: number, random: () => number): Op {
  const a = Math.floor(random() * qubits)
  const b = (a + 1 + Math.floor(random() * (qubits - 1))) % qubits
  const clbit = Math.floor(random() * (clbits + 1)) - 1
  const choices: (() => Op)[] = [
    () => h(a),
    () => ry(3 * random(), a),
    () => x(a, b),
    () => z(a, b),
    () => phase(2 * random(), [a, b]),
    () => swap(a, b),
    () => measure(a, clbit),
    () => measure(a, clbit),
    () => reset(a),
  ]
  return choices[Math.floor(random() * choices.length)]?.() ?? h(a)
}
