import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_EXECUTIONS, setsOfRanges } from '../../../ui/jobs/parameter-range.ts'
import { readExpression } from '../../../ui/lib/expressions.ts'

const range = (from: string, to: string, points: number | string) => ({ from, to, points: String(points) })

test('setsOfRanges() combines the points of all inputs, both ends included, and keeps a fixed value as typed', () => {
  expect(setsOfRanges(['a', 'b'], [range('0', '1', 3), range('pi/2', '', 1)], MAX_EXECUTIONS)).toEqual({
    sets: [
      ['0', 'pi/2'],
      ['0.5', 'pi/2'],
      ['1', 'pi/2'],
    ],
  })
  const grid = setsOfRanges(['a', 'b'], [range('1', '2', 2), range('-1', '1', 2)], 4)
  expect(grid).toEqual({
    sets: [
      ['1', '-1'],
      ['1', '1'],
      ['2', '-1'],
      ['2', '1'],
    ],
  })
})

test('setsOfRanges() says which value is wrong, and never makes more sets than the job can have', () => {
  const problem = (...ranges: ReturnType<typeof range>[]) =>
    setsOfRanges(['a', 'b'], ranges, 10) as { problem: string }
  expect(problem(range('0', '1', 0), range('0', '', 1)).problem).toBe('a: give a whole number of points')
  expect(problem(range('0', '1', '2.5'), range('0', '', 1)).problem).toStartWith('a: ')
  expect(problem(range('0', 'x', 2), range('0', '', 1)).problem).toBe('a: x is unknown')
  expect(problem(range('0', '1', 4), range('0', '1', 3)).problem).toContain('more than 10 sets')
  expect(problem(range('0', '1', 2)).problem).toStartWith('b: ')
})

test('the points of a range are equally spaced from the start to the stop', () => {
  const end = fc.double({ min: -100, max: 100, noNaN: true })
  fc.assert(
    fc.property(end, end, fc.integer({ min: 2, max: MAX_EXECUTIONS }), (from, to, points) => {
      const ranged = setsOfRanges(['a'], [range(`${from}`, `${to}`, points)], MAX_EXECUTIONS)
      const values = 'sets' in ranged ? ranged.sets.map(([text = '']) => Number(readExpression(text))) : []
      expect(values).toHaveLength(points)
      for (const [at, value] of values.entries()) {
        expect(value).toBeCloseTo(from + ((to - from) * at) / (points - 1), 8)
      }
    }),
    { numRuns: 50 },
  )
})
