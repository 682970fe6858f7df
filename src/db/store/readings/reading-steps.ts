import { DAY_S } from '../../../base/index.ts'
/**
 * Lengths in s of the stored buckets. Each divides the next, so that any bucket of a chart is the sum of at
 * most 12 stored ones; of days and longer, 12 per day.
 */
export const STORED_STEPS = [1, 15, 300, 7_200] as const

/** Lengths in s that a bucket of a chart may have, besides whole days. */
const STEPS = [
  1,
  2,
  5,
  15,
  30,
  60,
  300,
  600,
  900,
  1_800,
  3_600,
  7_200,
  14_400,
  21_600,
  43_200,
  DAY_S,
] as const

/** Whole buckets that cover a range; all in s (since the epoch). */
export interface BucketRange {
  /** Start of the first bucket. */
  from: number
  /** End of the last bucket. */
  to: number
  /** Length of a bucket. */
  step: number
}

/**
 * The shortest buckets of which `points` cover the time from `from` to `to`, ms since the epoch. They begin
 * at whole multiples of their length, so that they stay the same while the range moves; one more than
 * `points` may therefore be needed.
 */
export function bucketRange(from: number, to: number, points: number): BucketRange {
  const wanted = (to - from) / 1_000 / points
  const step = STEPS.find((each) => each >= wanted) ?? Math.ceil(wanted / DAY_S) * DAY_S
  return { from: Math.floor(from / 1_000 / step) * step, to: Math.ceil(to / 1_000 / step) * step, step }
}

/** The longest stored step that divides `step`. */
export function storedStep(step: number): number {
  return STORED_STEPS.findLast((each) => step % each === 0) ?? 1
}
