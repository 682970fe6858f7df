import { type Bar, type BarOrder, type Bars, describeCounts, poolCounts, totalOf } from '../jobs/counts.ts'
import { formatCount, formatShare } from '../lib/format.ts'
import { type Axis, linearAxis, logAxis } from './axis.ts'
import { AXIS_PX, chooseBars, NOTE_PX } from './choose-bars.ts'
import { PlotBox } from './PlotBox.tsx'

const MARGIN = { top: 12, right: 4, left: 8 }
/** Widths of one character of the axis and of the bar labels, in px. */
const TICK_CHARACTER_PX = 6.6
const LABEL_CHARACTER_PX = 7.3
const LABEL_LINE_PX = 16
const MIN_WHISKER_PX = 4
const MAX_LABEL_LENGTH = 18

/** Counts of one job; the first is filled, the second outlined in copper. */
interface HistogramSeries {
  name: string
  counts: Record<string, number>
  /** Whether the counts are probabilities times shots, which have no shot noise. */
  isExact?: boolean
}

interface HistogramProps {
  series: readonly HistogramSeries[]
  order: BarOrder
  /** Maximum number of outcomes with bars, by default that of `chooseBars`; fewer on narrow screens. */
  maxBars?: number
  /** px, without the axis labels. */
  height: number
  scale?: 'linear' | 'log'
  unit?: 'count' | 'probability'
  /** Whether to draw whiskers of two standard deviations. */
  whiskers?: boolean
}

/** Measured counts as bars. The scale is that of the bars shown; outcomes without a bar are a note beside. */
export function Histogram(props: HistogramProps) {
  return <PlotBox height={props.height}>{(width) => <Plot {...props} width={width} />}</PlotBox>
}

function Plot(props: HistogramProps & { width: number }) {
  const { series, height, width, unit = 'count', whiskers = true } = props
  const pooled = poolCounts(series.map(({ counts }) => counts))
  const shown = chooseBars(pooled, props)
  const labels = shown.bars.map(({ label }) => label)
  const sets = series.map((each) => barsOf(each, labels))
  const sizeOf = ({ count, share }: Bar) => (unit === 'count' ? count : share)
  const whiskerOf = (bar: Bar, sign: 1 | -1) => {
    const value = bar.count + sign * 2 * bar.sigma
    return unit === 'count' || bar.count === 0 ? value : (value * bar.share) / bar.count
  }
  const axis = axisFor(props, sets.flat(), sizeOf, whiskerOf)
  const tickText = (tick: number) => (unit === 'count' ? formatCount(tick) : String(tick))
  const right = width - MARGIN.right - (shown.other ? NOTE_PX : 0)
  const labelPx = Math.max(...axis.ticks.map((tick) => tickText(tick).length)) * TICK_CHARACTER_PX
  // Plots that stand below have an axis of this width, too.
  const left = series.length > 1 ? AXIS_PX : MARGIN.left + labelPx
  const slot = (right - left) / Math.max(1, labels.length)
  const group = Math.min(
    56 * series.length,
    Math.max(Math.min(4, slot), slot * (series.length === 1 ? 0.62 : 0.8)),
  )
  const longest = Math.max(0, ...labels.map((label) => shorten(label).length)) * LABEL_CHARACTER_PX
  const upright = longest + 8 > slot
  const bottom = MARGIN.top + height
  // Narrow bars have a label where there is space for one, and no whiskers, which would cover them.
  const hasWhiskers = whiskers && slot >= MIN_WHISKER_PX
  const labeled = Math.max(1, Math.ceil(LABEL_LINE_PX / slot))
  const y = (value: number) => bottom - axis.at(value) * height
  return (
    <svg
      class="histogram"
      role="img"
      aria-label={describe(series, shown)}
      width={width}
      height={bottom + (upright ? longest + 14 : 26)}
    >
      {axis.ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text class="tick" x={left - 6} y={y(tick)} dy="0.32em" text-anchor="end">
            {tickText(tick)}
          </text>
        </g>
      ))}
      {labels.map((label, index) => {
        const center = left + slot * (index + 0.5)
        return (
          <g key={label}>
            {sets.map((bars, at) => {
              const bar = bars[index]
              if (!bar) return null
              const wide = group / series.length
              const x = center - group / 2 + at * wide
              const middle = x + wide / 2
              return (
                <g key={series[at]?.name} class={`series-${at + 1}`}>
                  <title>{titleOf(bar, series.length > 1 ? series[at]?.name : undefined)}</title>
                  <rect
                    class="bar"
                    x={x}
                    y={y(sizeOf(bar))}
                    width={Math.max(Math.min(1, wide), wide - (series.length > 1 ? 2 : 0))}
                    height={Math.max(0, bottom - y(sizeOf(bar)))}
                  />
                  {hasWhiskers && bar.sigma > 0 && (
                    <path class="whisker" d={`M${middle} ${y(whiskerOf(bar, 1))}V${y(whiskerOf(bar, -1))}`} />
                  )}
                </g>
              )
            })}
            {index % labeled === 0 && (
              <>
                <line class="ruler" x1={center} x2={center} y1={bottom} y2={bottom + 4} />
                <text
                  class="label"
                  {...(upright
                    ? {
                        'text-anchor': 'end',
                        transform: `translate(${center + 4} ${bottom + 9}) rotate(-90)`,
                      }
                    : { 'text-anchor': 'middle', x: center, y: bottom + 19 })}
                >
                  {shorten(label)}
                </text>
              </>
            )}
          </g>
        )
      })}
      <line class="axis" x1={left} x2={right} y1={bottom} y2={bottom} />
      {shown.other && (
        <text class="other" x={right + 12} y={MARGIN.top + 8}>
          <tspan>rarer outcomes</tspan>
          <tspan class="strong" x={right + 12} dy="1.4em">
            {formatCount(shown.other.outcomes)}
          </tspan>
          <tspan x={right + 12} dy="1.8em">
            their shots
          </tspan>
          <tspan class="strong" x={right + 12} dy="1.4em">
            {formatShare(shown.other.share)}
          </tspan>
        </text>
      )}
    </svg>
  )
}

function axisFor(
  { scale = 'linear', unit = 'count', whiskers = true }: HistogramProps,
  bars: readonly Bar[],
  sizeOf: (bar: Bar) => number,
  whiskerOf: (bar: Bar, sign: 1 | -1) => number,
): Axis {
  const highest = Math.max(0, ...bars.map((bar) => (whiskers ? whiskerOf(bar, 1) : sizeOf(bar))))
  if (scale === 'linear') return linearAxis(highest || 1, unit === 'count' ? 1 : 0)
  const positive = bars.map(sizeOf).filter((value) => value > 0)
  const lowest = Math.min(...positive, highest || 1)
  return logAxis(unit === 'count' ? Math.min(1, lowest) : lowest, highest || 1)
}

function barsOf({ counts, isExact = false }: HistogramSeries, labels: readonly string[]): Bar[] {
  const total = totalOf(counts)
  return labels.map((label) => {
    const count = counts[label] ?? 0
    const share = total === 0 ? 0 : count / total
    return { label, count, share, sigma: isExact ? 0 : Math.sqrt(total * share * (1 - share)) }
  })
}

function describe(series: readonly HistogramSeries[], shown: Bars): string {
  if (series.length === 1) return describeCounts(shown)
  const names = series.map(({ name }) => name).join(', ')
  return `Histogram of the counts of ${names}; the table below has the numbers`
}

function titleOf({ label, count, share, sigma }: Bar, name: string | undefined): string {
  const of = name === undefined ? label : `${name}, ${label}`
  return `${of}: ${formatCount(count)} ± ${formatCount(2 * sigma)} (${formatShare(share)})`
}

/** Shortens a long outcome in its middle: both ends distinguish neighbors; the table shows it in full. */
function shorten(label: string): string {
  if (label.length <= MAX_LABEL_LENGTH) return label
  const half = Math.floor((MAX_LABEL_LENGTH - 1) / 2)
  return `${label.slice(0, half)}…${label.slice(-half)}`
}
