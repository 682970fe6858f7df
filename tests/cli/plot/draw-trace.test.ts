import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { drawTrace } from '../../../src/cli/plot/draw-trace.ts'
import { drawOptionsOf } from '../../../src/cli/plot/terminal.ts'
import { readTrace, type Trace } from '../../../src/cli/plot/trace.ts'

const axis = (name: string, unit: string, values: number[]) => ({ name, unit, values })
const times = Array.from({ length: 41 }, (_, at) => at * 5e-6)
const line = (y: (number | null)[], curve?: (number | null)[]): Trace => ({
  ...{ kind: 'line', model: 'exponential', x: axis('delay', 's', times), y, y_name: 'P1', y_unit: '' },
  ...(curve && { curve }),
})
const decay = times.map((time) => Math.exp(-time / 5e-5))

describe('drawTrace() of a line', () => {
  test('puts points where their values are, and labels both axes with units', () => {
    const lines = drawTrace(line(decay, decay), { columns: 60, rows: 10 })
    expect(lines[0]).toBe('         P1')
    expect(lines.at(-1)?.trim()).toBe('delay (µs)')
    expect(lines.at(-2)?.trim().split(/\s+/)).toEqual(['0', '100', '200'])
    const rows = lines.slice(1, 11).map((each) => each.slice(9))
    const heightOf = (column: number) => rows.findIndex((row) => row[column] === '•')
    expect(heightOf(0)).toBe(0)
    expect(heightOf(49)).toBe(9)
    // After one time constant, a quarter of the range, 37 % are left.
    expect(heightOf(Math.round(49 / 4))).toBe(6)
    expect(lines.some((each) => /^ +0\.5 ┤/.test(each))).toBe(true)
  })

  test('draws the curve in dots of its own between the points', () => {
    const sparse = line(
      decay.map((value, at) => (at % 10 === 0 ? value : null)),
      decay,
    )
    const text = drawTrace(sparse, { columns: 60, rows: 10 }).join('\n')
    expect(text.match(/•/g)).toHaveLength(5)
    expect(text.match(/[\u2801-\u28ff]/g)?.length).toBeGreaterThan(30)
  })

  test('survives constant, missing and single values', () => {
    for (const y of [times.map(() => 0.5), times.map(() => null), [1]]) {
      expect(drawTrace(line(y), { columns: 60 })).toHaveLength(18)
    }
  })
})

test('drawTrace() fits into any width, with every kind of trace', () => {
  const value = fc.double({ min: -1e10, max: 1e10, noNaN: true })
  fc.assert(
    fc.property(
      fc.integer({ min: 34, max: 200 }),
      fc.array(value, { minLength: 4, maxLength: 40 }),
      (columns, values) => {
        const at = values.map((_, index) => index * 1e-9)
        const traces: Trace[] = [
          { kind: 'line', model: '', x: axis('delay', 's', at), y: values, y_name: 'P', y_unit: 'V' },
          {
            ...{
              kind: 'map',
              model: '',
              x: axis(
                'frequency',
                'Hz',
                at.map((each) => 6e9 + each),
              ),
            },
            ...{ y: axis('amplitude', '', [0.1, 0.2]), z: [...values, ...values] },
          },
          {
            ...{ kind: 'iq', model: '', unit: 'V', centroids: [[0, 1]] },
            states: [{ label: '0', i: values, q: values }],
          },
        ]
        for (const trace of traces) {
          const widths = drawTrace(trace, { columns }).map((each) => each.length)
          // Labels of extreme values may be longer than their place, but never break the line.
          expect(Math.max(...widths)).toBeLessThanOrEqual(Math.max(columns, 34) + 12)
        }
      },
    ),
    { seed: 3, numRuns: 100 },
  )
})

test('drawTrace() of a map is darkest where the value is largest', () => {
  const z = [0, 0.5, 1, 0.25, 0.75, 0]
  const map: Trace = {
    ...{ kind: 'map', model: '', x: axis('f', 'Hz', [1, 2, 3]), y: axis('a', '', [1, 2]), z },
  }
  const [, top, bottom] = drawTrace(map, { columns: 40 })
  expect([bottom?.slice(9, 10), bottom?.at(-1), top?.at(-1)]).toEqual([' ', '█', ' '])
  expect(top?.slice(9)).toContain('▓')
})

test('drawTrace() of shots writes the label of each state', () => {
  const states = [
    { label: '0', i: [-1], q: [0] },
    { label: '1', i: [1], q: [0] },
  ]
  const trace: Trace = { kind: 'iq', model: '', unit: '', states, centroids: [[0, 0]] }
  const rows = drawTrace(trace, { columns: 50, rows: 3 }).map((each) => each.slice(9))
  expect(rows.find((row) => row.includes('+'))).toMatch(/0 +\+ +1/)
})

test('readTrace() refuses traces of another shape', () => {
  expect(readTrace({ kind: 'line', x: { values: 'none' } })).toBeUndefined()
  expect(readTrace({ dropped: true })).toBeUndefined()
  expect(readTrace(line(decay))).toMatchObject({ kind: 'line', model: 'exponential' })
})

test('drawOptionsOf() is plain and 80 columns wide without a terminal, and without color on request', () => {
  expect(drawOptionsOf({ columns: 120 }, {})).toEqual({ columns: 80 })
  expect(drawOptionsOf({ isTTY: true, columns: 120 }, { NO_COLOR: '1' })).toEqual({ columns: 120 })
  expect(drawOptionsOf({ isTTY: true, columns: 120 }, {}).paint?.mark('•')).toBe('\u001b[36m•\u001b[0m')
})
