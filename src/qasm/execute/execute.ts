import { Fault } from '../fault.ts'
import { toDouble } from '../rational.ts'
import type { AssignNode, Expression, Statement } from '../syntax/ast.ts'
import { describeType } from '../values/types.ts'
import { typeOf } from '../values/values.ts'
import { assign } from './assign.ts'
import { declare, declareAlias, declareExtern, declareLibrary } from './declare.ts'
import { evaluate, evaluateQubits } from './evaluate.ts'
import { applyUnitary, callGate, operandQubits } from './gate-call.ts'
import { decide, type Machine } from './machine.ts'

type SimpleKind =
  | 'include'
  | 'declare'
  | 'assign'
  | 'alias'
  | 'extern'
  | 'gate_call'
  | 'reset'
  | 'barrier'
  | 'delay'
  | 'nop'
  | 'pragma'
  | 'unitary'
  | 'expression'

/** Statements that the checker and the runner execute in the same way. */
type SimpleStatement = Extract<Statement, { kind: SimpleKind }>

/** Executes a statement without blocks; throws a fault if it is wrong. */
export function executeSimple(m: Machine, node: SimpleStatement): void {
  // biome-ignore lint/nursery/useExhaustiveSwitchCases: this release of Biome does not see through Extract
  switch (node.kind) {
    case 'include':
      declareLibrary(m, node.library, node.at)
      break
    case 'declare':
      declare(m, node)
      break
    case 'assign':
      if (measuresNothing(m, node))
        m.warn('left_out', 'Measurements of registers that are not declared are left out', node.at)
      else assign(m, node)
      break
    case 'alias':
      declareAlias(m, node.name, node.value, node.at)
      break
    case 'extern':
      declareExtern(m, node)
      break
    case 'gate_call':
      callGate(m, node)
      break
    case 'reset':
      reset(m, node)
      break
    case 'barrier':
      barrier(m, node)
      break
    case 'delay':
      delay(m, node)
      break
    case 'pragma':
      m.warn('ignored_directive', `${node.name} is ignored`, node.at)
      break
    case 'unitary':
      applyUnitary(m, node)
      break
    case 'nop':
      operandQubits(m, node.operands)
      break
    case 'expression':
      if (node.value.kind === 'measure')
        m.warn('no_measurement', 'This outcome is in no result: write c = measure … for a bit c', node.at)
      evaluate(m, node.value)
      break
  }
}

function reset(m: Machine, node: SimpleStatement & { kind: 'reset' }): void {
  const { qubits } = evaluateQubits(m, node.operand)
  if (m.checking) {
    m.countOperations(qubits.length, node.at)
    m.resetQubits(qubits)
  } else for (const qubit of qubits) m.emit({ kind: 'reset', qubit }, node.at)
}

/**
 * Some published OpenQASM 2 files end by measuring an undeclared register into another undeclared register.
 * Without qubits and bits the statement has no effect.
 */
function measuresNothing(m: Machine, { target, value }: AssignNode): boolean {
  if (m.version === 3 || value.kind !== 'measure') return false
  const names = [nameOf(target), nameOf(value.operand)]
  return names.every((name) => name !== undefined && m.scope.find(name) === undefined)
}

function nameOf(node: Expression): string | undefined {
  const base = node.kind === 'index' ? node.base : node
  return base.kind === 'name' ? base.name : undefined
}

function barrier(m: Machine, node: SimpleStatement & { kind: 'barrier' }): void {
  // pytket orders bits too, which are always in the order of the text.
  const isBits = (operand: Expression) => m.version === 2 && evaluate(m, operand).kind === 'bits'
  const operands = node.operands.filter((operand) => !isBits(operand))
  if (operands.length === 0 && node.operands.length > 0) return
  const qubits = operandQubits(m, operands)
  m.countOperations(qubits.length, node.at)
  m.emit({ kind: 'barrier', qubits }, node.at)
}

function delay(m: Machine, node: SimpleStatement & { kind: 'delay' }): void {
  const duration = evaluate(m, node.duration)
  const type = typeOf(duration)
  if (type.kind !== 'duration') {
    throw new Fault(
      'type_mismatch',
      node.duration.at,
      `A duration such as 100ns is needed here, not ${describeType(type)}`,
    )
  }
  const qubits = operandQubits(m, node.operands)
  if (node.hasNoUnit)
    m.warn(
      'no_unit',
      'This wait has no unit: its number is taken as dt, the unit of time of the QPU, or 1 ns',
      node.at,
    )
  if (!decide(m, duration) || duration.kind !== 'duration') return
  const { seconds } = duration
  if (seconds.numerator < 0n)
    throw new Fault('invalid_value', node.duration.at, `A delay must not be negative: ${toDouble(seconds)} s`)
  m.countOperations(qubits.length, node.at)
  m.emit({ kind: 'delay', qubits, duration: seconds }, node.at)
}
