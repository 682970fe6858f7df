import { isFrameChange, type Op, type UnitaryOp } from '../../../qasm/index.ts'
import { JobError } from '../../errors.ts'
import { addControlled, addPhase, type Controls } from './controlled.ts'
import { addRelativeToffoli, type Roles } from './relative-toffoli.ts'
import { type Step, StepList } from './step.ts'
import { addControlledTwoQubit, addTwoQubit } from './two-qubit.ts'

/** A decomposition without ancilla qubits doubles with every control: 2^12 CZ for one gate. */
const MAX_CONTROLS = 11
/** Steps of one circuit: a schedule of that many pulses is far longer than any coherence time. */
const MAX_STEPS = 1_000_000

/**
 * Writes a circuit as unitaries on one qubit and CZ, each gate by its matrix, up to a global phase.
 * @param asWritten whether each gate is played by itself: steps of different gates are not joined, `id` waits
 * @param relative gates that may change signs of basis states, as `relativeToffolis` finds them
 * @throws JobError naming a gate on more qubits than the decomposition can handle.
 */
export function decompose(
  ops: readonly Op[],
  asWritten = false,
  relative: ReadonlyMap<number, Roles> = new Map(),
): Step[] {
  const list = new StepList()
  for (const [index, op] of ops.entries()) {
    if (asWritten) list.gate = index
    const roles = relative.get(index)
    if (roles && op.kind === 'unitary') addRelativeToffoli(list, op, roles)
    else addOp(list, op)
    if (list.steps.length > MAX_STEPS) {
      throw new JobError(`the circuit decomposes into more than ${MAX_STEPS} gates`, {
        errorCode: 'circuit_too_large',
      })
    }
  }
  return list.steps
}

function addOp(list: StepList, op: Op): void {
  if (op.kind === 'phase') addPhase(list, controlsOf(op.controls, op.controlValues, 'phase'), op.angle)
  else if (op.kind === 'delay') list.steps.push(...op.qubits.map((qubit) => ({ ...op, qubits: [qubit] })))
  else if (op.kind !== 'unitary') list.steps.push(op)
  else if (list.gate === undefined || op.controls.length > 0 || op.targets.length > 1) addUnitary(list, op)
  else addWritten(list, op, list.gate)
}

/** A gate on one qubit that is played by itself. */
function addWritten({ steps }: StepList, op: UnitaryOp, gate: number): void {
  const { targets, matrix, name, waits } = op
  const [qubit = 0] = targets
  if (waits === undefined) steps.push({ kind: 'local', qubit, matrix, gate, isPulse: !isFrameChange(op) })
  else if (waits >= 0) steps.push({ kind: 'idle', qubit, pulses: waits })
  else {
    const message = `${name}(${waits}) would wait for a negative time; give it a number of gates from 0`
    throw new JobError(message, { errorCode: 'unsupported_gate' })
  }
}

function addUnitary(list: StepList, op: UnitaryOp): void {
  const { targets, matrix, name } = op
  const [low = 0, high] = targets
  if (targets.length > 2) {
    const problem = `acts on ${targets.length} qubits by one matrix; at most 2 are supported, apart from controls`
    throw new JobError(`the gate ${name} ${problem}`, { errorCode: 'unsupported_gate' })
  }
  const controls = controlsOf(op.controls, op.controlValues, name)
  if (high === undefined) addControlled(list, controls, low, matrix)
  else if (controls.qubits.length === 0) addTwoQubit(list, [low, high], matrix)
  else addControlledTwoQubit(list, controls, [low, high], matrix)
}

function controlsOf(qubits: readonly number[], values: number, name: string): Controls {
  if (qubits.length > MAX_CONTROLS) {
    const problem = `has ${qubits.length} controls; at most ${MAX_CONTROLS} are supported without ancilla qubits`
    throw new JobError(`the gate ${name} ${problem}`, { errorCode: 'unsupported_gate' })
  }
  return { qubits, values }
}
