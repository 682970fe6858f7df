import type { Element } from './chip.ts'
import type { Point } from './point.ts'
import { colorOf, describeElement, isElementBeyond, readingOf, type Shown } from './shown.ts'

/** Thinner couplers would consist of their outline. */
const THIN = 2.5

interface CouplerMarkProps {
  coupler: Element
  from: Point
  to: Point
  /** Radius of the qubits. */
  radius: number
  shown: Shown
  isSelected: boolean
  onSelect: (name: string) => void
  onPoint?: ((name: string | undefined) => void) | undefined
}

/**
 * A coupler of a map. Its outline keeps the darkest ones visible on dark pages. It is pressed with the
 * pointer; the keyboard reaches it in the table of the same values.
 */
export function CouplerMark(props: CouplerMarkProps) {
  const { coupler, from, to, radius, shown, isSelected, onSelect, onPoint } = props
  const reading = readingOf(shown, coupler)
  const fill = coupler.operational && reading ? colorOf(shown, reading.value) : undefined
  const half = Math.max(1.5, Math.min(5, radius * 0.17))
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const angle = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI
  const kind = !coupler.operational ? 'off' : fill ? '' : 'unknown'
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table has the same for the keyboard
    <g
      class={`coupler ${kind}${half < THIN ? ' thin' : ''}`}
      transform={`translate(${from.x.toFixed(2)} ${from.y.toFixed(2)}) rotate(${angle.toFixed(3)})`}
      onClick={() => onSelect(coupler.name)}
      onPointerEnter={() => onPoint?.(coupler.name)}
      onPointerLeave={() => onPoint?.(undefined)}
    >
      <title>{`${coupler.name}: ${describeElement(shown, coupler)}`}</title>
      <rect class="body" y={-half} width={length} height={2 * half} {...(fill && { fill })} />
      {isSelected && <rect class="frame" y={-half - 4} width={length} height={2 * half + 8} />}
      {coupler.operational && isElementBeyond(shown, coupler) && (
        <g class="beyond" transform={`translate(${length / 2})`}>
          <circle r="7" />
          <path d="M-3-3 3 3M-3 3 3-3" />
        </g>
      )}
    </g>
  )
}
