import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  alignLines,
  findGaps,
  indexAt,
  nearestIndex,
  type PlotLine,
} from '../../../../ui/plots/time-series/align.ts'

const line = (at: number[], mean: number[], more: Partial<PlotLine> = {}): PlotLine => ({
  key: 'a',
  label: 'A',
  at,
  mean,
  ...more,
})

test('alignLines() leaves cells without a point undefined, which does not interrupt the line', () => {
  const { at, columns } = alignLines([line([0, 20], [1, 2]), line([0, 10, 20], [5, 6, 7])])
  expect(at).toEqual([0, 10, 20])
  expect(columns[0]).toEqual([1, undefined, 2])
  expect(columns[3]).toEqual([5, 6, 7])
})

test('alignLines() interrupts a line between points further apart than its limit', () => {
  const { at, columns } = alignLines([line([0, 10, 90], [1, 2, 3], { gapMs: 30 })])
  expect(at).toEqual([0, 10, 50, 90])
  expect(columns[0]).toEqual([1, 2, null, 3])
})

test('alignLines() uses the mean as edge of a line without minimum and maximum', () => {
  const { columns } = alignLines([line([0, 1], [1, 2], { max: [4, 5] })])
  expect(columns).toEqual([
    [1, 2],
    [1, 2],
    [4, 5],
  ])
})

const ascending = fc.uniqueArray(fc.nat(10_000), { maxLength: 60 }).map((list) => list.sort((a, b) => a - b))

test('alignLines() keeps every value of every line in ascending order', () => {
  fc.assert(
    fc.property(fc.array(ascending, { maxLength: 4 }), fc.integer({ min: 1, max: 500 }), (times, gapMs) => {
      const lines = times.map((at, index) =>
        line(
          at,
          at.map((time) => time + index),
          { gapMs },
        ),
      )
      const { at, columns } = alignLines(lines)
      expect(at).toEqual([...new Set(at)].sort((a, b) => a - b))
      lines.forEach(({ mean }, index) => {
        expect((columns[index * 3] ?? []).filter((cell) => typeof cell === 'number')).toEqual([...mean])
      })
    }),
  )
})

test('alignLines() interrupts a line as often as it has gaps', () => {
  fc.assert(
    fc.property(ascending, fc.integer({ min: 1, max: 500 }), (at, gapMs) => {
      const { columns } = alignLines([line(at, at, { gapMs })])
      expect((columns[0] ?? []).filter((cell) => cell === null)).toHaveLength(findGaps(at, gapMs).length)
    }),
  )
})

test('nearestIndex() finds the same time as a search of all', () => {
  fc.assert(
    fc.property(ascending, fc.nat(12_000), (at, time) => {
      const distance = (other: number) => Math.abs(other - time)
      const found = at[nearestIndex(at, time)]
      if (found === undefined) expect(at).toEqual([])
      else expect(distance(found)).toBe(Math.min(...at.map(distance)))
    }),
  )
})

test('indexAt() finds no point inside a gap', () => {
  const sparse = line([0, 1_000], [1, 2], { gapMs: 100 })
  expect(indexAt(sparse, 40)).toBe(0)
  expect(indexAt(sparse, 500)).toBeUndefined()
  expect(indexAt(line([], []), 500)).toBeUndefined()
})
