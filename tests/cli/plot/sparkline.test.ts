import { describe, expect, test } from 'bun:test'
import { sparkline } from '../../../src/cli/plot/sparkline.ts'
import type { Trace } from '../../../src/cli/plot/trace.ts'

const axis = (values: number[]) => ({ name: 'x', unit: '', values })

function line(x: number[], y: (number | null)[]): Trace {
  return { kind: 'line', model: '', x: axis(x), y, y_name: '', y_unit: '' }
}

describe('sparkline()', () => {
  test('shows points in the order of the sweep', () => {
    expect(sparkline(line([0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6, 7]))).toBe('▁▂▃▄▅▆▇█')
    expect(sparkline(line([3, 1, 2], [1, 0, null]))).toBe('▁ █')
    expect(sparkline(line([0, 1], [5, 5]))).toBe('▁▁')
  })

  test('averages parts of a long line', () => {
    const x = Array.from({ length: 100 }, (_, at) => at)
    expect(
      sparkline(
        line(
          x,
          x.map((at) => (at < 50 ? 0 : 1)),
        ),
        4,
      ),
    ).toBe('▁▁██')
  })

  test('shows the largest value of each column of a map, and the shots of states by I', () => {
    const map: Trace = { kind: 'map', model: '', x: axis([1, 2]), y: axis([1, 2]), z: [0, 9, 1, 2] }
    expect(sparkline(map)).toBe('▁█')
    const states = [{ label: '0', i: [0, 0, 0, 1], q: [] }]
    expect(sparkline({ kind: 'iq', model: '', unit: '', states, centroids: [] }, 2)).toBe('█▁')
  })
})
