import type { PhaseOp, UnitaryOp } from '../../../qasm/index.ts'
import type { KernelCall } from '../../kernel/kernel-call.ts'
import type { Channel } from '../../noise/channel.ts'
import type { ReducedCircuit, StateOp } from '../../reduction/reduce-circuit.ts'
import { OP_WORK, UNLIMITED, type WorkCounter } from '../../timing/time-budget.ts'
import { compile } from '../statevector/gates/compile.ts'
import { DEPHASED, RESET, superoperatorOf } from './superoperator.ts'

/** A circuit as calls on ρ, written as a state of twice the qubits. */
export interface DensityPlan {
  qubits: number
  calls: KernelCall[]
  /** Final measurements: `bit` is 0 for a qubit that stays |0>. */
  terminal: { bit: number; clbit: number }[]
}

/** Gates act on the rows of ρ and, conjugated, on its columns; other steps are channels. */
export function planDensity(
  { qubits, ops, terminal }: ReducedCircuit,
  work: WorkCounter = UNLIMITED,
): DensityPlan {
  const places = new Map(qubits.map((qubit, place) => [qubit, place]))
  const row = (qubit: number) => 1 << (places.get(qubit) ?? 0)
  const column = (qubit: number) => row(qubit) << qubits.length
  const superoperators = new Map<Channel, Float64Array>()
  const onChannel = (channel: Channel, on: readonly number[]): KernelCall => {
    const matrix = superoperators.get(channel) ?? superoperatorOf(channel)
    superoperators.set(channel, matrix)
    return { kind: 'many', targets: [...on.map(row), ...on.map(column)], controls: 0, value: 0, matrix }
  }
  const callsOf = (op: StateOp): KernelCall[] => {
    work.spend(OP_WORK)
    if (op.kind === 'channel') return [onChannel(op.channel, op.qubits)]
    if (op.kind === 'reset') return [onChannel(RESET, [op.qubit])]
    if (op.kind === 'measure') return [onChannel(DEPHASED, [op.qubit])]
    return [...compile(op, row), ...compile(conjugated(op), column)]
  }
  return {
    qubits: qubits.length,
    calls: ops.flatMap(callsOf),
    terminal: terminal.map(({ qubit, clbit }) => ({ bit: places.has(qubit) ? row(qubit) : 0, clbit })),
  }
}

function conjugated(op: UnitaryOp | PhaseOp): UnitaryOp | PhaseOp {
  if (op.kind === 'phase') return { ...op, angle: -op.angle }
  return { ...op, matrix: op.matrix.map((part, index) => (index % 2 === 0 ? part : -part)) }
}
