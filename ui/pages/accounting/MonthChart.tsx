import { formatSeconds } from '../../lib/format.ts'
import { formatMonth, partsOf, roundedUp } from './months.ts'

const [HEIGHT, LEFT, BOTTOM, TOP] = [200, 70, 26, 10]
/** Widths of the drawing, and labels of months that fit side by side. */
const WIDE = { chartWidth: 960, labels: 13 }
const NARROW = { chartWidth: 360, labels: 4 }

/** QPU time by month as bars; the table below it has the same numbers. */
export function MonthChart({ bars }: { bars: readonly { month: string; seconds: number }[] }) {
  const { chartWidth, labels } = matchMedia('(max-width: 760px)').matches ? NARROW : WIDE
  const most = Math.max(...bars.map(({ seconds }) => seconds), 0)
  const end = most === 0 ? 1 : roundedUp(most)
  const parts = partsOf(end)
  const y = (seconds: number) => HEIGHT - BOTTOM - (seconds / end) * (HEIGHT - BOTTOM - TOP)
  const width = (chartWidth - LEFT) / Math.max(1, bars.length)
  const every = Math.ceil(bars.length / labels)
  const largest = bars.find(({ seconds }) => seconds === most)
  const name =
    most === 0 || !largest
      ? 'QPU time by month: none'
      : `QPU time by month, most in ${formatMonth(largest.month)}: ${formatSeconds(most)}`
  return (
    <svg class="months" viewBox={`0 0 ${chartWidth} ${HEIGHT}`} role="img" aria-label={name}>
      {Array.from({ length: parts + 1 }, (_, line) => (line / parts) * end).map((seconds) => (
        <g key={seconds}>
          <path class="grid" d={`M${LEFT} ${y(seconds)}H${chartWidth}`} />
          <text x={LEFT - 8} y={y(seconds) + 4} text-anchor="end">
            {seconds === 0 ? '0' : formatSeconds(seconds)}
          </text>
        </g>
      ))}
      {bars.map(({ month, seconds }, at) => (
        <g key={month}>
          <rect
            x={LEFT + at * width + width * 0.15}
            y={y(seconds)}
            width={width * 0.7}
            height={HEIGHT - BOTTOM - y(seconds)}
          >
            <title>
              {formatMonth(month)}: {formatSeconds(seconds)}
            </title>
          </rect>
          {at % every === 0 && (
            <text x={LEFT + (at + 0.5) * width} y={HEIGHT - 8} text-anchor="middle">
              {formatMonth(month).slice(0, 3)}
              {(at === 0 || (every === 1 && month.endsWith('-01'))) && ` ${month.slice(0, 4)}`}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}
