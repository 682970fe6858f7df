import type { PhaseOp, UnitaryOp } from '../../../../qasm/index.ts'
import type { KernelCall, Scale } from '../../../kernel/kernel-call.ts'
import { bitCount, bitsOf } from '../../../numeric/bits.ts'
import { isDiagonal } from '../../../reduction/reduce-circuit.ts'

/** The bit of a qubit in the index of an amplitude. */
type BitOf = (qubit: number) => number

/** Each qubit at the bit of its own number. */
const identityBits: BitOf = (qubit) => 1 << qubit

/** Diagonal gates on more qubits are not split into phase terms, whose number doubles with each qubit. */
const MAX_SPLIT_QUBITS = 4

/** An X. */
export const PAULI_X = Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0)
const SWAP = new Float64Array(32)
for (const one of [0, 12, 18, 30]) SWAP[one] = 1

/** Whether two matrices have the same numbers. */
export function equals(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false
  for (let part = 0; part < a.length; part++) if (a[part] !== b[part]) return false
  return true
}

/** Whether a matrix exchanges two qubits. */
export function isSwap(matrix: Float64Array): boolean {
  return equals(matrix, SWAP)
}

function controlMasks(op: UnitaryOp | PhaseOp, bitOf: BitOf): { controls: number; value: number } {
  let controls = 0
  let value = 0
  for (let index = 0; index < op.controls.length; index++) {
    const bit = bitOf(op.controls[index] as number)
    controls |= bit
    if ((op.controlValues >>> index) & 1) value |= bit
  }
  return { controls, value }
}

/** The kernel calls of a unitary step on a state whose qubits have the given bits. */
export function compile(op: UnitaryOp | PhaseOp, bitOf: BitOf = identityBits): KernelCall[] {
  const masks = controlMasks(op, bitOf)
  if (op.kind === 'phase') {
    return phaseTermsOf([{ kind: 'scale', ...masks, re: Math.cos(op.angle), im: Math.sin(op.angle) }])
  }
  const { matrix } = op
  if (isDiagonal(matrix)) return phaseTermsOf(diagonalOf(op.targets.map(bitOf), masks, matrix))
  if (op.targets.length > 1) {
    const targets = op.targets.map(bitOf)
    return [
      isSwap(matrix) ? { kind: 'swap', targets, ...masks } : { kind: 'many', targets, ...masks, matrix },
    ]
  }
  const { controls, value } = masks
  const target = bitOf(op.targets[0] as number)
  if (equals(matrix, PAULI_X)) return [{ kind: 'flip', target, controls, value }]
  return [{ kind: 'one', target, controls, value, matrix }]
}

/** The entries of a diagonal matrix that are not 1. */
function diagonalOf(
  targets: number[],
  masks: { controls: number; value: number },
  matrix: Float64Array,
): Scale[] {
  const dimension = 1 << targets.length
  const controls = masks.controls | selectBits(targets, dimension - 1)
  const calls: Scale[] = []
  for (let row = 0; row < dimension; row++) {
    const at = 2 * row * (dimension + 1)
    const re = matrix[at] as number
    const im = matrix[at + 1] as number
    if (re === 1 && im === 0) continue
    calls.push({ kind: 'scale', controls, value: masks.value | selectBits(targets, row), re, im })
  }
  return calls
}

/** The bits whose position in the list is set in `places`, as a mask. */
function selectBits(bits: readonly number[], places: number): number {
  let mask = 0
  for (let place = 0; place < bits.length; place++) if ((places >> place) & 1) mask |= bits[place] as number
  return mask
}

/**
 * Converts diagonal entries to phase terms if they are phases on few qubits: a phase e^{ia} where a qubit is
 * 0 is a phase e^{ia} everywhere times e^{-ia} where it is 1. Otherwise returns the entries.
 */
function phaseTermsOf(entries: Scale[]): Scale[] {
  const [only] = entries
  if (entries.length === 1 && only?.value === only?.controls) return entries
  const isOnPhases = entries.every(({ re, im }) => Math.abs(re * re + im * im - 1) <= 1e-12)
  if (!only || !isOnPhases || bitCount(only.controls) > MAX_SPLIT_QUBITS) return entries
  const bits = bitsOf(only.controls)
  const size = 1 << bits.length
  const re = new Float64Array(size).fill(1)
  const im = new Float64Array(size)
  for (const entry of entries) {
    const at = bits.reduce((row, bit, place) => (entry.value & bit ? row | (1 << place) : row), 0)
    re[at] = entry.re
    im[at] = entry.im
  }
  for (let bit = 1; bit < size; bit *= 2) divideByZeros(re, im, bit)
  const terms: Scale[] = []
  for (let at = 0; at < size; at++) {
    const [x, y] = [re[at] as number, im[at] as number]
    if (Math.abs(x - 1) <= 1e-15 && Math.abs(y) <= 1e-15) continue
    const mask = selectBits(bits, at)
    terms.push({ kind: 'scale', controls: mask, value: mask, re: x, im: y })
  }
  return terms
}

/**
 * Divides each phase whose index has `bit` set by the phase without it, which leaves the factor of the bit.
 */
function divideByZeros(re: Float64Array, im: Float64Array, bit: number): void {
  for (let at = 0; at < re.length; at++) {
    if ((at & bit) === 0) continue
    const [a, b] = [re[at] as number, im[at] as number]
    const [c, d] = [re[at - bit] as number, im[at - bit] as number]
    re[at] = a * c + b * d
    im[at] = b * c - a * d
  }
}
