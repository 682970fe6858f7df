import { Canvas, type Paint } from './canvas.ts'
import { type Axis, axisTitle, frame, Y_LABEL_WIDTH } from './frame.ts'
import { scaleOf, ticksBetween } from './quantity.ts'
import type { HeatMap, Line, States, Trace } from './trace.ts'

/** Where a trace is drawn. */
export interface DrawOptions {
  /** Columns of the terminal. */
  columns: number
  /** Lines of the plot between its axes. */
  rows?: number
  /** Colors; without them the plot is plain text. */
  paint?: { line: Paint; mark: Paint }
}

const DEFAULT_ROWS = 14
const MIN_WIDTH = 24
const MAX_WIDTH = 100
const X_TICK_COLUMNS = 14
const Y_TICK_ROWS = 3
/** Room above and below the data, as a part of their range. */
const MARGIN = 0.04
const SHADES = [' ', '░', '▒', '▓', '█']
const PLAIN = { line: (text: string) => text, mark: (text: string) => text }

/**
 * Draws a trace as lines of text with labeled axes: points and curve, a map in shades, or shots by the label
 * of their state.
 */
export function drawTrace(trace: Trace, options: DrawOptions): string[] {
  const width = Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, options.columns - Y_LABEL_WIDTH - 1))
  const size = { width, height: options.rows ?? DEFAULT_ROWS, paint: options.paint ?? PLAIN }
  if (trace.kind === 'line') return drawLine(trace, size)
  return trace.kind === 'map' ? drawMap(trace, size) : drawStates(trace, size)
}

interface Size {
  width: number
  height: number
  paint: { line: Paint; mark: Paint }
}

interface Range {
  low: number
  high: number
}

function rangeOf(values: Iterable<number | null>, margin = 0): Range {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (value === null) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  if (!(high >= low)) return { low: 0, high: 1 }
  const gap = high > low ? (high - low) * margin : Math.abs(high) * MARGIN || 1
  return { low: low - gap, high: high + gap }
}

/** Where a value lies in a range, 0 to 1. */
function fractionIn({ low, high }: Range, value: number): number {
  return high > low ? (value - low) / (high - low) : 0.5
}

/** Title and ticks of an axis of `cells` characters; `isVertical` counts from the top. */
function axisOf(
  { name, unit }: { name: string; unit: string },
  range: Range,
  { cells, isVertical }: { cells: number; isVertical: boolean },
): Axis {
  const scale = scaleOf(Math.max(Math.abs(range.low), Math.abs(range.high)), unit)
  const scaled = { low: range.low / scale.factor, high: range.high / scale.factor }
  const count = Math.max(2, Math.floor(cells / (isVertical ? Y_TICK_ROWS : X_TICK_COLUMNS)))
  const ticks = ticksBetween(scaled.low, scaled.high, count).map(({ value, text }) => {
    const fraction = fractionIn(scaled, value)
    return { at: Canvas.cell(isVertical ? 1 - fraction : fraction, cells), text }
  })
  return { title: axisTitle(name, scale.unit), ticks }
}

function drawLine({ x, y, curve = [], y_name, y_unit }: Line, { width, height, paint }: Size): string[] {
  const across = rangeOf(x.values)
  const up = rangeOf([...y, ...curve], MARGIN)
  const place = (values: readonly (number | null)[]) =>
    values.flatMap((value, at): [number, number][] => {
      const position = x.values[at]
      if (value === null || position === undefined) return []
      return [[fractionIn(across, position), 1 - fractionIn(up, value)]]
    })
  const canvas = new Canvas(width, height)
  // A curve through unordered points, such as those of two sweeps, returns to the left.
  canvas.line(place(curve).sort(([one], [other]) => one - other))
  for (const [column, row] of place(y)) canvas.mark(column, row, '•')
  const bottom = axisOf(x, across, { cells: width, isVertical: false })
  const left = axisOf({ name: y_name, unit: y_unit }, up, { cells: height, isVertical: true })
  return frame({ body: canvas.render(paint), width, bottom, left })
}

function drawMap({ x, y, z }: HeatMap, size: Size): string[] {
  const [columns, rows] = [x.values.length, y.values.length]
  const width = Math.min(size.width, Math.max(MIN_WIDTH, columns * 2))
  const height = Math.min(size.height, Math.max(rows, 1))
  const shades = rangeOf(z)
  const cellAt = (fraction: number, count: number) => Math.max(0, Canvas.cell(fraction, count))
  const body = Array.from({ length: height }, (_, row) => {
    const down = cellAt(1 - row / Math.max(1, height - 1), rows)
    return Array.from({ length: width }, (_, column) => {
      const value = z[down * columns + cellAt(column / Math.max(1, width - 1), columns)] ?? null
      if (value === null) return ' '
      return SHADES[Canvas.cell(fractionIn(shades, value), SHADES.length)] ?? ' '
    }).join('')
  })
  const bottom = indexAxis(x, { cells: width, every: X_TICK_COLUMNS, isVertical: false })
  const left = indexAxis(y, { cells: height, every: Y_TICK_ROWS, isVertical: true })
  return frame({ body: body.map((line) => size.paint.line(line)), width, bottom, left })
}

/** The axis of a map: its values may be spaced unevenly, so the labels are values at even places. */
function indexAxis(
  { name, unit, values }: { name: string; unit: string; values: readonly number[] },
  { cells, every, isVertical }: { cells: number; every: number; isVertical: boolean },
): Axis {
  const magnitude = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const scale = scaleOf(magnitude, unit)
  const { low, high } = rangeOf(values)
  const step = (high - low) / scale.factor / Math.max(1, values.length - 1)
  const decimals = step > 0 ? Math.min(9, Math.max(0, 1 - Math.floor(Math.log10(step)))) : 0
  const count = Math.max(2, Math.floor(cells / every) + 1)
  const ticks = Array.from({ length: Math.min(count, cells) }, (_, at) => {
    const fraction = at / Math.max(1, Math.min(count, cells) - 1)
    const value = values[Canvas.cell(fraction, values.length)] ?? 0
    const text = String(Number((value / scale.factor).toFixed(decimals)))
    return { at: Canvas.cell(isVertical ? 1 - fraction : fraction, cells), text: text.slice(0, 8) }
  })
  return { title: axisTitle(name, scale.unit), ticks }
}

function drawStates({ states, centroids, unit }: States, { width, height, paint }: Size): string[] {
  const across = rangeOf([...states.flatMap(({ i }) => i), ...centroids.map(([i]) => i)], MARGIN)
  const up = rangeOf([...states.flatMap(({ q }) => q), ...centroids.map(([, q]) => q)], MARGIN)
  const canvas = new Canvas(width, height)
  const put = (i: number | null | undefined, q: number | null | undefined, mark: string) => {
    if (typeof i === 'number' && typeof q === 'number')
      canvas.mark(fractionIn(across, i), 1 - fractionIn(up, q), mark)
  }
  for (const { label, i, q } of states)
    for (const [at, each] of i.entries()) put(each, q[at], label.slice(-1))
  for (const [i, q] of centroids) put(i, q, '+')
  const bottom = axisOf({ name: 'I', unit }, across, { cells: width, isVertical: false })
  const left = axisOf({ name: 'Q', unit }, up, { cells: height, isVertical: true })
  return frame({ body: canvas.render(paint), width, bottom, left })
}
