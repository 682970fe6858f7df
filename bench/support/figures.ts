/** The range of a measurement over its rounds. */
export interface Spread {
  min: number
  median: number
  max: number
}

/** The value below which the share `part` (0 to 1) of `values` lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

/** Minimum, median and maximum of `values`. */
export function spreadOf(values: readonly number[]): Spread {
  return { min: percentile(values, 0), median: percentile(values, 0.5), max: percentile(values, 1) }
}

/** Formats a number with three significant digits: `0.137`, `4.21`, `38.6` or `1,204`. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
}
