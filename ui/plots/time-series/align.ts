/** One line of a plot. The columns have equal lengths; times are Unix ms and ascend. */
export interface PlotLine {
  /** Identifies the line among those of the plot. */
  key: string
  label: string
  at: readonly number[]
  mean: readonly number[]
  /** Together with `max` drawn as a band; a spike shorter than a bucket stays visible. */
  min?: readonly number[]
  max?: readonly number[]
  /** Points further apart than this, in ms, are not connected; connected at any distance if absent. */
  gapMs?: number
  /** Index of the style; the position of the line in the plot if absent. */
  style?: number
  /** A line to compare with, drawn thin and without its name; after the lines that are not. */
  isFaint?: boolean
}

/** A value at one time: undefined without a point there, null where the line is interrupted. */
type Cell = number | null | undefined

/** The lines on one list of times, the form that uPlot draws. */
interface AlignedLines {
  at: number[]
  /** Three columns per line: mean, minimum, maximum. */
  columns: Cell[][]
}

/** The times between which a line is interrupted, Unix ms. */
interface Gap {
  from: number
  to: number
}

/** Where consecutive points are more than `gapMs` apart. */
export function findGaps(at: readonly number[], gapMs: number): Gap[] {
  const gaps: Gap[] = []
  for (let index = 1; index < at.length; index += 1) {
    const [from, to] = [at[index - 1] ?? 0, at[index] ?? 0]
    if (to - from > gapMs) gaps.push({ from, to })
  }
  return gaps
}

/** Merges the times of all lines and marks the interruptions of each. */
export function alignLines(lines: readonly PlotLine[]): AlignedLines {
  const gaps = lines.map(({ at, gapMs }) => (gapMs === undefined ? [] : findGaps(at, gapMs)))
  const breaks = gaps.map((list) => list.map(({ from, to }) => (from + to) / 2))
  const at = [...new Set([...lines.flatMap((line) => [...line.at]), ...breaks.flat()])].sort((a, b) => a - b)
  const indexOf = new Map(at.map((time, index) => [time, index]))
  const columns = lines.flatMap((line, number) => {
    const place = (values: readonly number[]) => {
      const column: Cell[] = new Array(at.length).fill(undefined)
      line.at.forEach((time, index) => {
        column[indexOf.get(time) ?? 0] = values[index]
      })
      for (const time of breaks[number] ?? []) column[indexOf.get(time) ?? 0] = null
      return column
    }
    return [place(line.mean), place(line.min ?? line.mean), place(line.max ?? line.mean)]
  })
  return { at, columns }
}

/** The index of the time nearest to `time`; -1 for an empty list. */
export function nearestIndex(at: readonly number[], time: number): number {
  let low = 0
  let high = at.length - 1
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((at[middle] ?? 0) <= time) low = middle
    else high = middle
  }
  const [before, after] = [at[low], at[high]]
  if (before === undefined || after === undefined) return -1
  return Math.abs(time - before) <= Math.abs(after - time) ? low : high
}

/** The index of the point shown at `time`: the nearest one, unless it is further away than `gapMs`. */
export function indexAt(
  { at, gapMs = Number.POSITIVE_INFINITY }: PlotLine,
  time: number,
): number | undefined {
  const index = nearestIndex(at, time)
  const found = at[index]
  return found !== undefined && Math.abs(found - time) <= gapMs ? index : undefined
}
