import { digitsBeside } from '../../lib/quantity.ts'
import type { Element } from './chip.ts'
import type { Point } from './point.ts'
import { labelColor } from './ramp.ts'
import { colorOf, describeElement, isElementBeyond, readingOf, type Shown } from './shown.ts'

/** Radii in px from which the value and the index of a qubit are shown. */
const VALUE_FROM = 20
const INDEX_FROM = 14

interface QubitMarkProps {
  qubit: Element
  index: number
  at: Point
  radius: number
  zoom: number
  shown: Shown
  isSelected: boolean
  /** Whether it is the one that the Tab key reaches. */
  isStop: boolean
  onSelect: (name: string) => void
  onPoint?: ((name: string | undefined) => void) | undefined
}

/** A qubit of a map: its color is the value, the number tells. */
export function QubitMark(props: QubitMarkProps) {
  const { qubit, at, radius, zoom, shown, isSelected, isStop, onSelect, onPoint } = props
  const reading = readingOf(shown, qubit)
  const fill = qubit.operational && reading ? colorOf(shown, reading.value) : undefined
  const isBeyond = qubit.operational && isElementBeyond(shown, qubit)
  const kind = !qubit.operational ? 'off' : fill ? '' : 'unknown'
  const size = radius * zoom
  return (
    <g class={`qubit ${kind}`} transform={`translate(${at.x.toFixed(2)} ${at.y.toFixed(2)})`}>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no button */}
      <g
        role="button"
        data-qubit
        tabIndex={isStop ? 0 : -1}
        aria-pressed={isSelected}
        aria-label={`${qubit.name}: ${describeElement(shown, qubit)}`}
        onClick={() => onSelect(qubit.name)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return
          event.preventDefault()
          onSelect(qubit.name)
        }}
        onPointerEnter={() => onPoint?.(qubit.name)}
        onPointerLeave={() => onPoint?.(undefined)}
        onFocus={() => onPoint?.(qubit.name)}
        onBlur={() => onPoint?.(undefined)}
      >
        <circle class="body" r={radius} {...(fill && { fill })} />
        {isBeyond && <circle class="ring" r={radius + 3 / zoom} />}
        {isBeyond && size >= INDEX_FROM && (
          <path class="beyond" transform={corner(radius, zoom)} d="M0-5 5 4H-5z" />
        )}
        {isSelected && <Frame radius={radius} zoom={zoom} />}
      </g>
      {size >= INDEX_FROM && <Labels {...props} fill={fill} />}
    </g>
  )
}

/** Index and value, which the name of the button says in words; small qubits have the index only. */
function Labels({ qubit, index, radius, zoom, shown, fill }: QubitMarkProps & { fill: string | undefined }) {
  const isLarge = radius * zoom >= VALUE_FROM
  const reading = readingOf(shown, qubit)?.value
  const value = reading?.toFixed(digitsBeside(reading, shown.digits, shown.limit))
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it has no tabindex and cannot have the focus
    <g aria-hidden="true" transform={`scale(${1 / zoom})`} {...(fill && { fill: labelColor(fill) })}>
      <text class="index" y={isLarge ? -3 : 4}>
        {shortName(qubit.name, index)}
      </text>
      {isLarge && (
        <text class="value" y={12}>
          {qubit.operational ? value : 'off'}
        </text>
      )}
    </g>
  )
}

function Frame({ radius, zoom }: { radius: number; zoom: number }) {
  const half = radius + 7 / zoom
  return <rect class="frame" x={-half} y={-half} width={2 * half} height={2 * half} />
}

function corner(radius: number, zoom: number): string {
  const at = (radius + 3 / zoom) * 0.75
  return `translate(${at} ${-at}) scale(${1 / zoom})`
}

const MAX_NAME = 4

/** The number of a qubit that is named like `q12`, a short other name, or else its index. */
function shortName(name: string, index: number): string {
  const number = /^q(\d+)$/i.exec(name)?.[1]
  if (number !== undefined) return number
  return name.length <= MAX_NAME ? name : String(index)
}
