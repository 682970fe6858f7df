import { describe, expect, test } from 'bun:test'
import type { CircuitResult } from '../../../../ui/api/model/jobs.ts'
import { fitSweep } from '../../../../ui/jobs/sweep/fit-sweep.ts'
import {
  changingOutcomes,
  countsOfSweep,
  gridOf,
  pointsOf,
  type Sweep,
  sweepCsv,
  sweepOf,
} from '../../../../ui/jobs/sweep/sweep.ts'

const result = (counts: Record<string, number>) => ({ counts }) as unknown as CircuitResult
const run = (text: string, ...sets: number[][]) => sets.map((values) => ({ text, values }))

/** A sweep of one angle with the populations sin²(θ/2) of the second of two bits. */
function rabi(angles: readonly number[], shots = 1_000): Sweep {
  const results = angles.map((angle) => {
    const ones = Math.round(shots * Math.sin(angle / 2) ** 2)
    return result({ '00': shots - ones, '10': ones })
  })
  const sweep = sweepOf(run('p', ...angles.map((angle) => [angle, 7])), results)
  if (!sweep) throw new Error('no sweep')
  return sweep
}

describe('sweepOf()', () => {
  test('keeps the parameters that differ, with their places among the inputs', () => {
    expect(rabi([0, 1, 2]).parameters).toEqual([{ index: 0, values: [0, 1, 2] }])
  })

  test('joins programs that a client has bound, and takes the most executed one of others', () => {
    const results = [1, 2, 3, 4].map((count) => result({ 0: count }))
    const angles = ['0', 'pi/2', '-3*pi/4', '1.5e-3']
    const bound = angles.flatMap((angle, at) => run(`rx(${angle}) q[0];`, [at]))
    expect(sweepOf(bound, results)?.parameters).toEqual([{ index: 0, values: [0, 1, 2, 3] }])
    const waits = angles.flatMap((_, at) => run(`delay[${at}us] $0;`, [at]))
    expect(sweepOf(waits, results)?.results).toEqual(results)
    const mixed = [...run('x', [9]), ...run('y', [1], [2], [3])]
    expect(sweepOf(mixed, results)).toMatchObject({ text: 'y', results: results.slice(1) })
  })

  test.each([
    ['two executions', run('p', [1], [2])],
    ['programs on other qubits', [0, 1, 2].flatMap((at) => run(`rx(${at}) $${at};`, [at]))],
    ['programs of other bits', [0, 1, 2].flatMap((at) => run(`rx(${at}) q[${at}];`, [at]))],
    ['programs with other gates', ['x', 'y', 'z'].flatMap((of, at) => run(`r${of}(${at}) q[0];`, [at]))],
    ['equal values', run('p', [1], [1], [1])],
    ['programs without values', [...run('a', []), ...run('b', []), ...run('c', [])]],
    ['programs with other numbers of values', [...run('a', [1]), ...run('b', [1, 2]), ...run('c', [1])]],
  ])('finds none in %s', (_, executions) => {
    expect(
      sweepOf(
        executions,
        executions.map(() => result({ 0: 1 })),
      ),
    ).toBeUndefined()
  })
})

test('pointsOf() has probabilities, means and parities with the errors of the shots', () => {
  const sweep = rabi([0, Math.PI / 2, Math.PI], 400)
  expect(pointsOf(sweep, { kind: 'outcome', bits: [], outcome: '10' })).toEqual({
    values: [0, 0.5, 1],
    errors: [0, 0.025, 0],
  })
  expect(pointsOf(sweep, { kind: 'outcome', bits: [1], outcome: '1' }).values).toEqual([0, 0.5, 1])
  expect(pointsOf(sweep, { kind: 'mean', bits: [] })).toEqual({ values: [1, 0, -1], errors: [0, 0.05, 0] })
  expect(pointsOf(sweep, { kind: 'mean', bits: [0] }).values).toEqual([1, 1, 1])
  expect(pointsOf(sweep, { kind: 'odd', bits: [] })).toEqual({ values: [0, 0.5, 1], errors: [0, 0.025, 0] })
})

test('changingOutcomes() has those that change, and counts an absent outcome as 0', () => {
  const { counts } = countsOfSweep(rabi([0, 1, 2])) ?? { counts: [] }
  expect(changingOutcomes(counts, [])).toEqual(['00', '10'])
  expect(changingOutcomes(counts, [0])).toEqual(['0'])
})

test('gridOf() places each pair of values once, whatever the order of the executions', () => {
  const x = { index: 0, values: [2, 1, 1, 2] }
  const y = { index: 1, values: [5, 6, 5, 6] }
  expect(gridOf(x, y)).toEqual({ x: [1, 2], y: [5, 6], cells: [2, 0, 1, 3] })
  expect(gridOf(x, { index: 1, values: [5, 6, 6, 6] })).toBeUndefined()
})

test('sweepCsv() quotes names', () => {
  const sweep = rabi([0, 1, 2])
  const points = pointsOf(sweep, { kind: 'outcome', bits: [], outcome: '10' })
  const csv = sweepCsv(sweep, { names: ['a, b'], title: 'P(10)' }, points)
  expect(csv.split('\r\n').slice(0, 2)).toEqual(['"a, b",P(10),error', '0,0,0'])
})

describe('fitSweep()', () => {
  const angles = Array.from({ length: 41 }, (_, at) => (at * Math.PI) / 10)
  const { values } = pointsOf(rabi(angles, 100_000), { kind: 'outcome', bits: [], outcome: '10' })
  const valueIn = (fit: Awaited<ReturnType<typeof fitSweep>>, name: string) =>
    fit.parameters.find((each) => each.name === name)?.value

  test('finds frequency, phase and contrast of points in any order', async () => {
    const [x, y] = [angles.toReversed(), values.toReversed()]
    const fit = await fitSweep('cosine', x, y)
    expect(fit.refusal).toBe('')
    expect(1 / (valueIn(fit, 'frequency') ?? 0)).toBeCloseTo(2 * Math.PI, 3)
    expect(fit.parameters.map(({ name }) => name)).toEqual(['frequency', 'contrast', 'phase', 'offset'])
    expect(valueIn(fit, 'contrast')).toBeCloseTo(1, 3)
    expect(Math.abs(valueIn(fit, 'phase') ?? 0)).toBeCloseTo(Math.PI, 2)
    expect(fit.curve?.y).toHaveLength(41)
  })

  test('names no unit that the parameter does not have, and says why a curve is refused', async () => {
    const decays = angles.map((angle) => Math.exp(-angle / 100))
    const fit = await fitSweep('exponential', angles, decays)
    expect(fit.refusal).toMatch(/is more than 3 times the sweep of [\d.]+$/)
    expect(
      (
        await fitSweep(
          'lorentzian',
          angles,
          angles.map(() => 0.5),
        )
      ).refusal,
    ).not.toBe('')
  })
})
