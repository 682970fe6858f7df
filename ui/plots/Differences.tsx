import { MARKED_SIGMAS, type OutcomeDifference } from '../jobs/compare.ts'
import { formatDifference, formatSigmas } from '../jobs/compare-text.ts'
import type { BarOrder } from '../jobs/counts.ts'
import { AXIS_PX, chooseBars, NOTE_PX } from './choose-bars.ts'
import { PlotBox } from './PlotBox.tsx'

const HEIGHT_PX = 120
const MARGIN = { top: 8, right: 4, bottom: 8, left: AXIS_PX }
const MARK_PX = 4

interface DifferencesProps {
  outcomes: readonly OutcomeDifference[]
  /** What the histogram above shows, so that both have the same outcomes in the same places. */
  histogram: { counts: Record<string, number>; order: BarOrder }
}

/** Differences of probabilities with whiskers of 2σ; squares are more than 3σ from zero. */
export function Differences(props: DifferencesProps) {
  return <PlotBox height={HEIGHT_PX}>{(width) => <Marks {...props} width={width} />}</PlotBox>
}

function Marks({ outcomes: all, histogram, width }: DifferencesProps & { width: number }) {
  const { bars, other } = chooseBars(histogram.counts, { ...histogram, width })
  const known = new Map(all.map((each) => [each.outcome, each]))
  const outcomes = bars.flatMap(({ label }) => known.get(label) ?? [])
  const top = Math.max(1e-6, ...outcomes.map(({ difference, sigma }) => Math.abs(difference) + 2 * sigma))
  const middle = HEIGHT_PX / 2
  const y = (value: number) => middle - (value / top) * (middle - MARGIN.top)
  const right = width - MARGIN.right - (other ? NOTE_PX : 0)
  const slot = (right - MARGIN.left) / Math.max(1, outcomes.length)
  const marked = outcomes.filter(({ sigmas }) => Math.abs(sigmas) > MARKED_SIGMAS).length
  return (
    <svg
      class="differences"
      role="img"
      aria-label={`Differences of ${outcomes.length} outcomes; ${marked} are more than ${MARKED_SIGMAS} σ apart`}
      width={width}
      height={HEIGHT_PX}
    >
      {[top, 0, -top].map((tick) => (
        <g key={tick}>
          <line class={tick === 0 ? 'axis' : 'grid'} x1={MARGIN.left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={MARGIN.left - 6} y={y(tick)} dy="0.32em" text-anchor="end">
            {tick === 0 ? '0' : formatDifference(tick, 3)}
          </text>
        </g>
      ))}
      {outcomes.map(({ outcome, difference, sigma, sigmas }, index) => {
        const x = MARGIN.left + slot * (index + 0.5)
        const isMarked = Math.abs(sigmas) > MARKED_SIGMAS
        return (
          <g key={outcome} class={isMarked ? 'marked' : undefined}>
            <title>{`${outcome}: ${formatDifference(difference)}, ${formatSigmas(sigmas)} σ`}</title>
            <line
              class="whisker"
              x1={x}
              x2={x}
              y1={y(difference - 2 * sigma)}
              y2={y(difference + 2 * sigma)}
            />
            {isMarked ? (
              <rect x={x - MARK_PX} y={y(difference) - MARK_PX} width={2 * MARK_PX} height={2 * MARK_PX} />
            ) : (
              <circle cx={x} cy={y(difference)} r={3} />
            )}
          </g>
        )
      })}
    </svg>
  )
}
