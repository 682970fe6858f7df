import { describe, expect, test } from 'bun:test'
import { minimizeSquares } from '../../../../src/devices/fitting/solve/least-squares.ts'
import { finished } from '../../../support/fitting/finished.ts'

describe('minimizeSquares()', () => {
  test('solves the problem of Rosenbrock', () => {
    const { parameters, squares } = finished(
      minimizeSquares({
        observed: new Float64Array(2),
        start: [-1.2, 1],
        predict([x = 0, y = 0], out) {
          out.set([10 * (y - x * x), 1 - x])
        },
      }),
    )
    expect(parameters[0]).toBeCloseTo(1, 6)
    expect(parameters[1]).toBeCloseTo(1, 6)
    expect(squares).toBeLessThan(1e-12)
  })

  test('meets certified values of a straight line (NIST StRD, Norris)', () => {
    const x = [
      0.2, 337.4, 118.2, 884.6, 10.1, 226.5, 666.3, 996.3, 448.6, 777, 558.2, 0.4, 0.6, 775.5, 666.9, 338,
      447.5,
    ]
    const y = [
      0.1, 338.8, 118.1, 888, 9.2, 228.1, 668.5, 998.5, 449.1, 778.9, 559.2, 0.3, 0.1, 778.1, 668.8, 339.3,
      448.9,
    ]
    const more = {
      x: [
        11.6, 556, 228.1, 995.8, 887.6, 120.2, 0.3, 0.3, 556.8, 339.1, 887.2, 999, 779, 11.1, 118.3, 229.2,
        669.1, 448.9, 0.5,
      ],
    }
    const rest = [
      10.8, 557.7, 228.3, 998, 888.8, 119.6, 0.3, 0.6, 557.6, 339.3, 888, 998.5, 778.9, 10.2, 117.6, 228.9,
      668.4, 449.2, 0.2,
    ]
    const xs = [...x, ...more.x]
    const { parameters, covariance } = finished(
      minimizeSquares({
        observed: Float64Array.from([...y, ...rest]),
        start: [0, 0],
        predict([a = 0, b = 0], out) {
          for (const [at, value] of xs.entries()) out[at] = a + b * value
        },
      }),
    )
    expect(parameters[0]).toBeCloseTo(-0.262323073774029, 8)
    expect(parameters[1]).toBeCloseTo(1.00211681802045, 10)
    expect(Math.sqrt(covariance[0] ?? 0)).toBeCloseTo(0.232818234301152, 7)
    expect(Math.sqrt(covariance[3] ?? 0)).toBeCloseTo(0.000429796848199937, 10)
  })

  const line = (bounds: { lower?: number[]; upper?: number[] }) =>
    finished(
      minimizeSquares({
        observed: Float64Array.of(1, 2.1, 2.9, 4.2),
        start: [0, 0.5],
        ...bounds,
        predict([a = 0, b = 0], out) {
          for (let at = 0; at < out.length; at++) out[at] = a + b * at
        },
      }),
    )

  test('stays inside bounds, and gives a parameter at its bound no error', () => {
    const { parameters, covariance } = line({ upper: [10, 0.8] })
    expect(parameters[1]).toBe(0.8)
    expect(covariance[3]).toBe(0)
    expect(parameters[0]).toBeCloseTo(2.55 - 0.8 * 1.5, 9)
    expect(covariance[0]).toBeGreaterThan(0)
  })

  test('an undetermined parameter has an infinite error', () => {
    const { covariance } = finished(
      minimizeSquares({
        observed: Float64Array.of(1, 2, 3, 5),
        start: [0, 0],
        predict([a = 0, b = 0], out) {
          out.fill(a + b)
        },
      }),
    )
    expect(covariance[0]).toBe(Number.POSITIVE_INFINITY)
  })

  test('a curve that is not finite returns the start', () => {
    const { parameters } = finished(
      minimizeSquares({
        observed: Float64Array.of(1, 2, 3),
        start: [2],
        predict(_, out) {
          out.fill(Number.NaN)
        },
      }),
    )
    expect(parameters[0]).toBe(2)
  })
})
