import { CALIBRATION_LIMITS } from '../../../protocol/index.ts'
import type { FitTrace, LineTrace, MapTrace } from '../../fitting/fit.ts'

/** Entries that a report holds at most; one more and the server refuses all of it. */
export const LIST_LIMITS = { errors: 1_000, notes: 1_000, routines: 20_000, skipped: 50_000 } as const

interface TraceAxis {
  readonly name: string
  readonly unit: string
  readonly values: ArrayLike<number>
}

/** Sizes of traces in a report. */
const TRACE_LIMITS = { line: CALIBRATION_LIMITS.tracePoints, map: 1_600, shotsPerState: 200 } as const

/** The first line of a text, within the limit of a report. */
export function reportText(text: string): string {
  const [line = ''] = text.split('\n')
  const { textLength } = CALIBRATION_LIMITS
  return line.length <= textLength ? line : `${line.slice(0, textLength - 1)}…`
}

/** A name within the limit of a report. */
export function reportName(name: string): string {
  return name.slice(0, CALIBRATION_LIMITS.nameLength)
}

/** Texts within the limit of a list; what does not fit is counted in its last entry. */
export function reportTexts(texts: readonly string[], limit: number): string[] {
  const lines = texts.map(reportText)
  if (lines.length <= limit) return lines
  return [...lines.slice(0, limit - 1), `…and ${lines.length - limit + 1} more`]
}

/** A list within its limit, and how many entries were left out. */
export function reportList<T>(entries: readonly T[], limit: number): { kept: T[]; dropped: number } {
  return { kept: entries.slice(0, limit), dropped: Math.max(0, entries.length - limit) }
}

/** Ten digits, enough for a frequency to the Hz. */
export function digits10(value: number): number {
  return Number(value.toPrecision(10))
}

const digits6 = (value: number) => Number(value.toPrecision(6))
const digits3 = (value: number) => Number(value.toPrecision(3))

/** A trace thinned out and rounded for a report. Values that are not finite become null. */
export function reportTrace(trace: FitTrace): object {
  if (trace.kind === 'iq') return { ...trace, states: trace.states.map(reportState) }
  if (trace.kind === 'line') return { ...reportLine(trace), ...figuresOf(trace) }
  const { x, y, z, params: _params, goodness: _goodness, ...map } = trace
  return { ...map, ...thinMap(x, y, z), ...figuresOf(trace) }
}

/** A line thinned out and rounded, without the figures of its fit. */
export function reportLine({ params: _params, goodness: _goodness, x, y, curve, ...line }: LineTrace) {
  const kept = indicesOf(y.length, TRACE_LIMITS.line)
  const pick = (values: ArrayLike<number>) => kept.map((at) => finite(values[at] ?? Number.NaN, digits6))
  return {
    ...line,
    x: { ...x, values: kept.map((at) => digits10(x.values[at] ?? 0)) },
    y: pick(y),
    ...(curve && { curve: pick(curve) }),
  }
}

function figuresOf({ params, goodness }: LineTrace | MapTrace): object {
  return {
    ...(params && {
      params: mapValues(params, ([value, error]) => [digits10(value), finite(error ?? Number.NaN, digits6)]),
    }),
    ...(goodness && { goodness: mapValues({ ...goodness }, (value) => finite(value, digits6)) }),
  }
}

/** Evenly chosen indices, the first and the last among them. */
function indicesOf(length: number, limit: number): number[] {
  if (length <= limit) return Array.from({ length }, (_, at) => at)
  return Array.from({ length: limit }, (_, at) => Math.round((at * (length - 1)) / (limit - 1)))
}

function thinMap(x: TraceAxis, y: TraceAxis, z: ArrayLike<number>) {
  const width = x.values.length
  const height = y.values.length
  const part = Math.min(1, Math.sqrt(TRACE_LIMITS.map / (width * height)))
  const columns = indicesOf(width, Math.max(2, Math.floor(width * part)))
  const rows = indicesOf(height, Math.max(2, Math.floor(height * part)))
  const axis = (of: TraceAxis, kept: readonly number[]) => ({
    ...of,
    values: kept.map((at) => digits10(of.values[at] ?? 0)),
  })
  return {
    x: axis(x, columns),
    y: axis(y, rows),
    z: rows.flatMap((row) => columns.map((column) => finite(z[row * width + column] ?? Number.NaN, digits3))),
  }
}

function reportState({ label, i, q }: { label: string; i: ArrayLike<number>; q: ArrayLike<number> }) {
  const kept = indicesOf(i.length, TRACE_LIMITS.shotsPerState)
  const pick = (values: ArrayLike<number>) => kept.map((at) => finite(values[at] ?? Number.NaN, digits6))
  return { label, i: pick(i), q: pick(q) }
}

function finite(value: number, round: (value: number) => number): number | null {
  return Number.isFinite(value) ? round(value) : null
}

function mapValues<In, Out>(
  values: Readonly<Record<string, In>>,
  map: (value: In) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}
