import { PlotBox } from '../PlotBox.tsx'
import { decisionLines } from './decision-lines.ts'
import { rangeOf, roundTicks, tickText } from './ticks.ts'

interface StateCloudsProps {
  /** What the plot shows, one sentence, for screen readers. */
  label: string
  states: readonly { label: string; i: readonly number[]; q: readonly number[] }[]
  /** Stored centers of the states; the decision lines follow from them. */
  centroids: readonly (readonly [number, number])[]
  unit: string
}

const LEFT = 48
const BOTTOM = 40

/** Shots of prepared states in the IQ plane: a shape for each state, its center, and the decision lines. */
export function StateClouds(props: StateCloudsProps) {
  return (
    <PlotBox class="clouds" height={320}>
      {(width) => <Drawn {...props} width={Math.min(520, width)} />}
    </PlotBox>
  )
}

function Drawn({ label, states, centroids, unit, width }: StateCloudsProps & { width: number }) {
  const side = width - LEFT - 8
  const [i0, i1] = rangeOf([...states.flatMap(({ i }) => [...i]), ...centroids.map(([i]) => i)])
  const [q0, q1] = rangeOf([...states.flatMap(({ q }) => [...q]), ...centroids.map(([, q]) => q)])
  // Equal scales, or a round cloud would look like an ellipse.
  const span = Math.max(i1 - i0, q1 - q0)
  const [left, bottom] = [(i0 + i1 - span) / 2, (q0 + q1 - span) / 2]
  const x = (value: number) => LEFT + ((value - left) / span) * side
  const y = (value: number) => 4 + side - ((value - bottom) / span) * side
  const iTicks = roundTicks(left, left + span, 4)
  const qTicks = roundTicks(bottom, bottom + span, 4)
  const lines = decisionLines(centroids, { left, right: left + span, bottom, top: bottom + span })
  const suffix = unit ? `, ${unit}` : ''
  return (
    <svg role="img" aria-label={label} width={width} height={side + 8 + BOTTOM}>
      {iTicks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={x(tick)} x2={x(tick)} y1={4} y2={4 + side} />
          <text x={x(tick)} y={side + 20} class="mid">
            {tickText(tick, iTicks)}
          </text>
        </g>
      ))}
      {qTicks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={LEFT} x2={LEFT + side} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 6} y={y(tick)} dy="0.32em" class="end">
            {tickText(tick, qTicks)}
          </text>
        </g>
      ))}
      <rect class="frame" x={LEFT} y={4} width={side} height={side} />
      <text x={LEFT + side} y={side + 38} class="end">
        I{suffix}
      </text>
      <text x={LEFT} y={side + 38}>
        Q{suffix}
      </text>
      {states.map((state, index) => (
        <path key={state.label} class={`shots state-${index % 3}`} d={marksOf(state, index, x, y)} />
      ))}
      {lines.map(({ from, to, between }) => (
        <line
          key={between.join()}
          class="decision"
          x1={x(from[0])}
          y1={y(from[1])}
          x2={x(to[0])}
          y2={y(to[1])}
        />
      ))}
      {centroids.map(([i, q], index) => (
        <g key={index} class={`center state-${index % 3}`}>
          <circle cx={x(i)} cy={y(q)} r={10} />
          <text x={x(i)} y={y(q)} dy="0.34em" class="mid">
            {states[index]?.label ?? index}
          </text>
        </g>
      ))}
    </svg>
  )
}

/** Marks of three shapes, so that states differ without their colors: dot, cross, triangle. */
const SHAPES = [
  (x: string, y: string) => `M${x} ${y}m-1.6 0a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0-3.2 0`,
  (x: string, y: string) => `M${x} ${y}m-2.4-2.4l4.8 4.8m-4.8 0l4.8-4.8`,
  (x: string, y: string) => `M${x} ${y}m0-2.8l2.6 4.6h-5.2z`,
]

function marksOf(
  { i, q }: { i: readonly number[]; q: readonly number[] },
  index: number,
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  const shape = SHAPES[index % SHAPES.length]
  return i.map((value, at) => shape?.(x(value).toFixed(1), y(q[at] ?? 0).toFixed(1))).join('')
}

/** The marks in words, in the order of the states. */
export const STATE_MARKS = ['●', '×', '△'] as const
