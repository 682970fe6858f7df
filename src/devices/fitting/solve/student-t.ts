/** Probability that a normally distributed value lies less than two standard deviations above its mean. */
const TWO_SIGMA = 0.977249868

/**
 * Factor by which a standard error of `freedom` degrees of freedom is multiplied, so that two of the result
 * cover the truth as often (95.45 %) as two standard deviations of a normal distribution: half the quantile
 * of Student's t distribution at that probability. From three degrees of freedom on by the expansion of
 * Abramowitz and Stegun 26.7.5 (within 0.5 %), below in closed form. Infinite without any freedom.
 */
export function studentFactor(freedom: number): number {
  if (freedom < 1) return Number.POSITIVE_INFINITY
  if (freedom === 1) return Math.tan(Math.PI * (TWO_SIGMA - 0.5)) / 2
  if (freedom === 2) {
    const p = 2 * TWO_SIGMA - 1
    return Math.sqrt((2 * p * p) / (1 - p * p)) / 2
  }
  const x = 2
  const terms = [
    (x ** 3 + x) / 4,
    (5 * x ** 5 + 16 * x ** 3 + 3 * x) / 96,
    (3 * x ** 7 + 19 * x ** 5 + 17 * x ** 3 - 15 * x) / 384,
    (79 * x ** 9 + 776 * x ** 7 + 1482 * x ** 5 - 1920 * x ** 3 - 945 * x) / 92_160,
  ]
  return terms.reduce((sum, term, order) => sum + term / freedom ** (order + 1), x) / x
}
