import { adjoint, type Matrix, rxMatrix, ryMatrix, rzMatrix } from '../../../qasm/index.ts'
import { addControlled, type Controls } from './controlled.ts'
import { HADAMARD, IDENTITY, onBoth, PAULIS, product } from './matrix.ts'
import type { StepList } from './step.ts'
import { type TwoQubitForm, twoQubitFormOf } from './two-qubit-form.ts'

/** Two qubits, the less significant of the matrix first. */
type Pair = readonly [low: number, high: number]
export type Axes = readonly [x: number, y: number, z: number]

/** Below this, in rad, an interaction counts as none. */
const NONE = 1e-10
const QUARTER = Math.PI / 4

/** A unitary of one qubit that exchanges two axes, applied to both qubits: signs cancel. */
const EXCHANGE = { xy: rzMatrix(Math.PI / 2), xz: HADAMARD, yz: rxMatrix(Math.PI / 2) } as const
type Exchange = keyof typeof EXCHANGE

/** The exchange that makes an axis, by its index, the third or the second. */
const TO_Z: readonly (Exchange | undefined)[] = ['xz', 'yz', undefined]
const TO_Y: readonly (Exchange | undefined)[] = ['xy', undefined, 'yz']

/** Adds any unitary on two qubits with the fewest CZ: none to three. */
export function addTwoQubit(list: StepList, [low, high]: Pair, matrix: Matrix): void {
  const { before, interaction, after } = interactionOf(matrix)
  list.local(low, before.low)
  list.local(high, before.high)
  addInteraction(list, [low, high], interaction)
  list.local(low, after.low)
  list.local(high, after.high)
}

/**
 * Adds a unitary on two qubits under controls, as controlled unitaries on one qubit: of the interaction only
 * what stands between the two CX needs them.
 */
export function addControlledTwoQubit(list: StepList, controls: Controls, pair: Pair, matrix: Matrix): void {
  const [low, high] = pair
  const form = interactionOf(matrix)
  const { before, after } = form
  const [x, y, z] = form.interaction
  const under = (qubit: number, unitary: Matrix) => addControlled(list, controls, qubit, unitary)
  under(low, before.low)
  under(high, before.high)
  addCx(list, high, low)
  under(high, rxMatrix(-2 * x))
  under(low, rzMatrix(-2 * z))
  // exp(-i y X Z) on both is a rotation about z between two CX.
  list.local(high, HADAMARD)
  addCx(list, high, low)
  under(low, rzMatrix(2 * y))
  addCx(list, high, low)
  list.local(high, HADAMARD)
  addCx(list, high, low)
  under(low, product(after.low, phaseOf(form, matrix)))
  under(high, after.high)
}

function addCx(list: StepList, control: number, target: number): void {
  list.local(target, HADAMARD)
  list.cz(control, target)
  list.local(target, HADAMARD)
}

/** CZ that exp(i(x XX + y YY + z ZZ)) takes. */
export function czOf(angles: Axes): number {
  const sizes = angles.map((angle) => Math.abs(withinQuarter(angle)))
  const some = sizes.filter((size) => size >= NONE)
  return some.length === 1 && Math.abs((some[0] ?? 0) - QUARTER) >= NONE ? 2 : some.length
}

/** Adds exp(i(x XX + y YY + z ZZ)), whose angles lie within ±pi/4. */
export function addInteraction(list: StepList, pair: Pair, axes: Axes): void {
  const sizes = axes.map(Math.abs)
  const count = czOf(axes)
  if (count === 3) {
    addWithThree(list, pair, axes)
  } else if (count === 1) {
    addExchanged(list, pair, axes, TO_Z[sizes.indexOf(Math.max(...sizes))], addWithOne)
  } else if (count === 2) {
    const idle = sizes.findLastIndex((size) => size < NONE)
    addExchanged(list, pair, axes, TO_Y[(sizes[1] ?? 0) < NONE ? 1 : idle], addWithTwo)
  }
}

function addExchanged(
  list: StepList,
  pair: Pair,
  [x, y, z]: Axes,
  exchange: Exchange | undefined,
  add: (list: StepList, pair: Pair, axes: Axes) => void,
): void {
  const matrix = exchange === undefined ? IDENTITY : EXCHANGE[exchange]
  for (const qubit of pair) list.local(qubit, adjoint(matrix))
  if (exchange === undefined) add(list, pair, [x, y, z])
  else add(list, pair, exchange === 'xy' ? [y, x, z] : exchange === 'xz' ? [z, y, x] : [x, z, y])
  for (const qubit of pair) list.local(qubit, matrix)
}

/** exp(±i pi/4 ZZ) is a CZ with a quarter turn about z on either qubit. */
function addWithOne(list: StepList, [low, high]: Pair, [, , z]: Axes): void {
  list.cz(low, high)
  const turn = rzMatrix(-Math.sign(z) * (Math.PI / 2))
  list.local(low, turn)
  list.local(high, turn)
}

/** exp(i(x XX + z ZZ)): between two CX it is exp(i x X) on the control and exp(i z Z) on the target. */
function addWithTwo(list: StepList, [low, high]: Pair, [x, , z]: Axes): void {
  addCx(list, high, low)
  list.local(high, rxMatrix(-2 * x))
  list.local(low, rzMatrix(-2 * z))
  addCx(list, high, low)
}

/** Vatan and Williams, Phys. Rev. A 69, 032315 (2004), figure 6. */
function addWithThree(list: StepList, [low, high]: Pair, [x, y, z]: Axes): void {
  const right = Math.PI / 2
  list.local(low, rzMatrix(right))
  addCx(list, low, high)
  list.local(high, rzMatrix(right - 2 * z))
  list.local(low, ryMatrix(right - 2 * x))
  addCx(list, high, low)
  list.local(low, ryMatrix(2 * y - right))
  addCx(list, low, high)
  list.local(high, rzMatrix(-right))
}

/** The form of a unitary with angles within ±pi/4: half turns of both qubits take multiples of pi/2. */
export function interactionOf(matrix: Matrix): TwoQubitForm {
  const { before, interaction, after } = twoQubitFormOf(matrix)
  let { low, high } = after
  for (const [axis, angle] of interaction.entries()) {
    if (Math.round(angle / (2 * QUARTER)) % 2 === 0) continue
    low = product(low, PAULIS[axis] ?? IDENTITY)
    high = product(high, PAULIS[axis] ?? IDENTITY)
  }
  const [x, y, z] = interaction
  const angles: Axes = [withinQuarter(x), withinQuarter(y), withinQuarter(z)]
  return { before, interaction: angles, after: { low, high } }
}

/** The angle that differs by a multiple of pi/2 and lies within ±pi/4. */
function withinQuarter(angle: number): number {
  return angle - 2 * QUARTER * Math.round(angle / (2 * QUARTER))
}

/** The phase by which the matrix differs from its form, as a matrix. */
function phaseOf({ before, interaction, after }: TwoQubitForm, matrix: Matrix): Matrix {
  const made = product(
    onBoth(after.low, after.high),
    interactionMatrix(interaction),
    onBoth(before.low, before.high),
  )
  let re = 0
  let im = 0
  for (let at = 0; at < made.length; at += 2) {
    const [aRe = 0, aIm = 0, bRe = 0, bIm = 0] = [made[at], made[at + 1], matrix[at], matrix[at + 1]]
    re += aRe * bRe + aIm * bIm
    im += aRe * bIm - aIm * bRe
  }
  const size = Math.hypot(re, im)
  return Float64Array.from([re / size, im / size, 0, 0, 0, 0, re / size, im / size])
}

function interactionMatrix([x, y, z]: Axes): Matrix {
  const [first, ...others] = [x, y, z].map((angle, axis) => {
    const pauli = PAULIS[axis] ?? IDENTITY
    const both = onBoth(pauli, pauli)
    const result = new Float64Array(both.length)
    for (let at = 0; at < both.length; at += 2) {
      // The squares of the products of Pauli matrices are 1: exp(i a P) = cos a + i P sin a.
      result[at] = -Math.sin(angle) * (both[at + 1] ?? 0)
      result[at + 1] = Math.sin(angle) * (both[at] ?? 0)
    }
    for (let row = 0; row < 4; row++) result[10 * row] = (result[10 * row] ?? 0) + Math.cos(angle)
    return result
  })
  return product(first ?? IDENTITY, ...others)
}
