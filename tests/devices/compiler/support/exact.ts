import type { NativeOp } from '../../../../src/devices/compiler/decompose/native.ts'
import type { Op, PhaseOp, UnitaryOp } from '../../../../src/qasm/index.ts'
import { createEngine } from '../../../../src/simulator/kernel/engine.ts'
import { compile } from '../../../../src/simulator/methods/statevector/gates/compile.ts'
import { Statevector } from '../../../../src/simulator/methods/statevector/state/statevector.ts'

const engine = await createEngine(1)

/**
 * The exact probabilities of the outcomes of a circuit that measures each of its bits once, at its end, by
 * the ideal simulator: by the index of the bit string.
 */
export function outcomeProbabilities(ops: readonly (Op | NativeOp)[]): Map<number, number> {
  const places = new Map<number, number>()
  const bitOf = (qubit: number) => {
    const place = places.get(qubit) ?? places.size
    places.set(qubit, place)
    return 2 ** place
  }
  const calls = ops.flatMap((op) => gatesOf(op).flatMap((gate) => compile(gate, bitOf)))
  const bits = ops.flatMap((op) => (op.kind === 'measure' ? [[bitOf(op.qubit), 2 ** op.clbit] as const] : []))
  const state = new Statevector(engine, places.size)
  state.applyAll(calls)
  const probabilities = new Map<number, number>()
  const { amplitudes } = state
  for (let index = 0; index < 2 ** places.size; index++) {
    const probability = (amplitudes[2 * index] ?? 0) ** 2 + (amplitudes[2 * index + 1] ?? 0) ** 2
    const outcome = bits.reduce((sum, [bit, clbit]) => ((index & bit) === 0 ? sum : sum + clbit), 0)
    probabilities.set(outcome, (probabilities.get(outcome) ?? 0) + probability)
  }
  return probabilities
}

/** Half the sum of the differences of two distributions. */
export function totalVariation(one: ReadonlyMap<number, number>, other: ReadonlyMap<number, number>): number {
  const outcomes = new Set([...one.keys(), ...other.keys()])
  return (
    [...outcomes].reduce((sum, key) => sum + Math.abs((one.get(key) ?? 0) - (other.get(key) ?? 0)), 0) / 2
  )
}

function gatesOf(op: Op | NativeOp): (UnitaryOp | PhaseOp)[] {
  switch (op.kind) {
    case 'unitary':
    case 'phase':
      return [op]
    case 'cz':
      return [{ kind: 'phase', controls: [...op.qubits], controlValues: 3, angle: Math.PI }]
    case 'rz':
      return [{ kind: 'phase', controls: [op.qubit], controlValues: 1, angle: op.angle }]
    case 'rotate': {
      const { theta, phi } = op
      const [cos, sin, x, y] = [Math.cos(theta / 2), Math.sin(theta / 2), Math.cos(phi), Math.sin(phi)]
      const matrix = Float64Array.of(cos, 0, -sin * y, -sin * x, sin * y, -sin * x, cos, 0)
      return [
        { kind: 'unitary', targets: [op.qubit], controls: [], controlValues: 0, matrix, name: 'rotate' },
      ]
    }
    default:
      return []
  }
}
