import { type Matrix, ryMatrix, rzMatrix } from '../../../qasm/index.ts'
import { HADAMARD } from '../decompose/matrix.ts'
import { type GateStep, type Step, StepList } from '../decompose/step.ts'
import { addTwoQubit } from '../decompose/two-qubit.ts'
import { twoQubitFormOf } from '../decompose/two-qubit-form.ts'
import type { Block } from './blocks.ts'
import { angleToReal, type Side, turned } from './real-trace.ts'
import { schmidtOf } from './schmidt.ts'

/** What is known of the qubits of a block: they are in the ground state before, or only measured after it. */
export interface Ends {
  /** By qubit of the block, the less significant first. */
  fresh: readonly [boolean, boolean]
  /**
   * Whether both qubits are measured next, so that a phase of a basis state after the block means nothing.
   */
  isMeasured: boolean
}

/** The steps of a block, or others with fewer CZ that do the same between its ends. */
export function shortestSteps(block: Block, ends: Ends): readonly GateStep[] {
  const { steps, gates } = block
  if (gates === 0) return steps
  const candidates = [steps]
  if (ends.fresh[0] && ends.fresh[1]) candidates.push(preparation(block))
  if (gates > 1 && !block.pulled) candidates.push(synthesis(block.qubits, block.matrix))
  for (const angle of ends.isMeasured ? anglesOf(block, 'after') : []) {
    candidates.push(synthesis(block.qubits, turned(block.matrix, angle, 'after')))
  }
  const fresh = ends.fresh.indexOf(true)
  for (const angle of fresh >= 0 ? anglesOf(block, 'before') : []) {
    candidates.push(withOneFresh(block, fresh, angle))
  }
  return candidates.reduce((best, each) => (countCz(each) < countCz(best) ? each : best))
}

/** CZ among steps. */
export function countCz(steps: readonly Step[]): number {
  return steps.reduce((count, { kind }) => (kind === 'cz' ? count + 1 : count), 0)
}

/** A unitary on two qubits with the fewest CZ. */
export function synthesis(qubits: readonly [number, number], matrix: Matrix): GateStep[] {
  const list = new StepList<GateStep>()
  addTwoQubit(list, qubits, matrix)
  return list.steps
}

/** A block on two qubits in their ground state prepares a state, which takes one CZ (its Schmidt form). */
function preparation({ qubits: [low, high], matrix }: Block): GateStep[] {
  const list = new StepList<GateStep>()
  const { angle, ofLow, ofHigh } = schmidtOf(
    Float64Array.from({ length: 8 }, (_, at) => matrix[4 * (at - (at % 2)) + (at % 2)] ?? 0),
  )
  list.local(low, ryMatrix(2 * angle))
  if (angle !== 0) {
    list.local(high, HADAMARD)
    list.cz(low, high)
    list.local(high, HADAMARD)
  }
  list.local(low, ofLow)
  list.local(high, ofHigh)
  return list.steps
}

/**
 * With one qubit in its ground state, exp(i a ZZ) before the block is a rotation of the other about z, so
 * that the block needs at most two CZ.
 */
function withOneFresh({ qubits, matrix }: Block, fresh: number, angle: number): GateStep[] {
  // The block is turned · exp(-i angle ZZ), and Z of the fresh qubit is 1.
  const local: GateStep = { kind: 'local', qubit: qubits[1 - fresh] ?? 0, matrix: rzMatrix(2 * angle) }
  return [local, ...synthesis(qubits, turned(matrix, angle, 'before'))]
}

/**
 * Angles of ZZ that may take CZ from a block: one always leads to two, another takes a part of its own away.
 */
function anglesOf({ matrix }: Block, side: Side): number[] {
  const own = twoQubitFormOf(matrix).interaction
  return [angleToReal(matrix, side), ...own, ...own.map((angle) => -angle)]
}
