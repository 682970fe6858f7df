import { expect, test } from 'bun:test'
import {
  expectationOf,
  hellingerFidelity,
  marginalOf,
  parseBits,
  parsePauliZ,
  widthOf,
} from '../../../../ui/jobs/ideal/marginals.ts'

const COUNTS = { '000': 40, '011': 30, '101': 20, '110': 10 }

test('widthOf() is the length of all outcomes', () => {
  expect([widthOf(COUNTS), widthOf({}), widthOf({ '0': 1, '00': 1 })]).toEqual([3, undefined, undefined])
})

test('marginalOf() sums over the other bits and keeps bit 0 on the right', () => {
  expect(marginalOf(COUNTS, [0])).toEqual({ '0': 50, '1': 50 })
  expect(marginalOf(COUNTS, [0, 2])).toEqual({ '00': 40, '01': 30, '11': 20, '10': 10 })
  expect(marginalOf(COUNTS, [])).toBe(COUNTS)
})

test.each([
  ['', { value: [] }],
  ['2, 0', { value: [0, 2] }],
  ['0-2', { value: [0, 1, 2] }],
  ['3', { problem: 'There is no bit 3; the bits are 0 to 2.' }],
  ['2-1', { problem: '“2-1” is not a bit; write bits such as 0, 2, 5-7.' }],
  ['x', { problem: '“x” is not a bit; write bits such as 0, 2, 5-7.' }],
])('parseBits(%p)', (text, found) => {
  expect(parseBits(text, 3)).toEqual(found)
})

test.each([
  ['ZIZ', { value: [0, 2] }],
  ['iiz', { value: [0] }],
  ['III', { value: [] }],
  ['Z0 Z2', { value: [0, 2] }],
  ['Z2Z0', { value: [0, 2] }],
  ['ZZ', { problem: '2 letters for 3 bits; write one letter for each bit.' }],
  ['ZXZ', { problem: 'Write Z and I, such as ZIZ, or bits such as Z0 Z2.' }],
  ['', { problem: 'Write Z and I, such as ZIZ, or bits such as Z0 Z2.' }],
])('parsePauliZ(%p)', (text, found) => {
  expect(parsePauliZ(text, 3)).toEqual(found)
})

test('expectationOf() is the mean parity with its standard error', () => {
  expect(expectationOf(COUNTS, [0, 1, 2])).toEqual({ mean: 1, error: 0 })
  const { mean, error } = expectationOf(COUNTS, [1])
  expect(mean).toBeCloseTo(0.2, 12)
  expect(error).toBeCloseTo(Math.sqrt(0.96 / 100), 12)
  expect(expectationOf({}, [0])).toEqual({ mean: 0, error: 0 })
})

test('hellingerFidelity() is 1 for equal distributions, 0 for disjoint ones, whatever their totals', () => {
  expect(hellingerFidelity({ '00': 5, '11': 5 }, { '00': 0.5, '11': 0.5 })).toBeCloseTo(1, 12)
  expect(hellingerFidelity({ '00': 5 }, { '11': 1 })).toBe(0)
  expect(hellingerFidelity({ '0': 75, '1': 25 }, { '0': 0.5, '1': 0.5 })).toBeCloseTo(
    (Math.sqrt(0.375) + Math.sqrt(0.125)) ** 2,
    12,
  )
})
