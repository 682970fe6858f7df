import type { PhaseOp, UnitaryOp } from '../../../src/qasm/index.ts'

/** A pure state with the outcomes that have led to it; its squared norm is their probability. */
export interface Branch {
  /** Real and imaginary parts alternate; place p of the qubits is bit p of the index. */
  amplitudes: Float64Array
  /** The outcomes by classical bit. */
  outcomes: ReadonlyMap<number, 0 | 1>
}

/** Multiplies the amplitudes that satisfy the controls of an operation by its matrix. */
export function applyUnitary(
  { amplitudes }: Branch,
  { targets, controls, controlValues, matrix }: UnitaryOp,
  placeOf: (qubit: number) => number,
): void {
  const masks = targets.map((qubit) => 1 << placeOf(qubit))
  const all = masks.reduce((sum, mask) => sum | mask, 0)
  const size = 2 ** targets.length
  const offsets = Array.from({ length: size }, (_, row) =>
    masks.reduce((sum, mask, bit) => sum | ((row >> bit) & 1 ? mask : 0), 0),
  )
  const isControlled = controlTest(controls, controlValues, placeOf)
  const before = new Float64Array(2 * size)
  for (let base = 0; base < amplitudes.length / 2; base++) {
    if ((base & all) !== 0 || !isControlled(base)) continue
    const at = offsets.map((offset) => 2 * (base | offset))
    for (const [row, place] of at.entries()) before.set(amplitudes.subarray(place, place + 2), 2 * row)
    for (const [row, place] of at.entries()) amplitudes.set(rowTimes(matrix, row, before), place)
  }
}

/** The product of a row of a matrix and a vector, both interleaved. */
function rowTimes(matrix: Float64Array, row: number, vector: Float64Array): [re: number, im: number] {
  let [re, im] = [0, 0]
  const start = row * vector.length
  for (let column = 0; column < vector.length; column += 2) {
    const [a, b] = [matrix[start + column] ?? 0, matrix[start + column + 1] ?? 0]
    const [x, y] = [vector[column] ?? 0, vector[column + 1] ?? 0]
    re += a * x - b * y
    im += a * y + b * x
  }
  return [re, im]
}

/** Multiplies the amplitudes that satisfy the controls by a phase. */
export function applyPhase(
  { amplitudes }: Branch,
  { controls, controlValues, angle }: PhaseOp,
  placeOf: (qubit: number) => number,
): void {
  const isControlled = controlTest(controls, controlValues, placeOf)
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  for (let at = 0; at < amplitudes.length / 2; at++) {
    if (!isControlled(at)) continue
    const [re, im] = [amplitudes[2 * at] ?? 0, amplitudes[2 * at + 1] ?? 0]
    amplitudes[2 * at] = re * cos - im * sin
    amplitudes[2 * at + 1] = re * sin + im * cos
  }
}

function controlTest(controls: readonly number[], values: number, placeOf: (qubit: number) => number) {
  let [mask, wanted] = [0, 0]
  for (const [index, qubit] of controls.entries()) {
    const bit = 1 << placeOf(qubit)
    mask |= bit
    if ((values >> index) & 1) wanted |= bit
  }
  return (at: number) => (at & mask) === wanted
}

/** The part of a branch in which a qubit is found in a state; `clbit` keeps the outcome unless it is -1. */
export function project(
  { amplitudes, outcomes }: Branch,
  { place, outcome, clbit }: { place: number; outcome: 0 | 1; clbit: number },
): Branch {
  const projected = amplitudes.slice()
  for (let at = 0; at < projected.length / 2; at++) {
    if (((at >> place) & 1) !== outcome) projected.fill(0, 2 * at, 2 * at + 2)
  }
  return { amplitudes: projected, outcomes: clbit < 0 ? outcomes : new Map([...outcomes, [clbit, outcome]]) }
}

/** Exchanges the two states of a qubit. */
export function flip({ amplitudes }: Branch, place: number): void {
  for (let at = 0; at < amplitudes.length / 2; at++) {
    if ((at >> place) & 1) continue
    const other = at | (1 << place)
    for (const part of [0, 1]) {
      const kept = amplitudes[2 * at + part] ?? 0
      amplitudes[2 * at + part] = amplitudes[2 * other + part] ?? 0
      amplitudes[2 * other + part] = kept
    }
  }
}

/** The probability of each state of the qubits, by index. */
export function probabilitiesOf({ amplitudes }: Branch): Float64Array {
  return Float64Array.from(
    { length: amplitudes.length / 2 },
    (_, at) => (amplitudes[2 * at] ?? 0) ** 2 + (amplitudes[2 * at + 1] ?? 0) ** 2,
  )
}
