import type { Op } from '../../../src/qasm/index.ts'

/**
 * Slow, obviously correct simulation in plain complex arithmetic: the reference for the kernel and the
 * planner.
 */
export type Amplitudes = [number, number][]

export function zeroState(qubits: number): Amplitudes {
  return Array.from({ length: 2 ** qubits }, (_, index) => [index === 0 ? 1 : 0, 0])
}

const bitAt = (index: number, qubit: number) => Math.floor(index / 2 ** qubit) % 2

function matchesControls(index: number, controls: number[], values: number): boolean {
  return controls.every((qubit, place) => bitAt(index, qubit) === Math.floor(values / 2 ** place) % 2)
}

/**
 * The state after one unitary or phase step: each new amplitude is a row of the matrix times the old ones.
 */
export function applyOp(state: Amplitudes, op: Op): Amplitudes {
  if (op.kind === 'phase') {
    return state.map(([re, im], index) =>
      matchesControls(index, op.controls, op.controlValues)
        ? [
            re * Math.cos(op.angle) - im * Math.sin(op.angle),
            re * Math.sin(op.angle) + im * Math.cos(op.angle),
          ]
        : [re, im],
    )
  }
  if (op.kind !== 'unitary') return state
  const dimension = 2 ** op.targets.length
  return state.map(([re, im], index) => {
    if (!matchesControls(index, op.controls, op.controlValues)) return [re, im]
    const row = op.targets.reduce((sum, qubit, place) => sum + bitAt(index, qubit) * 2 ** place, 0)
    const rest = op.targets.reduce((sum, qubit) => sum - bitAt(index, qubit) * 2 ** qubit, index)
    let sumRe = 0
    let sumIm = 0
    for (let column = 0; column < dimension; column++) {
      const from = op.targets.reduce((sum, qubit, place) => sum + bitAt(column, place) * 2 ** qubit, rest)
      const [a, b] = [
        op.matrix[2 * (row * dimension + column)] ?? 0,
        op.matrix[2 * (row * dimension + column) + 1] ?? 0,
      ]
      const [c, d] = state[from] ?? [0, 0]
      sumRe += a * c - b * d
      sumIm += a * d + b * c
    }
    return [sumRe, sumIm]
  })
}

function project(state: Amplitudes, qubit: number, outcome: number): Amplitudes {
  return state.map(([re, im], index) => (bitAt(index, qubit) === outcome ? [re, im] : [0, 0]))
}

const norm = (state: Amplitudes) => state.reduce((sum, [re, im]) => sum + re * re + im * im, 0)

function lower(state: Amplitudes, qubit: number): Amplitudes {
  return state.map((_, index) => (bitAt(index, qubit) === 1 ? [0, 0] : (state[index + 2 ** qubit] ?? [0, 0])))
}

interface Branch {
  state: Amplitudes
  bits: number[]
}

/** The branches of one step; states are not normalized, their norm is the probability. */
function next({ state, bits }: Branch, op: Op): Branch[] {
  if (op.kind !== 'measure' && op.kind !== 'reset') return [{ state: applyOp(state, op), bits }]
  return [0, 1]
    .map((outcome): Branch => {
      const projected = project(state, op.qubit, outcome)
      if (op.kind === 'reset') return { state: outcome ? lower(projected, op.qubit) : projected, bits }
      return { state: projected, bits: op.clbit < 0 ? bits : bits.with(op.clbit, outcome) }
    })
    .filter((branch) => norm(branch.state) > 1e-14)
}

/** Probability of every classical outcome (bit 0 rightmost), following every branch of every measurement. */
export function distributionOf(ops: readonly Op[], qubits: number, clbits: number): Map<string, number> {
  let branches: Branch[] = [{ state: zeroState(qubits), bits: new Array<number>(clbits).fill(0) }]
  for (const op of ops) branches = branches.flatMap((branch) => next(branch, op))
  const result = new Map<string, number>()
  for (const { state, bits } of branches) {
    const key = bits.toReversed().join('')
    result.set(key, (result.get(key) ?? 0) + norm(state))
  }
  return result
}
