import { rangeOf } from '../jobs/signals.ts'
import { PlotBox } from './PlotBox.tsx'

const HEIGHT_PX = 240
const MARGIN = { top: 10, right: 8, bottom: 30, left: 64 }

interface TraceProps {
  re: Float64Array
  im: Float64Array
  name: string
}

/** A signal over the samples of a readout: I solid, Q dashed. */
export function Trace(props: TraceProps) {
  return <PlotBox height={HEIGHT_PX}>{(width) => <Lines {...props} width={width} />}</PlotBox>
}

function Lines({ re, im, name, width }: TraceProps & { width: number }) {
  const [least, largest] = rangeOf([re, im])
  const span = largest - least || 1
  const bottom = HEIGHT_PX - MARGIN.bottom
  const right = width - MARGIN.right
  const x = (sample: number) => MARGIN.left + (sample / Math.max(1, re.length - 1)) * (right - MARGIN.left)
  const y = (value: number) => bottom - ((value - least) / span) * (bottom - MARGIN.top)
  return (
    <svg
      class="trace"
      role="img"
      aria-label={`${name}: ${re.length} samples of I and Q between ${short(least)} and ${short(largest)}`}
      width={width}
      height={HEIGHT_PX}
    >
      {[least, (least + largest) / 2, largest].map((tick) => (
        <g key={tick}>
          <line class="grid" x1={MARGIN.left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={MARGIN.left - 6} y={y(tick)} dy="0.32em" text-anchor="end">
            {short(tick)}
          </text>
        </g>
      ))}
      <path class="line i" d={pathOf(re, x, y)} />
      <path class="line q" d={pathOf(im, x, y)} />
      <line class="axis" x1={MARGIN.left} x2={right} y1={bottom} y2={bottom} />
      <text x={MARGIN.left} y={HEIGHT_PX - 10}>
        sample 0
      </text>
      <text x={right} y={HEIGHT_PX - 10} text-anchor="end">
        {re.length - 1}
      </text>
    </svg>
  )
}

function pathOf(values: Float64Array, x: (sample: number) => number, y: (value: number) => number): string {
  return Array.from(
    values,
    (value, sample) => `${sample === 0 ? 'M' : 'L'}${x(sample).toFixed(1)} ${y(value).toFixed(1)}`,
  ).join('')
}

function short(value: number): string {
  return String(Number(value.toPrecision(3))).replace('-', '−')
}
