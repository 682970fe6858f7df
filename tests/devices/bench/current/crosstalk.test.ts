import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { appliedCurrents, effectiveCurrents } from '../../../../src/devices/bench/current/crosstalk.ts'

const PAIR = [
  { edge: 'q0_q1', crosstalk: { q1_q2: 0.03 } },
  { edge: 'q1_q2', crosstalk: { q0_q1: -0.05 } },
]

test('the flux of a neighbor counts by its fraction', () => {
  const effective = effectiveCurrents(
    PAIR,
    new Map([
      ['q0_q1', 1e-3],
      ['q1_q2', 2e-3],
    ]),
  )
  expect(effective.get('q0_q1')).toBeCloseTo(1.06e-3, 12)
  expect(effective.get('q1_q2')).toBeCloseTo(1.95e-3, 12)
})

test('a coupler that is not parked keeps its current, and its flux is taken off', () => {
  const applied = appliedCurrents(
    PAIR,
    new Map([['q0_q1', 1e-3]]),
    new Map([
      ['q0_q1', 0],
      ['q1_q2', 2e-3],
    ]),
  )
  expect([...applied]).toEqual([['q0_q1', 0.94e-3]])
})

test('applied currents have the wanted effect, whatever the crosstalk below 10 %', () => {
  const edges = ['a', 'b', 'c', 'd']
  const fraction = fc.double({ min: -0.1, max: 0.1, noNaN: true })
  const amps = fc.double({ min: -3e-3, max: 3e-3, noNaN: true })
  const row = fc.array(fraction, { minLength: 4, maxLength: 4 })
  const property = fc.property(
    fc.array(row, { minLength: 4, maxLength: 4 }),
    fc.array(amps, { minLength: 4, maxLength: 4 }),
    (rows, values) => {
      const couplers = edges.map((edge, each) => ({
        edge,
        crosstalk: Object.fromEntries(edges.map((other, column) => [other, rows[each]?.[column] ?? 0])),
      }))
      const held = new Map(edges.map((edge, each) => [edge, values[each] ?? 0]))
      // The last one stays where it is.
      const wanted = new Map(edges.slice(0, 3).map((edge, each) => [edge, values[each] ?? 0]))
      const applied = appliedCurrents(couplers, wanted, held)
      const effective = effectiveCurrents(couplers, new Map([...held, ...applied]))
      for (const [edge, value] of wanted) expect(effective.get(edge)).toBeCloseTo(value, 12)
    },
  )
  fc.assert(property, { numRuns: 100, seed: 14 })
})

test('crosstalk without a solution is refused', () => {
  const couplers = [
    { edge: 'a', crosstalk: { b: 1 } },
    { edge: 'b', crosstalk: { a: 1 } },
  ]
  expect(() =>
    appliedCurrents(
      couplers,
      new Map([
        ['a', 1],
        ['b', 0],
      ]),
      new Map(),
    ),
  ).toThrow('no solution')
})
