import { medianInterval, spreadOf } from '../support/figures.ts'

/** The unit of a figure: `ms` and `MB` are better if smaller, a rate if larger. */
export type Unit = 'ms' | 'MB' | 'per s'

/** The figures of one measurement, one per round and executable. */
export interface Figures {
  unit: Unit
  old: number[]
  new: number[]
}

/** With fewer, no interval has a confidence of 95 %. */
const MIN_ROUNDS = 6

/** Whether the new executable is worse by more than allowed, surely not, or neither can be said. */
type Verdict = 'worse' | 'no worse' | 'undecided'

/** The two sides of one measurement. */
export interface Comparison {
  name: string
  unit: Unit
  /** Medians of all rounds. */
  old: number
  new: number
  /**
   * How much worse the new executable is, in percent; negative if it is better. The median of the rounds,
   * each of which compares its own two figures, and an interval that contains the true one with 95 %.
   */
  worse: { low: number; median: number; high: number }
  verdict: Verdict
}

/**
 * Compares the figures of each round with each other, so that other work on the machine, which changes from
 * round to round, does not count as a difference. `within` is the allowed worsening in percent.
 */
export function compareFigures(name: string, { unit, old, new: fresh }: Figures, within: number): Comparison {
  const worsenings = old.map((before, round) => {
    const after = fresh[round] ?? Number.NaN
    return ((unit === 'per s' ? before / after : after / before) - 1) * 100
  })
  const worse = { ...medianInterval(worsenings), median: spreadOf(worsenings).median }
  const medians = { old: spreadOf(old).median, new: spreadOf(fresh).median }
  const isEnough = old.length >= MIN_ROUNDS
  return { name, unit, ...medians, worse, verdict: isEnough ? verdictOf(worse, within) : 'undecided' }
}

function verdictOf({ low, high }: Comparison['worse'], within: number): Verdict {
  if (low > within) return 'worse'
  return high <= within ? 'no worse' : 'undecided'
}
