import { expect, test } from 'bun:test'
import { checkProgram, lowerProgram, parseProgram } from '../../../src/qasm/index.ts'

const anglesOf = (text: string, values: readonly number[]) => {
  const { ops = [] } = lowerProgram(parseProgram(`OPENQASM 3.0; ${text}`), values)
  return ops.map((op) => (op.kind === 'phase' ? op.angle : undefined))
}

test('an input array takes a value for each element, in the order of its indices', () => {
  const text =
    'input float x; input array[float, 2, 3] a; input float y; qubit q; gphase(x); for int i in [0:1] { for int j in [0:2] { gphase(a[i, j]); } } gphase(y);'
  expect(parseProgram(`OPENQASM 3.0; ${text}`).inputs.map(({ name }) => name)).toEqual([
    'x',
    'a[0, 0]',
    'a[0, 1]',
    'a[0, 2]',
    'a[1, 0]',
    'a[1, 1]',
    'a[1, 2]',
    'y',
  ])
  expect(anglesOf(text, [1, 2, 3, 4, 5, 6, 7, 8])).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(() => anglesOf(text, [1, 2])).toThrow('8 parameter values, not 2')
})

test('subroutines read and change arrays by reference', () => {
  const text = `input array[float, 2] a; qubit q;
    def double(mutable array[float, #dim = 1] b) { for int i in [0:sizeof(b) - 1] { b[i] = 2 * b[i]; } }
    def first(readonly array[float, 2] b) -> float { return b[0]; }
    double(a); gphase(first(a)); gphase(a[1]);`
  expect(anglesOf(text, [0.5, 3])).toEqual([1, 6])
})

test('a value that an element cannot have is refused by its name', () => {
  const text = 'input array[uint[4], 2] n; qubit[2] q; if (n[1] == 3) { gphase(1.0); }'
  expect(anglesOf(text, [15, 3])).toEqual([1])
  expect(() => anglesOf(text, [15, 16])).toThrow('"n[1]" is uint[4]')
  const bits = 'input array[bit[2], 2] b; qubit q; if (b[1][1]) { gphase(1.0); }'
  expect([anglesOf(bits, [0, 2]), anglesOf(bits, [2, 1])]).toEqual([[1], []])
})

test('a check names the elements as inputs', () => {
  const { inputs, problems } = checkProgram('OPENQASM 3.0; input array[angle[8], 2] a; qubit q;')
  expect(problems).toEqual([])
  expect(inputs).toEqual([
    { name: 'a[0]', type: { kind: 'angle', width: 8 } },
    { name: 'a[1]', type: { kind: 'angle', width: 8 } },
  ])
})
