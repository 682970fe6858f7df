import { rangeOf } from '../jobs/signals.ts'
import { formatCount } from '../lib/format.ts'
import { PlotBox } from './PlotBox.tsx'

const HEIGHT_PX = 190
const MARGIN = { top: 10, right: 8, bottom: 40, left: 48 }
const BINS = 48

interface ProjectionProps {
  /** What the plot is about, for screen readers. */
  name: string
  /** Positions on the axis between the states: filled for 0, outlined for 1. */
  lists: readonly { label: string; state: 0 | 1; values: Float64Array }[]
  threshold: number | undefined
  unit: string
}

/** Histograms of the positions of shots on the axis that tells the states apart, with the threshold. */
export function Projection(props: ProjectionProps) {
  return <PlotBox height={HEIGHT_PX}>{(width) => <Drawn {...props} width={width} />}</PlotBox>
}

function Drawn({ name, lists, threshold, unit, width }: ProjectionProps & { width: number }) {
  const [least, largest] = rangeOf(lists.map(({ values }) => values))
  const span = largest - least || 1
  const binned = lists.map(({ values }) => binsOf(values, least, span))
  const highest = Math.max(1, ...binned.flat())
  const [right, bottom] = [width - MARGIN.right, HEIGHT_PX - MARGIN.bottom]
  const x = (value: number) => MARGIN.left + ((value - least) / span) * (right - MARGIN.left)
  const y = (count: number) => bottom - (count / highest) * (bottom - MARGIN.top)
  const path = (counts: readonly number[]) =>
    counts
      .map((count, bin) => {
        const [from, to] = [bin, bin + 1].map((at) => x(least + (at / BINS) * span).toFixed(1))
        return `${bin === 0 ? `M${from} ${bottom}` : ''}V${y(count).toFixed(1)}H${to}`
      })
      .join('')
  const texts = lists.map(({ label, values }) => `${formatCount(values.length)} shots ${label}`)
  return (
    <svg
      class="histogram projection"
      role="img"
      aria-label={`${name}: histogram along the axis between the states, ${texts.join(', ')}`}
      width={width}
      height={HEIGHT_PX}
    >
      {[0, highest].map((tick) => (
        <text key={tick} class="tick" x={MARGIN.left - 6} y={y(tick)} dy="0.32em" text-anchor="end">
          {formatCount(tick)}
        </text>
      ))}
      {binned.map((counts, index) => (
        <path key={index} class={`cloud-${lists[index]?.state}`} d={`${path(counts)}V${bottom}Z`} />
      ))}
      {threshold !== undefined && threshold >= least && threshold <= largest && (
        <path class="threshold" d={`M${x(threshold).toFixed(1)} ${MARGIN.top}V${bottom}`} />
      )}
      <line class="axis" x1={MARGIN.left} x2={right} y1={bottom} y2={bottom} />
      <text class="tick" x={MARGIN.left} y={bottom + 16}>
        {short(least)}
      </text>
      <text class="tick" x={right} y={bottom + 16} text-anchor="end">
        {short(largest)}
      </text>
      <text class="tick" x={(MARGIN.left + right) / 2} y={bottom + 34} text-anchor="middle">
        rotated I, {unit}
      </text>
    </svg>
  )
}

function binsOf(values: Float64Array, least: number, span: number): number[] {
  const counts = new Array<number>(BINS).fill(0)
  for (const value of values) {
    const bin = Math.min(BINS - 1, Math.floor(((value - least) / span) * BINS))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return counts
}

function short(value: number): string {
  return String(Number(value.toPrecision(3))).replace('-', '−')
}
