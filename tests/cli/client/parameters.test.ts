import { describe, expect, test } from 'bun:test'
import { bindParameters, checkNames, parseParameter } from '../../../src/cli/client/parameters.ts'

const PROGRAM = `OPENQASM 3.0; include "stdgates.inc"; input float a; input float b; qubit q;
  rx(a) q; rz(b) q;`
const PLAIN = 'OPENQASM 3.0; qubit q; reset q;'

describe('parseParameter()', () => {
  test('reads a number with or without a name', () => {
    expect(parseParameter('theta = -1.5e-3')).toEqual({ name: 'theta', value: -0.0015 })
    expect(parseParameter('.5')).toEqual({ name: undefined, value: 0.5 })
  })

  test.each(['', 'theta', 'theta=', '=1', '1e999', '0x10', 'a=b=1'])('refuses %p', (text) => {
    expect(() => parseParameter(text)).toThrow(`--param: bad value "${text}"`)
  })
})

describe('bindParameters()', () => {
  const bind = (...texts: string[]) => bindParameters(PROGRAM, 'scan.qasm', texts.map(parseParameter))

  test('gives named values to their inputs and the others in order', () => {
    expect(bind('0.1', '0.2')).toEqual([0.1, 0.2])
    expect(bind('b=0.2', 'a=0.1')).toEqual([0.1, 0.2])
    expect(bind('0.1', 'a=5')).toEqual([5, 0.1])
    expect(bind('a=1', 'a=2', 'b=3')).toEqual([2, 3])
  })

  test('names what is missing or too much', () => {
    expect(() => bind('a=1')).toThrow('scan.qasm: no value for the input b; add --param b=VALUE')
    expect(() => bind('1', '2', '3')).toThrow('scan.qasm: 1 values too many for its inputs a, b')
  })

  test('leaves programs without inputs and unreadable ones to the server', () => {
    expect(bindParameters(PLAIN, 'plain.qasm', [parseParameter('1')])).toBeUndefined()
    expect(bindParameters('qubit', 'bad.qasm', [parseParameter('1')])).toBeUndefined()
    expect(bindParameters(PROGRAM, 'scan.qasm', [])).toBeUndefined()
  })
})

test('a name that no program has is refused', () => {
  const named = [parseParameter('c=1')]
  expect(() => checkNames([PROGRAM, PLAIN], named)).toThrow('--param: no input named c; the inputs are a, b')
  expect(() => checkNames([PLAIN], named)).toThrow('--param: no input named c; the programs have no inputs')
  expect(() => checkNames([PROGRAM], [parseParameter('b=1')])).not.toThrow()
})
