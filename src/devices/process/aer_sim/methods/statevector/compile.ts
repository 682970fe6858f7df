import type { PhaseOp, UnitaryOp } from '../../../../../qasm/index.ts'
import { isDiagonal } from '../../reduce.ts'

/** One kernel call on a state; qubits are bit masks. */
export type KernelCall =
  | { kind: 'scale'; controls: number; value: number; re: number; im: number }
  | { kind: 'flip'; target: number; controls: number; value: number }
  | { kind: 'one'; target: number; controls: number; value: number; matrix: Float64Array }
  | { kind: 'many'; targets: number[]; controls: number; value: number; matrix: Float64Array }

/** The bit of qubit `qubit`'s place in the state. */
export type BitOf = (qubit: number) => number

/** Every qubit at its own place. */
export const identityBits: BitOf = (qubit) => 1 << qubit

function isFlip(matrix: Float64Array): boolean {
  return matrix.length === 8 && matrix.every((part, index) => part === (index === 2 || index === 4 ? 1 : 0))
}

function controlMasks(op: UnitaryOp | PhaseOp, bitOf: BitOf): { controls: number; value: number } {
  let controls = 0
  let value = 0
  op.controls.forEach((qubit, index) => {
    const bit = bitOf(qubit)
    controls |= bit
    if ((op.controlValues >>> index) & 1) value |= bit
  })
  return { controls, value }
}

/** The kernel calls that carry out a unitary step on a state in which qubits have the given places. */
export function compile(op: UnitaryOp | PhaseOp, bitOf: BitOf = identityBits): KernelCall[] {
  const masks = controlMasks(op, bitOf)
  if (op.kind === 'phase') {
    return [{ kind: 'scale', ...masks, re: Math.cos(op.angle), im: Math.sin(op.angle) }]
  }
  const { matrix } = op
  const targets = op.targets.map(bitOf)
  if (isDiagonal(matrix)) return compileDiagonal(targets, masks, matrix)
  const [target] = targets
  if (target === undefined || targets.length > 1) return [{ kind: 'many', targets, ...masks, matrix }]
  return [isFlip(matrix) ? { kind: 'flip', target, ...masks } : { kind: 'one', target, ...masks, matrix }]
}

function compileDiagonal(
  targets: number[],
  masks: { controls: number; value: number },
  matrix: Float64Array,
): KernelCall[] {
  const dimension = 1 << targets.length
  const controls = targets.reduce((bits, target) => bits | target, masks.controls)
  const calls: KernelCall[] = []
  for (let row = 0; row < dimension; row++) {
    const at = 2 * row * (dimension + 1)
    const re = matrix[at] ?? 0
    const im = matrix[at + 1] ?? 0
    const value = targets.reduce(
      (bits, target, bit) => (row & (1 << bit) ? bits | target : bits),
      masks.value,
    )
    if (re !== 1 || im !== 0) calls.push({ kind: 'scale', controls, value, re, im })
  }
  return calls
}
