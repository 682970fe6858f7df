import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useWidth } from '../PlotBox.tsx'
import { CouplerMark } from './CouplerMark.tsx'
import type { Chip } from './chip.ts'
import { layOut, neighborInDirection } from './layout.ts'
import { QubitMark } from './QubitMark.tsx'
import type { Shown } from './shown.ts'
import { FULL_VIEW, panned, type View, viewBox, zoomed } from './view.ts'

/** Maximum distance of neighbors, px. */
const MAX_UNIT = 92
const MAX_HEIGHT = 560
/** Radius of a qubit as a share of the distance of neighbors. */
const RADIUS = 0.33
/** Space around the outermost qubits as a share of that distance. */
const MARGIN = 0.5

interface ChipMapProps {
  chip: Chip
  /** What colors qubits and couplers. */
  qubits: Shown
  couplers: Shown
  /** Name of the selected qubit or coupler, or of all of them. */
  selected?: string | ReadonlySet<string> | undefined
  onSelect: (name: string) => void
  /** The element below the pointer or with the focus. */
  onPoint?: (name: string | undefined) => void
  /** A sentence that says what the map shows. */
  label: string
}

const ARROWS: Record<string, { x: number; y: number }> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/**
 * A chip with the value of each qubit and coupler as a color. Arrow keys walk to the neighbor in their
 * direction; plus, minus and 0 zoom.
 */
export function ChipMap(props: ChipMapProps) {
  const { chip } = props
  const { box, width } = useWidth()
  const view = useSignal<View>(FULL_VIEW)
  return (
    <div ref={box} class="chip-map">
      {width.value > 0 && <Drawing key={chip.qubits.length} {...props} available={width.value} view={view} />}
      <fieldset class="zoom">
        <legend class="unseen">Zoom</legend>
        <button type="button" aria-label="Zoom in" onClick={() => zoomBy(view, 1.5)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => zoomBy(view, 1 / 1.5)}>
          −
        </button>
        {view.value.zoom > 1 && (
          <button type="button" onClick={() => zoomBy(view, 0)}>
            Fit
          </button>
        )}
      </fieldset>
    </div>
  )
}

interface ViewSignal {
  value: View
}

function zoomBy(view: ViewSignal, factor: number): void {
  view.value = factor === 0 ? FULL_VIEW : zoomed(view.value, factor, { x: 0.5, y: 0.5 })
}

function Drawing(props: ChipMapProps & { available: number; view: ViewSignal }) {
  const { chip, qubits, couplers, selected, onSelect, onPoint, label, available, view } = props
  const layout = useMemo(
    () =>
      layOut({
        qubits: chip.qubits.length,
        couplers: chip.couplers.map(({ qubits: pair }) => pair as readonly [number, number]),
        places: chip.places,
      }),
    [chip],
  )
  const unit = Math.min(
    MAX_UNIT,
    available / (layout.width + 2 * MARGIN),
    MAX_HEIGHT / (layout.height + 2 * MARGIN),
  )
  const size = { width: unit * (layout.width + 2 * MARGIN), height: unit * (layout.height + 2 * MARGIN) }
  const places = layout.points.map(({ x, y }) => ({ x: (x + MARGIN) * unit, y: (y + MARGIN) * unit }))
  const radius = unit * RADIUS
  const svg = useRef<SVGSVGElement>(null)
  useWheelZoom(svg, view)
  const stop = Math.max(
    0,
    chip.qubits.findIndex(({ name }) => isSelected(name, selected)),
  )

  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key]
    const factor = { '+': 1.5, '=': 1.5, '-': 1 / 1.5, '0': 0 }[event.key]
    if (factor !== undefined) zoomBy(view, factor)
    if (arrow) {
      const marks = [...(svg.current?.querySelectorAll<SVGGElement>('[data-qubit]') ?? [])]
      const at = marks.indexOf(document.activeElement as SVGGElement)
      marks[neighborInDirection(layout.points, Math.max(0, at), arrow)]?.focus()
    }
    if (arrow || factor !== undefined) {
      event.preventDefault()
      event.stopPropagation()
    }
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset
    <svg
      ref={svg}
      role="group"
      aria-label={label}
      width={size.width}
      height={size.height}
      viewBox={viewBox(view.value, size)}
      onKeyDown={onKeyDown}
      {...dragging(view, size)}
    >
      <defs>
        <pattern id="no-value" width="6" height="6" patternUnits="userSpaceOnUse">
          <path class="hatch" d="M-1 1 1-1M0 6 6 0M5 7 7 5" />
        </pattern>
      </defs>
      {chip.couplers.map((coupler) => {
        const [one = 0, other = 0] = coupler.qubits
        const [from, to] = [places[one], places[other]]
        if (!from || !to) return null
        return (
          <CouplerMark
            key={coupler.name}
            coupler={coupler}
            from={from}
            to={to}
            radius={radius}
            onSelect={onSelect}
            onPoint={onPoint}
            shown={couplers}
            isSelected={isSelected(coupler.name, selected)}
          />
        )
      })}
      {chip.qubits.map((qubit, index) => {
        const at = places[index]
        if (!at) return null
        return (
          <QubitMark
            key={qubit.name}
            qubit={qubit}
            index={index}
            at={at}
            radius={radius}
            onSelect={onSelect}
            onPoint={onPoint}
            zoom={view.value.zoom}
            shown={qubits}
            isSelected={isSelected(qubit.name, selected)}
            isStop={index === stop}
          />
        )
      })}
    </svg>
  )
}

function isSelected(name: string, selected: ChipMapProps['selected']): boolean {
  return typeof selected === 'object' ? selected.has(name) : name === selected
}

/** Zooms with the wheel while Ctrl is pressed, which pinching does too; the wheel alone scrolls the page. */
function useWheelZoom(svg: { current: SVGSVGElement | null }, view: ViewSignal): void {
  useEffect(() => {
    const element = svg.current
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey || !element) return
      event.preventDefault()
      const { left, top, width, height } = element.getBoundingClientRect()
      const at = { x: (event.clientX - left) / width, y: (event.clientY - top) / height }
      view.value = zoomed(view.value, event.deltaY < 0 ? 1.2 : 1 / 1.2, at)
    }
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [])
}

/** Handlers that move a zoomed map with the pointer. */
function dragging(view: ViewSignal, size: { width: number; height: number }) {
  return {
    class: view.value.zoom > 1 ? 'zoomed' : undefined,
    onPointerMove(event: PointerEvent) {
      if (event.buttons !== 1 || view.value.zoom <= 1) return
      view.value = panned(view.value, { x: -event.movementX / size.width, y: -event.movementY / size.height })
    },
  }
}
