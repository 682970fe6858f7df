import { useId } from 'preact/hooks'
import { digitsBeside, formatLimit } from '../../lib/quantity.ts'
import { rampColor } from './ramp.ts'
import { MAX_TICKS, rulerTicks } from './ruler-ticks.ts'
import { placeOf, type Shown } from './shown.ts'

interface ChipRulerProps {
  /** `Qubits` or `Couplers`. */
  of: string
  shown: Shown
}

const WIDTH = 260
const BAR_TOP = 18
const STOPS = [0, 0.25, 0.5, 0.75, 1]

/**
 * The scale of a map, worst on the left, with its values, limit and median; equal values have none. Nothing
 * without values.
 */
export function ChipRuler({ of, shown }: ChipRulerProps) {
  const gradient = useId()
  const { metric, scale, values, median, limit, digits } = shown
  if (!metric || !scale || median === undefined) return null
  const at = (value: number) => 1 + placeOf(shown, value) * (WIDTH - 2)
  const text = (value: number) => value.toFixed(digitsBeside(value, digits, limit))
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const [worst, best] = metric.better === 'low' ? [high, low] : [low, high]
  const isLimitShown = limit !== undefined && limit >= low && limit <= high
  const caption = (
    <figcaption>
      <strong>{of}</strong> {inSentence(metric.title)}
      {metric.unit && `, ${metric.unit}`}
      {scale.log && ', logarithmic'}
    </figcaption>
  )
  const limitText = limit !== undefined && <span class="tone-bad">limit {formatLimit(limit, digits)}</span>
  if (text(low) === text(high)) {
    return (
      <figure class="ruler">
        {caption}
        <p>
          <span>{values.length > 1 ? `${text(median)}, all ${values.length}` : text(median)}</span>
          {limitText}
        </p>
      </figure>
    )
  }
  return (
    <figure class="ruler">
      {caption}
      <svg
        viewBox={`0 0 ${WIDTH} 34`}
        role="img"
        aria-label={`${of}: ${values.length} values from ${text(low)} to ${text(high)} ${metric.unit}, median ${text(median)}`}
      >
        <linearGradient id={gradient}>
          {STOPS.map((stop) => (
            <stop key={stop} offset={stop} stop-color={rampColor(stop)} />
          ))}
        </linearGradient>
        <path
          class={values.length > MAX_TICKS ? 'ticks bars' : 'ticks'}
          d={rulerTicks(
            values.map((value) => placeOf(shown, value)),
            WIDTH,
          )}
        />
        <rect x="1" y={BAR_TOP} width={WIDTH - 2} height="9" fill={`url(#${gradient})`} />
        <path class="median" transform={`translate(${at(median)} ${BAR_TOP + 9})`} d="M0 0 4 6H-4z" />
        {isLimitShown && <path class="limit" d={`M${at(limit).toFixed(1)} 0V${BAR_TOP + 14}`} />}
      </svg>
      <p>
        <span>{text(worst)}</span>
        {limitText}
        <span>▲ median {text(median)}</span>
        <span>{text(best)}</span>
      </p>
    </figure>
  )
}

/** A title within a sentence; names such as T1 and CZ keep their capitals. */
function inSentence(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title
}
