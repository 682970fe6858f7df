import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readExpression } from '../../../ui/lib/expressions.ts'

test.each([
  ['0.35', 0.35],
  ['-1e-3', -0.001],
  ['pi/2', Math.PI / 2],
  ['3*π − 1', 3 * Math.PI - 1],
  ['2 × (pi - -1)', 2 * (Math.PI + 1)],
  ['tau/4/2', Math.PI / 4],
  ['.5', 0.5],
])('%s is %p', (text, value) => {
  expect(readExpression(text)).toBeCloseTo(value, 12)
})

test.each([
  ['', 'A value is missing'],
  ['pi/x', 'x is unknown'],
  ['pi/', 'pi/ is not complete'],
  ['(1', '(1 is not complete'],
  ['1 2', '1 2 is not complete'],
  ['1;', '1; is not a number'],
  ['1/0', '1/0 is not a finite number'],
])('%p is refused: %s', (text, message) => {
  expect(readExpression(text)).toBe(message)
})

test('every finite number is read as itself, and no text breaks the reader', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(readExpression(String(value))).toBe(value + 0)
    }),
  )
  fc.assert(fc.property(fc.string(), (text) => void readExpression(text)))
})
