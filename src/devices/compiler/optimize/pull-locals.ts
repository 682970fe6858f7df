import { adjoint, type Matrix, rzMatrix } from '../../../qasm/index.ts'
import { IDENTITY, nearestUnitary, onBoth, PAULIS, product } from '../decompose/matrix.ts'
import { type GateStep, StepList } from '../decompose/step.ts'
import { type Axes, addInteraction, czOf, interactionOf } from '../decompose/two-qubit.ts'
import type { TwoQubitForm } from '../decompose/two-qubit-form.ts'
import { type Axis, type Block, type Item, itemQubits } from './blocks.ts'

/**
 * The same circuit with the gates on one qubit at its end, or before a barrier, a delay, a measurement or a
 * reset of that qubit: blocks that commute show it then. Each block has the fewest CZ.
 */
export function pullLocals(items: readonly Item[]): Item[] {
  const result: Item[] = []
  const frames = new Map<number, Matrix>()
  const frameOf = (qubit: number) => frames.get(qubit) ?? IDENTITY
  // Rounding would grow with every gate and, by the next call, with the power of it.
  const then = (qubit: number, matrix: Matrix) => nearestUnitary(product(matrix, frameOf(qubit)))
  const flush = (qubit: number) => {
    const matrix = frames.get(qubit)
    if (matrix) result.push({ kind: 'local', qubit, matrix })
    frames.delete(qubit)
  }
  for (const item of items) {
    if (item.kind === 'local') {
      frames.set(item.qubit, then(item.qubit, item.matrix))
    } else if (item.kind === 'block') {
      const [low, high] = item.qubits
      const { before, interaction, after } = formOf(item)
      const turns: Turns = [then(low, before.low), then(high, before.high)]
      const frame = onBoth(frameOf(low), frameOf(high))
      frames.set(low, turns[0]).set(high, turns[1])
      frames.set(low, then(low, after.low)).set(high, then(high, after.high))
      const matrix = product(adjoint(onBoth(frameOf(low), frameOf(high))), item.matrix, frame)
      if (czOf(interaction) > 0) result.push(pulled(item.qubits, matrix, interaction, turns))
    } else {
      for (const qubit of itemQubits(item)) flush(qubit)
      result.push(item)
    }
  }
  for (const qubit of [...frames.keys()]) flush(qubit)
  return result
}

type Turns = readonly [Matrix, Matrix]

/** The form of a block; that of a CZ after gates on one qubit is known. */
function formOf({ steps, gates, matrix, qubits }: Block): TwoQubitForm {
  if (gates !== 1 || steps.at(-1)?.kind !== 'cz') return interactionOf(matrix)
  const [low, high] = qubits.map((qubit) =>
    steps.reduce(
      (turn, step) => (step.kind === 'local' && step.qubit === qubit ? product(step.matrix, turn) : turn),
      IDENTITY,
    ),
  )
  const quarter = rzMatrix(Math.PI / 2)
  const before = { low: low ?? IDENTITY, high: high ?? IDENTITY }
  return { before, interaction: [0, 0, Math.PI / 4], after: { low: quarter, high: quarter } }
}

/** An interaction between turns of both qubits and their inverses. */
function pulled(qubits: Block['qubits'], matrix: Matrix, angles: Axes, turns: Turns): Block {
  const gates = czOf(angles)
  const exchanged = czOf([angles[0] + Math.PI / 4, angles[1] + Math.PI / 4, angles[2] + Math.PI / 4])
  const axes = [axisOf(angles, turns[0]), axisOf(angles, turns[1])] as const
  const angle = angles.find((each) => czOf([each, 0, 0]) > 0) ?? 0
  const steps =
    axes[0] && axes[1] ? aboutAxes(qubits, angle, [axes[0], axes[1]]) : between(qubits, angles, turns)
  return { kind: 'block', qubits, matrix, steps, gates, pulled: { exchange: exchanged - gates, axes } }
}

/** exp(i angle (one axis) (other axis)): each qubit is turned to z by the smallest angle, if at all. */
function aboutAxes(qubits: Block['qubits'], angle: number, axes: readonly [Axis, Axis]): GateStep[] {
  const sign = axes.reduce((product, [, , z]) => (z < 0 ? -product : product), 1)
  const turns = axes.map(([x, y, z]) => (z < 0 ? toZ([-x, -y, -z]) : toZ([x, y, z])))
  return between(qubits, [0, 0, sign * angle], [turns[0] ?? IDENTITY, turns[1] ?? IDENTITY])
}

/** The rotation by the smallest angle that moves an axis of the upper half to z. */
function toZ([x, y, z]: Axis): Matrix {
  if (Math.hypot(x, y) < 1e-12) return IDENTITY
  // About (y, -x, 0), by the angle between the axis and z.
  const half = Math.atan2(Math.hypot(x, y), z) / 2
  const [cos, sin] = [Math.cos(half), Math.sin(half)]
  const [u, v] = [y / Math.hypot(x, y), -x / Math.hypot(x, y)]
  return Float64Array.of(cos, 0, -sin * v, -sin * u, sin * v, -sin * u, cos, 0)
}

function between(qubits: Block['qubits'], angles: Axes, turns: Turns): GateStep[] {
  const list = new StepList<GateStep>()
  for (const [index, qubit] of qubits.entries()) list.local(qubit, turns[index] ?? IDENTITY)
  addInteraction(list, qubits, angles)
  for (const [index, qubit] of qubits.entries()) list.local(qubit, adjoint(turns[index] ?? IDENTITY))
  return list.steps
}

/** The axis of an interaction that has only one, before a turn of the qubit. */
function axisOf(angles: Axes, turn: Matrix): Axis | undefined {
  const some = angles.flatMap((angle, at) => (czOf([angle, 0, 0]) > 0 ? [at] : []))
  const pauli = some.length === 1 ? PAULIS[some[0] ?? 0] : undefined
  if (!pauli) return undefined
  const [aRe = 0, , bRe = 0, bIm = 0] = product(adjoint(turn), pauli, turn)
  return [bRe, -bIm, aRe]
}
