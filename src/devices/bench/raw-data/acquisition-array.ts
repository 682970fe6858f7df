import type { AcquisitionOf, Acquisitions, Complex, IqArrays } from '../instrument.ts'
import type { NpyArray } from './npy.ts'

/**
 * The results of a program as one complex array of shape [point, acquisition], and a third axis of shots or
 * nanoseconds. Points with fewer acquisitions, and shorter windows, are filled up with NaN.
 */
export function acquisitionArray(results: Acquisitions): NpyArray {
  const columns = longest(results)
  const depth = Math.max(0, ...results.flatMap((point) => point.map(depthOf)))
  const isAveraged = results.every((point) => point.every((result) => 're' in result))
  const cells = isAveraged ? 1 : depth
  const i = new Float64Array(results.length * columns * cells).fill(Number.NaN)
  const q = i.slice()
  for (const [row, point] of results.entries()) {
    for (const [column, result] of point.entries()) put(result, i, q, (row * columns + column) * cells)
  }
  const shape = isAveraged ? [results.length, columns] : [results.length, columns, depth]
  return { shape, i, q }
}

type AnyResult = AcquisitionOf[keyof AcquisitionOf]

function longest(rows: readonly (readonly unknown[])[]): number {
  return rows.reduce((most, row) => Math.max(most, row.length), 0)
}

function depthOf(result: AnyResult): number {
  return 're' in result ? 1 : result.i.length
}

function put(result: Complex | IqArrays, i: Float64Array, q: Float64Array, at: number): void {
  if ('re' in result) {
    i[at] = result.re
    q[at] = result.im
  } else {
    i.set(result.i, at)
    q.set(result.q, at)
  }
}
