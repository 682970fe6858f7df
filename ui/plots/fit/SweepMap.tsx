import { rampColor } from '../chip/ramp.ts'
import { PlotBox } from '../PlotBox.tsx'
import { rangeOf, roundTicks, tickText } from './ticks.ts'

/** An axis of a map; its values are divided by `factor` for the ticks. */
export interface MapAxis {
  title: string
  values: readonly number[]
  factor: number
}

interface SweepMapProps {
  label: string
  x: MapAxis
  y: MapAxis
  /** Row by row: all x of the first y, then of the next. */
  z: readonly number[]
  /** What the colors are. */
  zTitle: string
}

const LEFT = 62
const RIGHT = 84
const BOTTOM = 40
const TOP = 20
const BAR = { gap: 12, width: 14, steps: 32 }
const HEIGHT = 260

/** A quantity over two swept ones, as colored cells. */
export function SweepMap(props: SweepMapProps) {
  return (
    <PlotBox class="sweep-map" height={HEIGHT + BOTTOM}>
      {(width) => <Drawn {...props} width={width} />}
    </PlotBox>
  )
}

function Drawn({ label, x, y, z, zTitle, width }: SweepMapProps & { width: number }) {
  const [columns, rows] = [x.values.length, y.values.length]
  const side = width - LEFT - RIGHT
  const [low, high] = rangeOf(z, 0)
  const cell = { width: side / columns, height: (HEIGHT - TOP) / rows }
  const [x0 = 0, x1 = 1] = [x.values[0], x.values.at(-1)]
  const [y0 = 0, y1 = 1] = [y.values[0], y.values.at(-1)]
  const xTicks = roundTicks(Math.min(x0, x1) / x.factor, Math.max(x0, x1) / x.factor, 5)
  const yTicks = roundTicks(Math.min(y0, y1) / y.factor, Math.max(y0, y1) / y.factor, 4)
  const place = (value: number, from: number, to: number) =>
    to === from ? 0.5 : (value - from) / (to - from)
  return (
    <svg role="img" aria-label={label} width={width} height={HEIGHT + BOTTOM}>
      <text x={LEFT} y={12}>
        {y.title}
      </text>
      {z.map((value, at) => (
        <rect
          key={at}
          x={LEFT + (at % columns) * cell.width}
          y={HEIGHT - (Math.floor(at / columns) + 1) * cell.height}
          width={cell.width + 0.5}
          height={cell.height + 0.5}
          fill={rampColor(high > low ? (value - low) / (high - low) : 0.5)}
        />
      ))}
      {xTicks.map((tick) => (
        <text
          key={tick}
          x={LEFT + (0.5 * cell.width + place(tick * x.factor, x0, x1) * (side - cell.width))}
          y={HEIGHT + 17}
          class="mid"
        >
          {tickText(tick, xTicks)}
        </text>
      ))}
      {yTicks.map((tick) => (
        <text
          key={tick}
          x={LEFT - 6}
          y={HEIGHT - 0.5 * cell.height - place(tick * y.factor, y0, y1) * (HEIGHT - TOP - cell.height)}
          dy="0.32em"
          class="end"
        >
          {tickText(tick, yTicks)}
        </text>
      ))}
      <text x={LEFT + side / 2} y={HEIGHT + 35} class="mid">
        {x.title}
      </text>
      <text x={width} y={12} class="end">
        {zTitle}
      </text>
      <ColorBar low={low} high={high} left={LEFT + side + BAR.gap} />
    </svg>
  )
}

function ColorBar({ low, high, left }: { low: number; high: number; left: number }) {
  const step = (HEIGHT - TOP) / BAR.steps
  const ticks = roundTicks(low, high, 4)
  return (
    <g>
      {Array.from({ length: BAR.steps }, (_, at) => (
        <rect
          key={at}
          x={left}
          y={HEIGHT - (at + 1) * step}
          width={BAR.width}
          height={step + 0.5}
          fill={rampColor(high > low ? at / (BAR.steps - 1) : 0.5)}
        />
      ))}
      {ticks.map((tick) => (
        <text
          key={tick}
          x={left + BAR.width + 6}
          y={HEIGHT - (high > low ? (tick - low) / (high - low) : 0.5) * (HEIGHT - TOP)}
          dy="0.32em"
        >
          {tickText(tick, ticks)}
        </text>
      ))}
    </g>
  )
}
