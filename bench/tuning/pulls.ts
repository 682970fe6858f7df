/** Figures of the distances between found and true values, in standard errors. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value / values.length, 0)
}

/** Their standard deviation. */
export function deviationOf(values: readonly number[]): number {
  const middle = meanOf(values)
  return Math.sqrt(meanOf(values.map((value) => (value - middle) ** 2)))
}
