import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkProgram, parseProgram, QasmError, type QasmProblem } from '../../src/qasm/index.ts'

const HEAD = 'OPENQASM 3.0; include "stdgates.inc"; qubit[4] q; bit[4] c; float v = 1;'
const LINES = [
  'v = sin(v);',
  'cx q[0], q[1];',
  'c[1] = measure q[1];',
  'qubit q;',
  'rz(v) q[9];',
  'if (c[0]) { x q[0]; }',
]

/** Errors that prevent a program from being run, which is read as a whole before it is checked. */
function refusal(text: string): QasmProblem | undefined {
  try {
    parseProgram(text)
    return undefined
  } catch (error) {
    if (!(error instanceof QasmError)) throw error
    const { code, message, line, column } = error
    return { code, message, line, column }
  }
}

test('checkProgram(), which checks each piece as it is read, first reports what parseProgram() refuses', () => {
  const block = fc
    .tuple(fc.constantFrom(...LINES), fc.nat(1_500))
    .map(([line, times]) => `${line}\n`.repeat(times))
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), fc.constantFrom('', 'oops ('), (blocks, end) => {
      const text = [HEAD, ...blocks, end].join('\n')
      expect(checkProgram(text).problems[0]).toEqual(refusal(text))
    }),
    { numRuns: 40 },
  )
})
