import type { ParameterHistory } from '../../api/model/qpus/chip.ts'
import { parseTime } from '../../lib/time.ts'
import type { Metric } from '../../plots/chip/metric.ts'
import type { PlotLine, PlotTrend } from '../../plots/TimeSeries.tsx'
import { driftOf, trendOf } from '../../plots/time-series/theil-sen.ts'

/** The values of a parameter as a line in the unit of its metric, with a band of one standard error. */
export function historyLine({ values }: ParameterHistory, { factor, title }: Metric, element: string) {
  const known = values.flatMap(({ at, value, error }) => {
    const ms = parseTime(at)
    return ms === undefined ? [] : [{ ms, value: value * factor, error: (error ?? 0) * factor }]
  })
  return {
    key: element,
    label: `${element} ${title}`,
    at: known.map(({ ms }) => ms),
    mean: known.map(({ value }) => value),
    min: known.map(({ value, error }) => value - error),
    max: known.map(({ value, error }) => value + error),
  } satisfies PlotLine
}

/** The drift of a line over the last 14 days, with its size per day; none with fewer than three values. */
export function trendsOf({ at, mean }: PlotLine, { unit, fraction }: Metric, now: number): PlotTrend[] {
  const points = at.map((ms, index) => ({ at: ms, value: mean[index] ?? 0 }))
  const drift = driftOf(points, now)
  if (!drift) return []
  const size = String(Number(drift.perDay.toPrecision(2))).replace('-', '−')
  const sign = drift.perDay > 0 ? '+' : ''
  // A change of a percentage is in points, since percent would be a share of it.
  const of = fraction ? 'points' : unit
  return [{ ...trendOf(points, drift, now), label: `${sign}${size} ${of} a day`.replace('  ', ' ') }]
}

/** The values as they are stored, one per line. */
export function historyCsv({ unit, values }: ParameterHistory): string {
  const rows = values.map(({ at, value, error, routine, report }) =>
    [at, value, error ?? '', unit, routine, report].join(','),
  )
  return `${['at,value,error,unit,routine,report', ...rows].join('\n')}\n`
}
