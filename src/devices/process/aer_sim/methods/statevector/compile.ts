import type { PhaseOp, UnitaryOp } from '../../../../../qasm/index.ts'
import { isDiagonal } from '../../reduce.ts'

/**
 * One gate on a state; qubits are bit masks. It acts where the qubits of `controls` have the bits of `value`. A
 * `scale` whose value has all its controls set is a phase term: it commutes with its like and merges with them.
 */
export type KernelCall =
  | { kind: 'scale'; controls: number; value: number; re: number; im: number }
  | { kind: 'flip'; target: number; controls: number; value: number }
  | { kind: 'swap'; targets: number[]; controls: number; value: number }
  | { kind: 'one'; target: number; controls: number; value: number; matrix: Float64Array }
  | { kind: 'many'; targets: number[]; controls: number; value: number; matrix: Float64Array }

export type Scale = Extract<KernelCall, { kind: 'scale' }>

/** The bit of qubit `qubit`'s place in the state. */
export type BitOf = (qubit: number) => number

/** Every qubit at its own place. */
export const identityBits: BitOf = (qubit) => 1 << qubit

/** The qubits a call may change, as a mask; its controls are not among them. */
export function targetsOf(call: KernelCall): number {
  if (call.kind === 'scale') return 0
  if (call.kind === 'flip' || call.kind === 'one') return call.target
  return call.targets.reduce((mask, target) => mask | target, 0)
}

/** Diagonal gates on more qubits than this are not split into phase terms, whose number doubles with each. */
const MOST_SPLIT = 4

function equals(matrix: Float64Array, ones: readonly number[]): boolean {
  return matrix.every((part, index) => part === (ones.includes(index) ? 1 : 0))
}

function isFlip(matrix: Float64Array): boolean {
  return matrix.length === 8 && equals(matrix, [2, 4])
}

/** Whether a matrix exchanges two qubits. */
export function isSwap(matrix: Float64Array): boolean {
  return matrix.length === 32 && equals(matrix, [0, 12, 18, 30])
}

/** Whether a 2 x 2 matrix has no imaginary parts. */
export function isReal(matrix: Float64Array): boolean {
  return matrix[1] === 0 && matrix[3] === 0 && matrix[5] === 0 && matrix[7] === 0
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
    return termsOf([{ kind: 'scale', ...masks, re: Math.cos(op.angle), im: Math.sin(op.angle) }])
  }
  const { matrix } = op
  const targets = op.targets.map(bitOf)
  if (isDiagonal(matrix)) return termsOf(diagonalOf(targets, masks, matrix))
  if (isSwap(matrix)) return [{ kind: 'swap', targets, ...masks }]
  const [target] = targets
  if (target === undefined || targets.length > 1) return [{ kind: 'many', targets, ...masks, matrix }]
  return [isFlip(matrix) ? { kind: 'flip', target, ...masks } : { kind: 'one', target, ...masks, matrix }]
}

/** The entries of a diagonal matrix that are not 1. */
function diagonalOf(
  targets: number[],
  masks: { controls: number; value: number },
  matrix: Float64Array,
): Scale[] {
  const dimension = 1 << targets.length
  const controls = targets.reduce((bits, target) => bits | target, masks.controls)
  const calls: Scale[] = []
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

/**
 * The same as phase terms, if the entries are phases on few qubits: a phase e^{ia} where a qubit is 0 is a phase
 * e^{ia} everywhere times e^{-ia} where it is 1.
 */
function termsOf(entries: Scale[]): Scale[] {
  const [only] = entries
  if (entries.length === 1 && only?.value === only?.controls) return entries
  const terms = new Map<number, [number, number]>()
  for (const { controls, value, re, im } of entries) {
    const zeros = bitsOf(controls & ~value)
    if (bitsOf(controls).length > MOST_SPLIT || Math.abs(re * re + im * im - 1) > 1e-12) return entries
    for (let subset = 0; subset < 1 << zeros.length; subset++) {
      const chosen = zeros.filter((_, place) => subset & (1 << place))
      const mask = chosen.reduce((bits, bit) => bits | bit, value)
      const [a, b] = terms.get(mask) ?? [1, 0]
      const sign = chosen.length % 2 === 0 ? 1 : -1
      terms.set(mask, [a * re - sign * b * im, sign * a * im + b * re])
    }
  }
  return [...terms]
    .filter(([, [re, im]]) => Math.abs(re - 1) > 1e-15 || Math.abs(im) > 1e-15)
    .map(([mask, [re, im]]) => ({ kind: 'scale', controls: mask, value: mask, re, im }))
}

/** The single bits of a mask, lowest first. */
export function bitsOf(mask: number): number[] {
  const bits: number[] = []
  for (let rest = mask; rest !== 0; rest &= rest - 1) bits.push(rest & -rest)
  return bits
}

/** Number of set bits of a 32-bit integer. */
export function bitCount(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++
  return count
}
