import { declareName } from './execute/declare.ts'
import { entryOf } from './execute/loop.ts'
import type { Machine } from './execute/machine.ts'
import type { Scope } from './execute/scope.ts'
import type { Statement } from './syntax/ast.ts'
import { unknownArray } from './values/arrays.ts'
import type { Type } from './values/types.ts'
import { type QubitsValue, unknownValue } from './values/values.ts'

/** Qubit arguments of a gate differ from one another; which ones they are is known at run time. */
export function argumentQubit(index: number): QubitsValue {
  return { kind: 'qubits', scalar: true, qubits: [-1_000_000 - index] }
}

/** Declares an argument of a subroutine, whose value is known at run time only. */
export function declareArgument(m: Machine, name: string, type: Type, isReadonly: boolean, at: number): void {
  switch (type.kind) {
    case 'qubit':
    case 'qubits': {
      const qubits: number[] = new Array(type.kind === 'qubit' ? 1 : type.size).fill(-1)
      const value: QubitsValue = { kind: 'qubits', scalar: type.kind === 'qubit', qubits }
      declareName(m, name, { kind: 'reference', value, constant: true }, at)
      break
    }
    case 'array': {
      const value = { ...unknownArray(type.element, type.shape), readonly: isReadonly }
      declareName(m, name, { kind: 'reference', value, constant: false }, at)
      break
    }
    case 'void':
      break
    default:
      declareName(m, name, entryOf(unknownValue(type), type), at)
  }
}

/** Declares the name of a refused declaration as broken, so that its uses are not reported again. */
export function markBroken(scope: Scope, node: Statement): void {
  const isDeclaration =
    node.kind === 'declare' ||
    node.kind === 'alias' ||
    node.kind === 'gate' ||
    node.kind === 'def' ||
    node.kind === 'extern'
  if (isDeclaration && scope.own(node.name) === undefined) scope.set(node.name, { kind: 'broken' })
}
