import { expect, test } from 'bun:test'
import { sparkPath } from '../../../ui/plots/spark-path.ts'

const points = [0, 10, 20, 60].map((at, index) => ({ at, value: index }))

test('a gap in the values is a gap in the line', () => {
  expect(sparkPath(points, 10).replace(/[^ML]/g, '')).toBe('MLLM')
  expect(sparkPath(points, 100).replace(/[^ML]/g, '')).toBe('MLLL')
})

test('equal values are a line in the middle, and one value is a point', () => {
  expect(
    sparkPath(
      [
        { at: 0, value: 5 },
        { at: 1, value: 5 },
      ],
      10,
    ),
  ).toBe('M3.0 13.0L157.0 13.0')
  expect(sparkPath([{ at: 0, value: 5 }], 10)).toBe('M80.0 13.0')
  expect(sparkPath([], 10)).toBe('')
})
