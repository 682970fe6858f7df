import type { NativeOp } from '../../../../src/devices/compiler/decompose/native.ts'
import type { Op } from '../../../../src/qasm/index.ts'

/** Columns of a unitary: for each basis state, what it becomes; real and imaginary parts interleaved. */
export type Columns = readonly Float64Array[]

/** The unitary of gates, or its first columns, applied to basis states; other operations do nothing. */
export function unitaryOf(qubits: number, ops: readonly (Op | NativeOp)[], columns = 2 ** qubits): Columns {
  return Array.from({ length: columns }, (_, index) => {
    const state = new Float64Array(2 ** (qubits + 1))
    state[2 * index] = 1
    for (const op of ops) apply(state, op)
    return state
  })
}

/** Largest difference of an element of two unitaries after the best change of the global phase. */
export function distance(one: Columns, other: Columns): number {
  let [re, im] = [0, 0]
  each(one, other, (aRe, aIm, bRe, bIm) => {
    re += aRe * bRe + aIm * bIm
    im += aRe * bIm - aIm * bRe
  })
  const size = Math.hypot(re, im)
  if (size === 0) return 2
  const [cos, sin] = [re / size, im / size]
  let largest = 0
  each(one, other, (aRe, aIm, bRe, bIm) => {
    largest = Math.max(largest, Math.hypot(aRe * cos - aIm * sin - bRe, aRe * sin + aIm * cos - bIm))
  })
  return largest
}

function each(
  one: Columns,
  other: Columns,
  visit: (aRe: number, aIm: number, bRe: number, bIm: number) => void,
) {
  for (const [index, column] of one.entries()) {
    const second = other[index] ?? column
    for (let at = 0; at < column.length; at += 2) {
      visit(column[at] ?? 0, column[at + 1] ?? 0, second[at] ?? 0, second[at + 1] ?? 0)
    }
  }
}

/** The exact probabilities of all bits, as text, of a circuit with measurements and resets anywhere. */
export function bitProbabilities(qubits: number, ops: readonly (Op | NativeOp)[]): Map<string, number> {
  const found = new Map<string, number>()
  const ground = new Float64Array(2 ** (qubits + 1))
  ground[0] = 1
  const clbits = ops.flatMap((op) => (op.kind === 'measure' ? [op.clbit] : []))
  follow(ops, ground, Array(Math.max(0, ...clbits) + 1).fill(0), found)
  return found
}

/** Adds the probabilities of all that may follow from a state, which is changed. */
function follow(
  ops: readonly (Op | NativeOp)[],
  state: Float64Array,
  bits: readonly number[],
  found: Map<string, number>,
): void {
  const next = ops.findIndex(({ kind }) => kind === 'measure' || kind === 'reset')
  for (const op of next < 0 ? ops : ops.slice(0, next)) apply(state, op)
  const op = ops[next]
  if (op?.kind !== 'measure' && op?.kind !== 'reset') {
    const key = bits.join('')
    found.set(key, (found.get(key) ?? 0) + state.reduce((sum, value) => sum + value ** 2, 0))
    return
  }
  for (const outcome of [0, 1]) {
    const left = state.map((value, at) => (((at >> (op.qubit + 1)) & 1) === outcome ? value : 0))
    if (Math.hypot(...left) < 1e-12) continue
    const after = op.kind === 'measure' ? bits.with(op.clbit, outcome) : bits
    const isTurned = op.kind === 'reset' && outcome === 1
    follow(ops.slice(next + 1), isTurned ? flipped(left, op.qubit) : left, after, found)
  }
}

function flipped(state: Float64Array, qubit: number): Float64Array {
  return state.map((_, at) => state[at ^ (2 << qubit)] ?? 0)
}

function apply(state: Float64Array, op: Op | NativeOp): void {
  const factors = factorsOf(op)
  if (factors !== undefined) applyMatrix(state, ...factors)
}

type Acts = (index: number) => boolean

/** Qubits and matrix of an operation, and the states on which it acts. */
function factorsOf(op: Op | NativeOp): [number[], ArrayLike<number>, Acts] | undefined {
  switch (op.kind) {
    case 'unitary':
      return [op.targets, op.matrix, meets(op.controls, op.controlValues)]
    case 'phase':
      return [[], [Math.cos(op.angle), Math.sin(op.angle)], meets(op.controls, op.controlValues)]
    case 'cz':
      return [[], [-1, 0], meets(op.qubits, 3)]
    case 'rz':
      return [[op.qubit], frame(op.angle), () => true]
    case 'rotate':
      return [[op.qubit], pulse(op.theta, op.phi), () => true]
    default:
      return undefined
  }
}

function meets(controls: readonly number[], values: number): Acts {
  return (index) => controls.every((qubit, at) => ((index >> qubit) & 1) === ((values >> at) & 1))
}

/** exp(-i angle Z / 2). */
function frame(angle: number): number[] {
  return [Math.cos(angle / 2), -Math.sin(angle / 2), 0, 0, 0, 0, Math.cos(angle / 2), Math.sin(angle / 2)]
}

/** exp(-i theta (cos phi X + sin phi Y) / 2). */
function pulse(theta: number, phi: number): number[] {
  const [cos, sin] = [Math.cos(theta / 2), Math.sin(theta / 2)]
  return [
    cos,
    0,
    -sin * Math.sin(phi),
    -sin * Math.cos(phi),
    sin * Math.sin(phi),
    -sin * Math.cos(phi),
    cos,
    0,
  ]
}

function applyMatrix(
  state: Float64Array,
  targets: readonly number[],
  matrix: ArrayLike<number>,
  acts: Acts,
): void {
  const size = 2 ** targets.length
  const mask = targets.reduce((sum, qubit) => sum | (1 << qubit), 0)
  for (let base = 0; base < state.length / 2; base++) {
    if ((base & mask) !== 0 || !acts(base)) continue
    const places = Array.from({ length: size }, (_, row) =>
      targets.reduce((place, qubit, bit) => place | (((row >> bit) & 1) << qubit), base),
    )
    const before = places.map((place) => [state[2 * place] ?? 0, state[2 * place + 1] ?? 0] as const)
    for (const [row, place] of places.entries()) {
      let [re, im] = [0, 0]
      for (const [column, [x, y]] of before.entries()) {
        const at = 2 * (row * size + column)
        const [mRe = 0, mIm = 0] = [matrix[at], matrix[at + 1]]
        re += mRe * x - mIm * y
        im += mRe * y + mIm * x
      }
      state[2 * place] = re
      state[2 * place + 1] = im
    }
  }
}
