import type { ValueHistory } from '../../../api/model/calibrations.ts'
import { parseTime } from '../../../lib/time.ts'
import { BookTable, numberHeads } from '../../../parts/table/BookTable.tsx'
import { type PlotMark, type PlotTrend, TimeSeries } from '../../../plots/TimeSeries.tsx'
import { driftOf, trendOf } from '../../../plots/time-series/theil-sen.ts'
import { prefixOf } from '../reading/changes.ts'
import type { limitOfValue } from '../reading/limits.ts'
import { driftText } from './drift-text.ts'

/** The history of one element. */
export interface ElementHistory {
  element: string
  history: ValueHistory
}

/** The values with their times in Unix ms. */
export function pointsOf({ values }: ValueHistory) {
  return values.flatMap(({ at, value, error }) => {
    const time = parseTime(at)
    return time === undefined ? [] : [{ at: time, value, error: error ?? 0 }]
  })
}

/** A limit and its side. */
type ElementLimit = ReturnType<typeof limitOfValue>

interface HistoryProps {
  lines: readonly ElementHistory[]
  parameter: string
  limitOf: (element: string) => ElementLimit
}

interface PlotProps extends HistoryProps {
  from: number
  to: number
  marks: readonly PlotMark[]
  zone: string
}

/** The values of several elements over time, with their limit and, of a single one, its drift. */
export function HistoryPlot({ lines, parameter, limitOf, from, to, marks, zone }: PlotProps) {
  const unit = lines.find(({ history }) => history.unit)?.history.unit ?? ''
  const size = Math.max(
    0,
    ...lines.flatMap(({ history }) => history.values.map(({ value }) => Math.abs(value))),
  )
  const scale = prefixOf(size, unit)
  const limit = lines.map(({ element }) => limitOf(element)).find(Boolean)
  return (
    <TimeSeries
      label={`${parameter} of ${lines.map(({ element }) => element).join(', ')} over time`}
      unit={scale.unit}
      from={from}
      to={to}
      timeZone={zone}
      height={300}
      marks={marks}
      limits={
        limit ? [{ value: limit.value / scale.factor, kind: limit.side, label: `limit ${limit.value}` }] : []
      }
      trends={lines.length === 1 ? trendsOf(lines, scale, to) : []}
      lines={lines.map(({ element, history }) => {
        const points = pointsOf(history)
        return {
          key: element,
          label: element,
          at: points.map(({ at }) => at),
          mean: points.map(({ value }) => value / scale.factor),
          min: points.map(({ value, error }) => (value - error) / scale.factor),
          max: points.map(({ value, error }) => (value + error) / scale.factor),
        }
      })}
    />
  )
}

/** The drift of one element as a line; several of them would hide their values. */
function trendsOf(
  lines: readonly ElementHistory[],
  scale: { factor: number },
  now: number,
): readonly PlotTrend[] {
  return lines.flatMap(({ history }) => {
    const points = pointsOf(history).map(({ at, value }) => ({ at, value: value / scale.factor }))
    const drift = driftOf(points, now)
    if (!drift) return []
    const { perDay } = driftText(history, undefined, driftOf(pointsOf(history), now), undefined, now)
    return [{ ...trendOf(points, drift, now), label: `${perDay} a day` }]
  })
}

/** The newest value of each element, its drift, and when it crosses its limit. */
export function DriftTable({ lines, limitOf, now }: Omit<HistoryProps, 'parameter'> & { now: number }) {
  return (
    <BookTable head={['Element', ...numberHeads(['Newest value', 'Drift per day', 'Until the limit'])]}>
      {lines.map(({ element, history }) => {
        const points = pointsOf(history)
        const drift = driftOf(points, now)
        const text = driftText(history, points.at(-1), drift, limitOf(element), now)
        return (
          <tr key={element}>
            <th scope="row">{element}</th>
            <td class="number">{text.newest}</td>
            <td class="number">{text.perDay}</td>
            <td class="number">{text.until}</td>
          </tr>
        )
      })}
    </BookTable>
  )
}
