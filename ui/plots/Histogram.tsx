import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { axisTicks, type BarOrder, describeCounts, toBars } from '../jobs/counts.ts'
import { formatCount } from '../lib/format.ts'

const MARGIN = { top: 12, right: 4, left: 8 }
/** Widths of one character of the axis and of the bar labels, in px. */
const TICK_CHARACTER_PX = 6.6
const LABEL_CHARACTER_PX = 7.3
/** Minimum width of a bar with its gap, in px; bars that do not fit are summed as "other". */
const MIN_SLOT_PX = 18
const MAX_LABEL_LENGTH = 18

interface HistogramProps {
  counts: Record<string, number>
  order: BarOrder
  /** Maximum number of bars; fewer are shown on narrow screens. */
  maxBars: number
  /** px, without the axis labels. */
  height: number
}

/** Measured counts as bars with whiskers of two standard deviations. */
export function Histogram({ counts, order, maxBars, height }: HistogramProps) {
  const box = useRef<HTMLDivElement>(null)
  const width = useSignal(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry?.contentRect.width ?? 0)
    })
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={box} class="plot" style={{ minHeight: `${height}px` }}>
      {width.value > 0 && (
        <Bars counts={counts} order={order} maxBars={maxBars} height={height} width={width.value} />
      )}
    </div>
  )
}

function Bars({ counts, order, maxBars, height, width }: HistogramProps & { width: number }) {
  const highest = Math.max(0, ...Object.values(counts))
  const maxSlots = Math.floor((width - 60) / MIN_SLOT_PX)
  const bars = toBars(counts, order, Math.max(2, Math.min(maxBars, maxSlots)))
  const top = Math.max(highest, ...bars.map(({ count, sigma }) => count + 2 * sigma))
  const ticks = axisTicks(top)
  const axisTop = ticks.at(-1) ?? 1
  const left = MARGIN.left + formatCount(axisTop).length * TICK_CHARACTER_PX
  const slot = (width - left - MARGIN.right) / bars.length
  const barWidth = Math.min(56, Math.max(4, slot * 0.62))
  const longest = Math.max(...bars.map(({ label }) => shorten(label).length)) * LABEL_CHARACTER_PX
  const upright = longest + 8 > slot
  const plotBottom = MARGIN.top + height
  const total = plotBottom + (upright ? longest + 14 : 26)
  const y = (count: number) => plotBottom - (count / axisTop) * height
  return (
    <svg class="histogram" role="img" aria-label={describeCounts(bars)} width={width} height={total}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
          <text class="tick" x={left - 6} y={y(tick)} dy="0.32em" text-anchor="end">
            {formatCount(tick)}
          </text>
        </g>
      ))}
      {bars.map(({ label, count, sigma }, index) => {
        const center = left + slot * (index + 0.5)
        const text = shorten(label)
        return (
          <g key={label} class={label === 'other' ? 'other' : undefined}>
            <title>{`${label}: ${formatCount(count)} ± ${formatCount(2 * sigma)}`}</title>
            <rect
              class="bar"
              x={center - barWidth / 2}
              y={y(count)}
              width={barWidth}
              height={plotBottom - y(count)}
            />
            <path
              class="whisker"
              d={`M${center} ${y(count + 2 * sigma)}V${y(Math.max(0, count - 2 * sigma))}`}
            />
            <line class="ruler" x1={center} x2={center} y1={plotBottom} y2={plotBottom + 4} />
            {upright ? (
              <text
                class="label"
                text-anchor="end"
                transform={`translate(${center + 4} ${plotBottom + 9}) rotate(-90)`}
              >
                {text}
              </text>
            ) : (
              <text class="label" text-anchor="middle" x={center} y={plotBottom + 19}>
                {text}
              </text>
            )}
          </g>
        )
      })}
      <line class="axis" x1={left} x2={width - MARGIN.right} y1={plotBottom} y2={plotBottom} />
    </svg>
  )
}

/**
 * Shortens a long outcome in its middle: both ends distinguish neighbors, and the table shows it in full.
 */
function shorten(label: string): string {
  if (label.length <= MAX_LABEL_LENGTH) return label
  const half = Math.floor((MAX_LABEL_LENGTH - 1) / 2)
  return `${label.slice(0, half)}…${label.slice(-half)}`
}
