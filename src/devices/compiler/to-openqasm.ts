import { nanosecondsOf } from '../../qasm/index.ts'
import type { NativeOp } from './decompose/native.ts'

/**
 * Writes operations of a chip as OpenQASM 3 on physical qubits: a pulse as `U`, a change of the frame as
 * `rz`.
 * @param clbits number of classical bits
 */
export function toOpenQasm(ops: readonly NativeOp[], clbits: number): string {
  const lines = ['OPENQASM 3.0;', 'include "stdgates.inc";', ...(clbits > 0 ? [`bit[${clbits}] c;`] : [])]
  for (const op of ops) {
    const line = lineOf(op)
    if (line !== undefined) lines.push(line)
  }
  return `${lines.join('\n')}\n`
}

function lineOf(op: NativeOp): string | undefined {
  switch (op.kind) {
    case 'rotate':
      // A pulse that turns by nothing is one of `rx` only.
      if (op.theta === 0) return `rx(0) $${op.qubit};`
      // A rotation about the axis at phi in the plane of x and y.
      return `U(${op.theta}, ${op.phi - Math.PI / 2}, ${Math.PI / 2 - op.phi}) $${op.qubit};`
    case 'rz':
      return `rz(${op.angle}) $${op.qubit};`
    case 'cz':
      return `cz ${places(op.qubits)};`
    case 'measure':
      return `${op.clbit < 0 ? '' : `c[${op.clbit}] = `}measure $${op.qubit};`
    case 'reset':
      return `reset $${op.qubit};`
    case 'barrier':
      return op.qubits.length === 0 ? undefined : `barrier ${places(op.qubits)};`
    case 'delay':
      // As the schedule plays it: in whole nanoseconds.
      return `delay[${nanosecondsOf(op).ns}ns] ${places(op.qubits)};`
  }
}

function places(qubits: readonly number[]): string {
  return qubits.map((qubit) => `$${qubit}`).join(', ')
}
