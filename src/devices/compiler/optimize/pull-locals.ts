import { adjoint, type Matrix } from '../../../qasm/index.ts'
import { IDENTITY, PAULIS, product } from '../decompose/matrix.ts'
import { type CzStep, type Step, StepList } from '../decompose/step.ts'
import { type Axes, addInteraction, czOf, interactionOf } from '../decompose/two-qubit.ts'
import { type Block, blocksOf, itemQubits } from './blocks.ts'
import { joinCommuting } from './join-commuting.ts'

/** A direction on the sphere of a qubit, of length 1. */
export type Axis = readonly [x: number, y: number, z: number]

/** What two qubits do with each other, without what either does alone. */
export interface Interaction {
  kind: 'interaction'
  qubits: readonly [low: number, high: number]
  steps: readonly Step[]
  /** CZ that an exchange of the two qubits just before or after it adds. */
  exchange: number
  /** For each qubit, the axis about which its turns commute with it, as all of the same axis do. */
  axes: readonly [Axis | undefined, Axis | undefined]
}

/**
 * The same circuit with the gates on one qubit at its end, or before a barrier, a delay, a measurement or a
 * reset of that qubit: interactions that commute show it then.
 */
export function pullLocals(steps: readonly Step[]): (Interaction | Exclude<Step, CzStep>)[] {
  const result: (Interaction | Exclude<Step, CzStep>)[] = []
  const frames = new Map<number, Matrix>()
  const frameOf = (qubit: number) => frames.get(qubit) ?? IDENTITY
  const flush = (qubit: number) => {
    const matrix = frames.get(qubit)
    if (matrix) result.push({ kind: 'local', qubit, matrix })
    frames.delete(qubit)
  }
  for (const item of joinCommuting(blocksOf(steps))) {
    if (item.kind === 'local') {
      frames.set(item.qubit, product(item.matrix, frameOf(item.qubit)))
    } else if (item.kind === 'block') {
      const [low, high] = item.qubits
      const { before, interaction, after } = interactionOf(item.matrix)
      const own: [Matrix, Matrix] = [product(before.low, frameOf(low)), product(before.high, frameOf(high))]
      if (czOf(interaction) > 0) result.push(turned(item.qubits, interaction, own))
      frames.set(low, product(after.low, own[0])).set(high, product(after.high, own[1]))
    } else {
      for (const qubit of itemQubits(item)) flush(qubit)
      result.push(item)
    }
  }
  for (const qubit of [...frames.keys()]) flush(qubit)
  return result
}

/** An interaction between turns of both qubits and their inverses. */
function turned(qubits: Block['qubits'], axes: Axes, turns: readonly [Matrix, Matrix]): Interaction {
  const list = new StepList()
  for (const [index, qubit] of qubits.entries()) list.local(qubit, turns[index] ?? IDENTITY)
  addInteraction(list, qubits, axes)
  for (const [index, qubit] of qubits.entries()) list.local(qubit, adjoint(turns[index] ?? IDENTITY))
  const exchanged = czOf([axes[0] + Math.PI / 4, axes[1] + Math.PI / 4, axes[2] + Math.PI / 4])
  return {
    kind: 'interaction',
    qubits,
    steps: list.steps,
    exchange: exchanged - czOf(axes),
    axes: [axisOf(axes, turns[0]), axisOf(axes, turns[1])],
  }
}

/** The axis of an interaction that has only one, before a turn of the qubit. */
function axisOf(axes: Axes, turn: Matrix): Axis | undefined {
  const only = axes.flatMap((_, at) => (czOf(axes.with(at, 0) as unknown as Axes) === 0 ? [at] : []))
  const pauli = only.length === 1 ? PAULIS[only[0] ?? 0] : undefined
  if (!pauli) return undefined
  const [aRe = 0, , bRe = 0, bIm = 0] = product(adjoint(turn), pauli, turn)
  return [bRe, -bIm, aRe]
}
