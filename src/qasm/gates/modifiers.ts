import { type Op, type PhaseOp, qubitsOf, type UnitaryOp } from '../circuit.ts'
import { Fault } from '../fault.ts'
import type { Limits } from '../limits.ts'
import { unitaryPower } from './eigen.ts'
import { isFrameChange } from './frame-change.ts'
import { adjoint, identity, type Matrix } from './matrix.ts'

/** Controls of one step; the mask of their values is a 32-bit number for the kernels. */
const MAX_CONTROLS = 30
/** Qubits of a gate whose power is taken as one dense matrix. */
const MAX_DENSE_QUBITS = 5
/** Steps up to which a whole power is repetition rather than one dense matrix. */
const MAX_REPEATED_STEPS = 64
/** First number beyond which not every integer is a double. */
const EXPONENT_LIMIT = 2 ** 53

/** The steps under one more control, which becomes the first. */
export function controlled(ops: readonly Op[], control: number, value: 0 | 1, at: number): Op[] {
  return ops.map((op) => {
    if (op.kind !== 'unitary' && op.kind !== 'phase') return op
    if (op.controls.length >= MAX_CONTROLS) {
      throw new Fault('unsupported', at, `More than ${MAX_CONTROLS} controls on one gate`)
    }
    return { ...op, controls: [control, ...op.controls], controlValues: op.controlValues * 2 + value }
  })
}

/** The steps backwards, each inverted. */
export function inverted(ops: readonly Op[]): Op[] {
  return ops.toReversed().map((op) => {
    if (op.kind === 'unitary') return { ...op, matrix: adjoint(op.matrix) }
    return op.kind === 'phase' ? { ...op, angle: -op.angle } : op
  })
}

/** The steps to the power `exponent`; the limit of operations bounds what repetition may produce. */
export function powered(
  ops: readonly Op[],
  exponent: number,
  { operations: maxSteps, repeatsPowers = false }: Pick<Limits, 'operations' | 'repeatsPowers'>,
  at: number,
): Op[] {
  if (!Number.isFinite(exponent) || Math.abs(exponent) >= EXPONENT_LIMIT) {
    throw new Fault('bad_exponent', at, `The exponent ${exponent} must be a number between -2^53 and 2^53`)
  }
  if (exponent === 1) return [...ops]
  if (exponent === -1) return inverted(ops)
  const active = ops.filter((op) => op.kind === 'unitary' || op.kind === 'phase')
  if (exponent === 0 || active.length === 0) return []
  const [single] = active
  const isWritten = repeatsPowers && Number.isInteger(exponent) && !active.every(isFrameChange)
  if (single !== undefined && active.length === 1 && !isWritten) return [powerOfOne(single, exponent)]
  const steps = Math.abs(exponent) * ops.length
  if (Number.isInteger(exponent) && steps <= MAX_REPEATED_STEPS) return repeated(ops, exponent)
  const qubits = [...new Set(active.flatMap(qubitsOf))]
  if (qubits.length <= MAX_DENSE_QUBITS && !isWritten) return [densePower(active, qubits, exponent)]
  if (!Number.isInteger(exponent)) {
    const limit = `a power that is not a whole number needs a gate on at most ${MAX_DENSE_QUBITS} qubits`
    throw new Fault('unsupported', at, `This gate acts on ${qubits.length} qubits: ${limit}`)
  }
  if (steps > maxSteps) {
    throw new Fault('too_many_operations', at, `The power takes ${steps} operations; ${maxSteps} are left`)
  }
  return repeated(ops, exponent)
}

function repeated(ops: readonly Op[], exponent: number): Op[] {
  const once = exponent < 0 ? inverted(ops) : ops
  const result: Op[] = []
  for (let count = Math.abs(exponent); count > 0; count--) for (const op of once) result.push(op)
  return result
}

/**
 * Where the controls are not met an operation does nothing, and 1 to any power is 1: controls stay as they
 * are.
 */
function powerOfOne(op: UnitaryOp | PhaseOp, exponent: number): Op {
  if (op.kind === 'unitary') return { ...op, matrix: unitaryPower(op.matrix, exponent) }
  const turns = op.angle / (2 * Math.PI)
  const principal = turns - Math.ceil(turns - 0.5)
  return { ...op, angle: 2 * Math.PI * ((principal * exponent) % 1) }
}

function densePower(ops: readonly (UnitaryOp | PhaseOp)[], qubits: readonly number[], exponent: number): Op {
  const matrix = unitaryPower(denseMatrix(ops, qubits), exponent)
  return { kind: 'unitary', targets: [...qubits], controls: [], controlValues: 0, matrix, name: 'pow' }
}

/** The matrix of a sequence of steps on these qubits, the first of which is the least significant bit. */
function denseMatrix(ops: readonly (UnitaryOp | PhaseOp)[], qubits: readonly number[]): Matrix {
  const dimension = 2 ** qubits.length
  const result = identity(dimension)
  for (const op of ops) {
    const place = (qubit: number) => qubits.indexOf(qubit)
    const gate = {
      targets: op.kind === 'unitary' ? op.targets.map(place) : [],
      matrix: op.kind === 'unitary' ? op.matrix : Float64Array.of(Math.cos(op.angle), Math.sin(op.angle)),
      controls: op.controls.map(place),
      controlValues: op.controlValues,
    }
    for (let column = 0; column < dimension; column++) applyToColumn(gate, result, dimension, column)
  }
  return result
}

interface Placed {
  targets: readonly number[]
  controls: readonly number[]
  controlValues: number
  matrix: Matrix
}

function applyToColumn(gate: Placed, state: Matrix, dimension: number, column: number): void {
  const targetMask = gate.targets.reduce((mask, bit) => mask | (1 << bit), 0)
  for (let base = 0; base < dimension; base++) {
    if ((base & targetMask) !== 0 || !meetsControls(gate, base)) continue
    mixRows(gate, state, dimension, column, base)
  }
}

function meetsControls({ controls, controlValues }: Placed, index: number): boolean {
  return controls.every((bit, position) => ((index >> bit) & 1) === ((controlValues >> position) & 1))
}

function mixRows(gate: Placed, state: Matrix, dimension: number, column: number, base: number): void {
  const size = 2 ** gate.targets.length
  const places = Array.from({ length: size }, (_, index) => {
    const row = gate.targets.reduce((sum, bit, position) => sum | (((index >> position) & 1) << bit), base)
    return 2 * (row * dimension + column)
  })
  const before = places.map((place) => [state[place] ?? 0, state[place + 1] ?? 0] as const)
  for (const [row, place] of places.entries()) {
    let re = 0
    let im = 0
    for (const [inner, [stateRe, stateIm]] of before.entries()) {
      const at = 2 * (row * size + inner)
      const gateRe = gate.matrix[at] ?? 0
      const gateIm = gate.matrix[at + 1] ?? 0
      re += gateRe * stateRe - gateIm * stateIm
      im += gateRe * stateIm + gateIm * stateRe
    }
    state[place] = re
    state[place + 1] = im
  }
}
