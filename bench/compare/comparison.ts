import { spreadOf } from '../support/figures.ts'

/** The unit of a figure: `ms` and `MB` are better if smaller, a rate if larger. */
export type Unit = 'ms' | 'MB' | 'per s'

/** The figures of one measurement, one per round and executable. */
export interface Figures {
  unit: Unit
  old: number[]
  new: number[]
}

/** The medians of one measurement. */
export interface Comparison {
  name: string
  unit: Unit
  old: number
  new: number
  /** How much worse the new executable is, in percent; negative if it is better. */
  worsePercent: number
}

/** Compares the medians of the rounds. */
export function compareFigures(name: string, { unit, old, new: fresh }: Figures): Comparison {
  const before = spreadOf(old).median
  const after = spreadOf(fresh).median
  const ratio = unit === 'per s' ? before / after : after / before
  return { name, unit, old: before, new: after, worsePercent: (ratio - 1) * 100 }
}
