import * as v from 'valibot'
import type { Axis } from '../routine-names.ts'
import { ALLOWED } from './config-problems.ts'

const MAX_POINTS = 2_000

/** Where an axis is swept. */
export type AxisRange =
  | { kind: 'interval'; start: number; stop: number }
  /** Around a center; what is absent is derived. */
  | { kind: 'around'; center?: number | undefined; span?: number | undefined }
  | { kind: 'values'; values: readonly number[] }

/** What `calibration.yml` says of an axis; the rest is derived. */
export interface AxisConfig {
  range?: AxisRange | undefined
  points?: number | undefined
  scale?: 'lin' | 'log' | undefined
}

/** A number without quotes, from `min` to `max`. */
export function numberIn({ min, max, isInteger }: Pick<Axis, 'min' | 'max' | 'isInteger'>) {
  const message = `expected a ${isInteger ? 'whole ' : ''}number from ${min} to ${max}, without quotes`
  return v.pipe(
    v.number(message),
    v.check((value) => !isInteger || Number.isInteger(value), message),
    v.minValue(min, message),
    v.maxValue(max, message),
  )
}

/** An object of these keys alone; other keys are refused with the allowed ones. */
export function keysOf<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject(entries, (issue) =>
    issue.expected === 'never'
      ? `${ALLOWED}${Object.keys(entries).join(', ')}`
      : `expected keys out of ${Object.keys(entries).join(', ')}`,
  )
}

/** The form of an axis in the file: a list of values, or an interval, a center with a span, or values. */
export function axisSchema(axis: Axis): v.GenericSchema<unknown, AxisConfig> {
  const value = numberIn(axis)
  const list = v.pipe(
    v.array(value, 'expected a list of numbers'),
    v.minLength(1, 'expected at least one value'),
    v.maxLength(MAX_POINTS, `expected at most ${MAX_POINTS} values`),
  )
  const entries = keysOf({
    start: v.optional(value),
    stop: v.optional(value),
    center: v.optional(value),
    span: v.optional(numberIn({ min: Number.MIN_VALUE, max: axis.max - axis.min })),
    values: v.optional(list),
    points: v.optional(numberIn({ min: 2, max: MAX_POINTS, isInteger: true })),
    scale: v.optional(v.picklist(['lin', 'log'], 'expected lin or log')),
  })
  type Given = v.InferOutput<typeof entries>
  const whole = v.pipe(
    entries,
    v.check((given: Given) => isOneForm(given), 'expected start and stop, or center and span, or values'),
    v.check(
      ({ start, stop }) => start === undefined || stop === undefined || start < stop,
      'expected start below stop',
    ),
    v.check((given: Given) => isAboveZero(given), 'expected a range above 0 for the scale log'),
    v.transform(
      ({ points, scale, ...range }: Given): AxisConfig => ({ range: rangeOf(range), points, scale }),
    ),
  )
  const values = v.pipe(
    list,
    v.transform((all: number[]): AxisConfig => ({ range: { kind: 'values', values: all } })),
  )
  return v.lazy((input) => (Array.isArray(input) ? values : whole))
}

/** An axis for one target: what is said for the target comes before what is said for all. */
export function mergeAxis(all: AxisConfig | undefined, own: AxisConfig | undefined): AxisConfig {
  const [one, other] = [all?.range, own?.range]
  const range =
    one?.kind === 'around' && other?.kind === 'around'
      ? {
          kind: other.kind,
          center: other.center ?? one.center,
          span: other.span ?? one.span,
        }
      : (other ?? one)
  return { range, points: own?.points ?? all?.points, scale: own?.scale ?? all?.scale }
}

interface GivenRange {
  start?: number | undefined
  stop?: number | undefined
  center?: number | undefined
  span?: number | undefined
  values?: readonly number[] | undefined
}

function isOneForm({
  start,
  stop,
  center,
  span,
  values,
  points,
}: GivenRange & { points?: number | undefined }): boolean {
  const isInterval = start !== undefined && stop !== undefined
  const isPartial = (start !== undefined || stop !== undefined) && !isInterval
  const isAround = center !== undefined || span !== undefined
  const forms = [isInterval, isAround, values !== undefined].filter(Boolean).length
  return !isPartial && forms <= 1 && !(values !== undefined && points !== undefined)
}

function isAboveZero({
  start,
  center,
  span,
  values,
  scale,
}: GivenRange & { scale?: string | undefined }): boolean {
  if (scale !== 'log') return true
  const lowest = [start, ...(values ?? []), center === undefined ? undefined : center - (span ?? 0) / 2]
  return lowest.every((value) => value === undefined || value > 0)
}

function rangeOf({ start, stop, center, span, values }: GivenRange): AxisRange | undefined {
  if (values !== undefined) return { kind: 'values', values }
  if (start !== undefined && stop !== undefined) return { kind: 'interval', start, stop }
  return center === undefined && span === undefined ? undefined : { kind: 'around', center, span }
}
