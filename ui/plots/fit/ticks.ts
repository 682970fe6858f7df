/** Round numbers between two values, about `count` of them. */
export function roundTicks(low: number, high: number, count = 5): number[] {
  const span = high - low
  if (!(span > 0) || !Number.isFinite(span)) return [low].filter(Number.isFinite)
  const rough = span / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((size) => size * power).find((size) => size >= rough) ?? rough
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: Math.min(50, last - first + 1) }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  )
}

/** The text of a tick, with the digits that tell it from its neighbors. */
export function tickText(value: number, ticks: readonly number[]): string {
  const step = Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0))
  if (value === 0) return '0'
  if (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4) return value.toExponential(1).replace('-', '−')
  const digits = step > 0 ? Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) : 0
  const exact = step > 0 && Math.abs((step * 10 ** digits) % 1) > 1e-6 ? digits + 1 : digits
  return value.toFixed(Math.min(12, exact)).replace('-', '−')
}

/** The smallest and the largest of some numbers, widened by a share of their distance. */
export function rangeOf(values: readonly number[], margin = 0.06): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  if (low > high) return [0, 1]
  const pad = high > low ? (high - low) * margin : Math.abs(high) * 0.05 || 1
  return [low - pad, high + pad]
}
