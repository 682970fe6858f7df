import { expect, test } from 'bun:test'
import { QasmError } from '../../src/qasm/index.ts'
import { circuitErrorOf } from '../../src/simulator/errors.ts'

test('circuitErrorOf() adds circuit, line and column to an error in a program', () => {
  const error = circuitErrorOf(new QasmError('unknown_name', 'h is not known', 3, 7), 4)
  expect(error).toMatchObject({
    message: 'circuit 4, line 3, column 7: h is not known',
    code: 'unknown_name',
    circuitIndex: 4,
  })
  const other = new Error('else')
  expect(circuitErrorOf(other, 4)).toBe(other)
})
