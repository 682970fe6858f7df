import type { Trace } from './trace.ts'

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
const DEFAULT_WIDTH = 24

/**
 * A trace in one line: the points of a line, the largest value of each column of a map, or how many shots of
 * states lie at each I.
 */
export function sparkline(trace: Trace, width = DEFAULT_WIDTH): string {
  if (trace.kind === 'line') return bars(columnsOf(inOrder(trace.x.values, trace.y), width))
  if (trace.kind === 'map') return bars(columnsOf(largestOf(trace.z, trace.x.values.length), width))
  return bars(
    histogram(
      trace.states.flatMap(({ i }) => i).filter((each) => each !== null),
      width,
    ),
  )
}

function inOrder(x: readonly number[], y: readonly (number | null)[]): (number | null)[] {
  const order = y.map((_, at) => at).sort((one, other) => (x[one] ?? 0) - (x[other] ?? 0))
  return order.map((at) => y[at] ?? null)
}

function largestOf(z: readonly (number | null)[], columns: number): (number | null)[] {
  return Array.from({ length: columns }, (_, column) => {
    const values = z.filter((value, at): value is number => value !== null && at % columns === column)
    return values.length > 0 ? Math.max(...values) : null
  })
}

/** The mean of each of `width` parts of the values; fewer values are as many parts. */
function columnsOf(values: readonly (number | null)[], width: number): (number | null)[] {
  const count = Math.min(width, values.length)
  return Array.from({ length: count }, (_, at) => {
    const from = Math.floor((at * values.length) / count)
    const part = values.slice(from, Math.floor(((at + 1) * values.length) / count))
    const present = part.filter((each) => each !== null)
    return present.length > 0 ? present.reduce((sum, each) => sum + each, 0) / present.length : null
  })
}

function histogram(values: readonly number[], width: number): number[] {
  const low = values.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY)
  const high = values.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY)
  const counts = new Array<number>(width).fill(0)
  for (const value of values) {
    const at = high > low ? Math.min(width - 1, Math.floor(((value - low) / (high - low)) * width)) : 0
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}

function bars(values: readonly (number | null)[]): string {
  const present = values.filter((each) => each !== null)
  const low = Math.min(...present)
  const high = Math.max(...present)
  return values
    .map((value) => {
      if (value === null) return ' '
      const part = high > low ? (value - low) / (high - low) : 0
      return BARS[Math.round(part * (BARS.length - 1))] ?? ' '
    })
    .join('')
}
