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

/** Share of the intervals of `medianInterval` that do not contain the median, on each side. */
const TAIL = 0.025

/**
 * An interval that contains the median of what `values` were drawn from with at least 95 %, whatever its
 * distribution: the order statistics that the sign test leaves. Their whole range with fewer than 6 values.
 */
export function medianInterval(values: readonly number[]): { low: number; high: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const count = sorted.length
  // With this probability, `below` of the values lie below the median; `sum` is that of fewer, too.
  let below = 0
  let probability = 0.5 ** count
  for (let sum = probability; sum <= TAIL; sum += probability) {
    below += 1
    probability *= (count - below + 1) / below
  }
  const skipped = Math.max(0, below - 1)
  return { low: sorted[skipped] ?? Number.NaN, high: sorted[count - 1 - skipped] ?? Number.NaN }
}

/** Formats a number with three significant digits: `0.137`, `4.21`, `38.6` or `1,204`. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
}
