import { PlotBox } from '../PlotBox.tsx'
import { rangeOf, roundTicks, tickText } from './ticks.ts'

interface Series {
  x: readonly number[]
  y: readonly number[]
}

interface FitProps {
  /** What the plot shows, one sentence, for screen readers. */
  label: string
  /** Measured points. */
  data: Series
  curve?: Series | undefined
  /** The curve at the measured points. */
  fitted?: readonly number[] | undefined
  /** Standard deviation of one point. */
  sigma?: number | undefined
  /** Standard errors of the points, as bars of ± one. */
  errors?: readonly number[] | undefined
  /** Names of the axes with their units. */
  xTitle: string
  yTitle: string
  /** What the values are divided by for the axes, such as 1e-6 for an axis in µs. */
  xFactor?: number
}

const LEFT = 56
const RIGHT = 10
const TOP = 18
const MAIN = 210
const GAP = 26
const REST = 56
const BOTTOM = 40

/** Measured points with the fitted curve; below them the residuals with a band of two deviations. */
export function Fit(props: FitProps) {
  return (
    <PlotBox class="fit" height={heightOf(props)}>
      {(width) => <Drawn {...props} width={width} />}
    </PlotBox>
  )
}

function heightOf({ fitted }: FitProps): number {
  return TOP + MAIN + BOTTOM + (fitted ? GAP + REST : 0)
}

function Drawn(props: FitProps & { width: number }) {
  const { label, data, curve, fitted, sigma, errors, xTitle, yTitle, xFactor = 1, width } = props
  const right = width - RIGHT
  const [x0, x1] = rangeOf(data.x, 0)
  const ends = (errors ?? []).flatMap((error, at) => [(data.y[at] ?? 0) - error, (data.y[at] ?? 0) + error])
  const [y0, y1] = rangeOf([...data.y, ...ends, ...(curve?.y ?? [])])
  const x = (value: number) => LEFT + ((value - x0) / (x1 - x0)) * (right - LEFT)
  const y = (value: number) => TOP + MAIN - ((value - y0) / (y1 - y0)) * MAIN
  const yTicks = roundTicks(y0, y1)
  const xTicks = roundTicks(x0 / xFactor, x1 / xFactor, width < 420 ? 4 : 7)
  const bottom = heightOf(props) - BOTTOM
  return (
    <svg role="img" aria-label={label} width={width} height={heightOf(props)}>
      {yTicks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={LEFT} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 8} y={y(tick)} dy="0.32em" class="end">
            {tickText(tick, yTicks)}
          </text>
        </g>
      ))}
      <text x={right} y={11} class="end">
        {yTitle}
      </text>
      {curve && <path class="curve" d={pathOf(curve, x, y)} />}
      {errors?.map((error, index) => (
        <line
          key={index}
          class="whisker"
          x1={x(data.x[index] ?? 0)}
          x2={x(data.x[index] ?? 0)}
          y1={y((data.y[index] ?? 0) - error)}
          y2={y((data.y[index] ?? 0) + error)}
        />
      ))}
      {data.x.map((at, index) => (
        <circle
          key={index}
          class="point"
          cx={x(at)}
          cy={y(data.y[index] ?? 0)}
          r={data.x.length > 120 ? 1.8 : 2.8}
        />
      ))}
      {fitted && <Residuals data={data} fitted={fitted} sigma={sigma} x={x} right={right} bottom={bottom} />}
      <line class="axis" x1={LEFT} x2={right} y1={bottom} y2={bottom} />
      {xTicks.map((tick) => (
        <g key={tick}>
          <line class="axis" x1={x(tick * xFactor)} x2={x(tick * xFactor)} y1={bottom} y2={bottom + 4} />
          <text x={x(tick * xFactor)} y={bottom + 17} class="mid">
            {tickText(tick, xTicks)}
          </text>
        </g>
      ))}
      <text x={(LEFT + right) / 2} y={bottom + 34} class="mid">
        {xTitle}
      </text>
    </svg>
  )
}

interface ResidualsProps {
  data: Series
  fitted: readonly number[]
  sigma: number | undefined
  x: (value: number) => number
  right: number
  bottom: number
}

function Residuals({ data, fitted, sigma, x, right, bottom }: ResidualsProps) {
  const rest = data.y.map((value, index) => value - (fitted[index] ?? 0))
  const size = Math.max(...rest.map(Math.abs), (sigma ?? 0) * 3, Number.MIN_VALUE)
  const middle = bottom - REST / 2
  const y = (value: number) => middle - (value / size) * (REST / 2 - 2)
  const band = sigma === undefined ? 0 : y(0) - y(2 * sigma)
  const label = Number(size.toPrecision(1))
  return (
    <g>
      {sigma !== undefined && (
        <rect class="band" x={LEFT} width={right - LEFT} y={middle - band} height={band * 2} />
      )}
      <line class="zero" x1={LEFT} x2={right} y1={middle} y2={middle} />
      <text x={right} y={bottom - REST - 8} class="end">
        {sigma === undefined ? 'residual' : 'residual, band ± 2σ'}
      </text>
      {[label, 0, -label].map((tick) => (
        <text
          key={tick}
          x={LEFT - 8}
          y={Math.min(bottom - 3, Math.max(bottom - REST + 5, y(tick)))}
          dy="0.32em"
          class="end"
        >
          {tickText(tick, [0, label])}
        </text>
      ))}
      {rest.map((value, index) => (
        <circle
          key={index}
          class={sigma !== undefined && Math.abs(value) > 2 * sigma ? 'rest out' : 'rest'}
          cx={x(data.x[index] ?? 0)}
          cy={y(value)}
          r={1.8}
        />
      ))}
    </g>
  )
}

function pathOf(series: Series, x: (value: number) => number, y: (value: number) => number): string {
  const order = series.x.map((_, index) => index).sort((a, b) => (series.x[a] ?? 0) - (series.x[b] ?? 0))
  return order
    .map(
      (index, at) =>
        `${at === 0 ? 'M' : 'L'}${x(series.x[index] ?? 0).toFixed(1)} ${y(series.y[index] ?? 0).toFixed(1)}`,
    )
    .join('')
}
