/** The figures of the rounds of a measurement. */
export interface Spread {
  /** The best round: what the code can do when nothing else runs. */
  least: number
  median: number
  most: number
}

/** The value below which the share `part` (0 to 1) of `values` lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

/** Smallest, middle and largest of `values`. */
export function spreadOf(values: readonly number[]): Spread {
  return { least: percentile(values, 0), median: percentile(values, 0.5), most: percentile(values, 1) }
}

/** A number with three digits that count, as `0.137`, `4.21`, `38.6` or `1,204`. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
}
