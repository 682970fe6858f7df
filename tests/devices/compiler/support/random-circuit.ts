import type { MeasureOp, Op } from '../../../../src/qasm/index.ts'
import { createRng } from '../../../../src/simulator/index.ts'

/** A circuit of random gates on one, two and sometimes three qubits, all of which are measured. */
export interface RandomCircuit {
  qubits: number
  ops: Op[]
}

const X = Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0)

/** @param gates number of gates on two or three qubits, for each qubit. */
export function randomCircuit(seed: number, qubits: number, gates = 4): RandomCircuit {
  const rng = createRng(seed)
  const pick = (count: number) => Math.floor(rng.next() * count)
  const ops: Op[] = []
  const order = Array.from({ length: qubits }, (_, index) => index)
  const shuffle = () => {
    for (let at = qubits - 1; at > 0; at--) {
      const other = pick(at + 1)
      ;[order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0]
    }
    return order
  }
  const turn = (qubit: number) => ops.push(unitary([qubit], [], ry(3 * rng.next()), 'ry'))
  for (let qubit = 0; qubit < qubits; qubit++) turn(qubit)
  for (let gate = 0; gate < gates * qubits; gate++) {
    const [one = 0, other = 0, third = 0] = shuffle()
    const kind = pick(8)
    if (kind === 0 && qubits > 2) ops.push(unitary([third], [one, other], X, 'ccx'))
    else if (kind < 4) ops.push(unitary([other], [one], X, 'cx'))
    else ops.push({ kind: 'phase', controls: [one, other], controlValues: 3, angle: 3 * rng.next() })
    turn(pick(qubits))
    if (pick(10) === 0) ops.push({ kind: 'barrier', qubits: [one, other, third].slice(0, qubits) })
  }
  const measured = [...shuffle()].map((qubit, clbit): MeasureOp => ({ kind: 'measure', qubit, clbit }))
  return { qubits, ops: [...ops, ...measured] }
}

/** exp(-i angle Y / 2). */
function ry(angle: number): Float64Array {
  const [cos, sin] = [Math.cos(angle / 2), Math.sin(angle / 2)]
  return Float64Array.of(cos, 0, -sin, 0, sin, 0, cos, 0)
}

function unitary(targets: number[], controls: number[], matrix: Float64Array, name: string): Op {
  return { kind: 'unitary', targets, controls, controlValues: 2 ** controls.length - 1, matrix, name }
}
