import type { Axis } from './fit.ts'

/** Name and unit of a signal. */
export interface Label {
  name: string
  unit: string
}

/** Population of state 1 between measured references. */
export const POPULATION: Label = { name: 'P1', unit: '' }

/** Time between two pulses. */
export const DELAY: Label = { name: 'delay', unit: 's' }

/** An axis of values. */
export function axisOf({ name, unit }: Label, values: ArrayLike<number>): Axis {
  return { name, unit, values }
}

/** First value, span, and mean step of a sweep of at least two different values. */
export function extentOf(values: ArrayLike<number>) {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let at = 0; at < values.length; at++) {
    min = Math.min(min, values[at] as number)
    max = Math.max(max, values[at] as number)
  }
  const span = max - min
  return { min, max, span, middle: min + span / 2, step: span / (values.length - 1) }
}

/** `count` values from `from` to `to`. */
export function linearGrid(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => from + ((to - from) * at) / Math.max(1, count - 1))
}

/** `count` values from `from` to `to`, each the same multiple of the one before. */
export function logGrid(from: number, to: number, count: number): number[] {
  return linearGrid(Math.log(from), Math.log(to), count).map(Math.exp)
}

/** Values from `from` to `to` at most `step` apart. */
export function stepGrid(from: number, to: number, step: number): number[] {
  return linearGrid(from, Math.max(from, to), Math.max(1, Math.ceil((to - from) / step) + 1))
}

/** All pairs of two grids. */
export function pairs(left: readonly number[], right: readonly number[]): [number, number][] {
  return left.flatMap((a) => right.map((b): [number, number] => [a, b]))
}
