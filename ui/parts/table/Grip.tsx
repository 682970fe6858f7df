const MIN_WIDTH = 64
const MAX_WIDTH = 900
const STEP = 16

interface GripProps {
  /** Name of the column. */
  name: string
  width: number
  resize: (width: number) => void
}

/** The border of a column: drag it, or use the arrow keys. */
export function Grip({ name, width, resize }: GripProps) {
  const drag = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof HTMLElement)) return
    const grip = event.currentTarget
    const from = event.clientX
    grip.setPointerCapture(event.pointerId)
    const move = (moved: PointerEvent) => resize(clampWidth(width + moved.clientX - from))
    grip.addEventListener('pointermove', move)
    grip.addEventListener('pointerup', () => grip.removeEventListener('pointermove', move), { once: true })
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a border that moves is a separator, and hr cannot be one
    <span
      class="grip"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${name}`}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowRight' ? STEP : event.key === 'ArrowLeft' ? -STEP : 0
        if (step === 0) return
        event.preventDefault()
        resize(clampWidth(width + step))
      }}
    />
  )
}

/** A width that leaves a column readable. */
export function clampWidth(width: number): number {
  return Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)))
}
