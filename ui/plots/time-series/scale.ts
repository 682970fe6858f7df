/** How values are placed on the vertical axis. */
export type ValueScale = 'linear' | 'log'

/** Space above and below the values of a linear axis, as a share of their span. */
const PADDING = 0.08

/**
 * The ends of the value axis: whole decades on a logarithmic one, and some space around the values on a
 * linear one. Equal values still get a span. Non-positive values have no place on a logarithmic axis.
 */
export function valueRange(scale: ValueScale, values: readonly number[]): [number, number] {
  const usable = values.filter((value) => Number.isFinite(value) && (scale === 'linear' || value > 0))
  if (usable.length === 0) return scale === 'log' ? [1, 10] : [0, 1]
  const low = Math.min(...usable)
  const high = Math.max(...usable)
  if (scale === 'log') {
    const from = Math.floor(Math.log10(low) + 1e-9)
    const to = Math.ceil(Math.log10(high) - 1e-9)
    return [10 ** from, 10 ** Math.max(to, from + 1)]
  }
  const span = high - low || Math.abs(high) * 0.1 || 1
  const from = low - span * PADDING
  // Zero is a natural end for values that are not negative and begin near it.
  return [low >= 0 && low < span ? Math.min(0, low) : from, high + span * PADDING]
}

/** Positions of labels: each at least `height` below the one above it, and within `bottom`. */
export function spreadLabels(wanted: readonly number[], height: number, bottom: number): number[] {
  const order = wanted.map((y, index) => ({ y, index })).toSorted((a, b) => a.y - b.y)
  let lowest = Number.NEGATIVE_INFINITY
  for (const label of order) {
    label.y = Math.max(label.y, lowest)
    lowest = label.y + height
  }
  let ceiling = bottom
  for (const label of order.toReversed()) {
    label.y = Math.min(label.y, ceiling)
    ceiling = label.y - height
  }
  const placed = [...wanted]
  for (const { y, index } of order) placed[index] = y
  return placed
}
