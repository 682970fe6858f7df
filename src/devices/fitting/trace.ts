import type { Axis, Estimate, LineTrace, MapTrace, TraceAxis, TraceParameters } from './fit.ts'

/** Limits of traces in a report. */
const MAX_LINE_POINTS = 200
const MAX_MAP_CELLS = 1_600
const DIGITS = 6
const MAP_DIGITS = 3

/** Parts of a line before it is reduced for a report. */
interface Line {
  model: string
  x: Axis
  y: Axis
  curve?: ArrayLike<number> | undefined
  estimates?: Readonly<Record<string, Estimate>> | undefined
}

/**
 * A line for a report: at most 200 points, evenly chosen, in six significant digits. Points whose values are
 * not finite are left out.
 */
export function lineTrace({ model, x, y, curve, estimates }: Line): LineTrace {
  const count = Math.min(x.values.length, y.values.length)
  const finite = Array.from({ length: count }, (_, at) => at).filter(
    (at) => Number.isFinite(x.values[at]) && Number.isFinite(y.values[at]),
  )
  const chosen = everyNth(finite, MAX_LINE_POINTS)
  const pick = (values: ArrayLike<number>) => chosen.map((at) => values[at] as number)
  return {
    kind: 'line',
    model,
    x: { name: x.name, unit: x.unit, values: roundTogether(pick(x.values)) },
    y: roundTogether(pick(y.values)),
    y_name: y.name,
    y_unit: y.unit,
    ...(curve && { curve: roundTogether(pick(curve)) }),
    ...(estimates && { params: parametersOf(estimates) }),
    points: finite.length,
  }
}

/** A map of at most 1,600 cells in three significant digits; values that are not finite become 0. */
export function mapTrace(
  { model, x, y, z }: { model: string; x: Axis; y: Axis; z: ArrayLike<number> },
  estimates?: Readonly<Record<string, Estimate>>,
): MapTrace {
  const columns = Array.from(x.values, (_, at) => at)
  const rows = Array.from(y.values, (_, at) => at)
  const shrink = Math.sqrt(Math.max(1, (columns.length * rows.length) / MAX_MAP_CELLS))
  const [across, down] = [everyNth(columns, columns.length / shrink), everyNth(rows, rows.length / shrink)]
  const cell = (row: number, column: number) => z[row * columns.length + column] as number
  return {
    kind: 'map',
    model,
    x: pickAxis(x, across),
    y: pickAxis(y, down),
    z: down.flatMap((row) => across.map((column) => finiteDigits(cell(row, column), MAP_DIGITS))),
    ...(estimates && { params: parametersOf(estimates) }),
  }
}

/** Estimates as `[value, error]`, the error null when it is not finite. */
export function parametersOf(estimates: Readonly<Record<string, Estimate>>): TraceParameters {
  return Object.fromEntries(
    Object.entries(estimates).map(([name, { value, error }]) => [
      name,
      [finiteDigits(value, 12), Number.isFinite(error) ? finiteDigits(error, DIGITS) : null],
    ]),
  )
}

/** `value` in `digits` significant digits; 0 when it is not finite. */
export function finiteDigits(value: number, digits = DIGITS): number {
  return Number.isFinite(value) ? Number(value.toPrecision(digits)) : 0
}

/** At most `count` of the entries, evenly spaced. */
export function everyNth<T>(entries: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.ceil(entries.length / Math.max(1, count)))
  return entries.filter((_, at) => at % step === 0)
}

function pickAxis({ name, unit, values }: Axis, chosen: readonly number[]): TraceAxis {
  return { name, unit, values: roundTogether(chosen.map((at) => values[at] as number)) }
}

/**
 * Rounds so that differences retain six digits: frequencies of a narrow sweep differ in their last digits.
 */
function roundTogether(values: readonly number[]): number[] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) [min, max] = [Math.min(min, value), Math.max(max, value)]
  const ratio = max > min ? Math.max(Math.abs(min), Math.abs(max)) / (max - min) : 1
  const digits = Math.min(15, DIGITS + Math.max(0, Math.ceil(Math.log10(ratio))))
  return values.map((value) => finiteDigits(value, digits))
}
