/** Standard deviations in a median of absolute deviations of normal values. */
export const MEDIAN_TO_SIGMA = 1.4826

/** The median, which is the mean of the two middle values of an even number; NaN without values. */
export function medianOf(values: Iterable<number>): number {
  const sorted = Float64Array.from(values).sort()
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}
