import { expect, test } from 'bun:test'
import { bodyOf, type Circuit } from '../../../clients/js/src/submission.ts'

const TWO = `OPENQASM 3.0;
/* input float nothing; */ input float theta; input angle[32] phi; // input float other;
qubit q;`

function sent(parameterValues: NonNullable<Circuit['parameterValues']>): unknown {
  const [circuit] = bodyOf({ circuits: [{ circuit: TWO, parameterValues }] }).circuits ?? []
  return typeof circuit === 'object' ? circuit?.parameter_values : undefined
}

test('values of inputs are given in their order or by their names', () => {
  expect(sent([1, 2])).toEqual([1, 2])
  expect(sent([[1, 2], { phi: 4, theta: 3 }])).toEqual([
    [1, 2],
    [3, 4],
  ])
  expect(sent({ phi: 2, theta: 1 })).toEqual([1, 2])
  expect(sent([{ phi: 2, theta: 1 }])).toEqual([[1, 2]])
  expect(() => sent({ phi: 2 })).toThrow('no value for the input theta')
  expect(() => sent({ x: 2, phi: 1, theta: 1 })).toThrow('no input x; its inputs are theta, phi')
  const text = 'OPENQASM 3.0; input float x; input array[float[64], 2] a; input array[uint[4], 1] n; qubit q;'
  const circuits = [{ circuit: text, parameterValues: { a: [2, 3], n: [4], x: 1 } }]
  expect(bodyOf({ circuits }).circuits).toEqual([{ circuit: text, parameter_values: [1, 2, 3, 4] }])
  const sets = Array.from({ length: 301 }, () => ({ phi: 2, theta: 1 }))
  expect(() => sent(sets)).toThrow('The job has 301 executions')
})

test('an exact job names its observables', () => {
  const expectationValues = [{ ZZ: 0.5, XI: -1 }]
  expect(bodyOf({ circuits: [{ circuit: TWO, expectationValues }], exact: true })).toEqual({
    circuits: [{ circuit: TWO, expectation_values: expectationValues }],
    exact: true,
  })
  expect(bodyOf({ circuits: [TWO], exact: false })).toEqual({ circuits: [TWO] })
})
