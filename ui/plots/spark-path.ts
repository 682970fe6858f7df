/** A value of a sparkline; `at` is Unix ms. */
export interface SparkPoint {
  at: number
  value: number
}

/** Size of the drawing; it is scaled to the space it gets. */
export const WIDTH = 160
export const HEIGHT = 26
const MARGIN = 3

/** The path of a sparkline; empty without points. */
export function sparkPath(points: readonly SparkPoint[], gap: number): string {
  let previous: SparkPoint | undefined
  return points
    .map((point) => {
      const { cx, cy } = placeOf(points, point)
      const joined = previous !== undefined && point.at - previous.at <= gap
      previous = point
      return `${joined ? 'L' : 'M'}${cx.toFixed(1)} ${cy.toFixed(1)}`
    })
    .join('')
}

/** Where a value is drawn. */
export function placeOf(
  points: readonly SparkPoint[],
  { at, value }: SparkPoint,
): { cx: number; cy: number } {
  const first = points[0]?.at ?? at
  const last = points.at(-1)?.at ?? at
  const values = points.map((point) => point.value)
  const low = Math.min(...values)
  const high = Math.max(...values)
  const across = last > first ? (at - first) / (last - first) : 0.5
  const up = high > low ? (value - low) / (high - low) : 0.5
  return { cx: MARGIN + across * (WIDTH - 2 * MARGIN), cy: HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN) }
}
