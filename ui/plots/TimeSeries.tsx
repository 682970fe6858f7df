import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { useWidth } from './PlotBox.tsx'
import { alignLines, type PlotLine } from './time-series/align.ts'
import { DataTable } from './time-series/DataTable.tsx'
import { plotOptions } from './time-series/plot-options.ts'
import type { ValueScale } from './time-series/scale.ts'
import {
  type PlotLimit,
  type PlotMark,
  type PlotTrend,
  readPalette,
  type Scene,
} from './time-series/scene.ts'

export type { PlotLine } from './time-series/align.ts'
export type { PlotLimit, PlotMark, PlotTrend } from './time-series/scene.ts'

interface TimeSeriesProps {
  /** What the plot shows, one sentence, for screen readers. */
  label: string
  /** Unit of all values; K, Hz and the like get prefixes. */
  unit: string
  lines: readonly PlotLine[]
  /** The visible time, Unix ms. */
  from: number
  to: number
  /** IANA name of the zone of the time axis. */
  timeZone: string
  scale?: ValueScale
  /** The ends of the value axis, or those of the lines even where a limit is beyond; both if absent. */
  ends?: Scene['ends']
  limits?: readonly PlotLimit[]
  marks?: readonly PlotMark[]
  trends?: readonly PlotTrend[]
  /** The time at the cursor, Unix ms; plots that share the signal share the cursor. */
  cursor?: Signal<number | undefined>
  /** Called with the time that the user selected by dragging. */
  onZoom?: (from: number, to: number) => void
  /** Called on a double click. */
  onReset?: () => void
  /** Whether the times are labeled; off for a plot above another one with the same axis. */
  timeAxis?: boolean
  /** px. */
  height?: number
  /** Whether the values can also be read as a table below the plot. */
  table?: boolean
}

const NONE: readonly never[] = []

/**
 * Values over time: lines with bands, limits, marks and a cursor. Dragging selects a time; the arrow keys
 * move the cursor from point to point.
 */
export function TimeSeries(props: TimeSeriesProps) {
  const { label, lines, cursor, height = 220, timeAxis = true, scale = 'linear', table = true } = props
  const own = useSignal<number | undefined>(undefined)
  const time = cursor ?? own
  const plot = useRef<uPlot | undefined>(undefined)
  const { box, width } = useWidth()
  const theme = useThemeName()
  const latest = useRef(props)
  latest.current = props

  const shape = lines.map((line) => [line.key, line.label, line.style, line.min !== undefined])
  const { timeZone, unit, ends } = props
  const identity = JSON.stringify([shape, scale, ends, timeAxis, timeZone, theme.value, unit])
  const isReady = width.value > 0
  useEffect(() => {
    const target = box.current
    if (!target || !isReady) return undefined
    const scene = () => sceneOf(latest.current)
    const { at, columns } = alignLines(latest.current.lines)
    const zone = latest.current.timeZone
    const options = plotOptions(
      scene,
      { width: width.peek(), height },
      {
        tzDate: (ms) => uPlot.tzDate(new Date(ms), zone),
        palette: readPalette(),
        actions: {
          onCursor: (at) => {
            time.value = at
          },
          onZoom: (from, to) => latest.current.onZoom?.(Math.round(from), Math.round(to)),
          onReset: () => latest.current.onReset?.(),
        },
      },
    )
    const made = new uPlot(options, [at, ...columns], target)
    plot.current = made
    const stop = time.subscribe((at) => followCursor(made, at))
    return () => {
      stop()
      made.destroy()
      plot.current = undefined
    }
  }, [identity, height, isReady])

  useEffect(() => {
    const { at, columns } = alignLines(lines)
    plot.current?.setData([at, ...columns], false)
    plot.current?.setScale('x', { min: props.from, max: props.to })
  }, [lines, props.from, props.to, props.limits, props.marks, props.trends])
  useEffect(() => plot.current?.setSize({ width: width.value, height }), [width.value, height])

  const onKeyDown = (event: KeyboardEvent) => {
    const moved = moveCursor(event.key, lines, time.peek(), props)
    if (!moved) return
    event.preventDefault()
    time.value = moved.time
  }
  return (
    <div class="time-series">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the cursor */}
      <figure class="plot" aria-label={label} tabIndex={0} onKeyDown={onKeyDown}>
        <div ref={box} style={{ minHeight: `${height}px` }} />
      </figure>
      {table && <DataTable {...props} />}
    </div>
  )
}

function sceneOf(props: TimeSeriesProps): Scene {
  const { lines, unit, from, to, timeZone, scale = 'linear', limits = NONE, marks = NONE } = props
  const { trends = NONE, timeAxis = true, ends } = props
  return { lines, unit, from, to, timeZone, scale, ends, limits, marks, trends, timeAxis }
}

/** Shows the cursor of another plot, or that of the keyboard. */
function followCursor(plot: uPlot, time: number | undefined): void {
  const { min, max } = plot.scales['x'] ?? {}
  const isVisible = time !== undefined && time >= (min ?? 0) && time <= (max ?? 0)
  const left = isVisible ? plot.valToPos(time, 'x') : -10
  if (Math.abs(left - (plot.cursor.left ?? -10)) > 0.5)
    plot.setCursor({ left, top: isVisible ? 0 : -10 }, false)
}

/** The time of the next point in the direction of an arrow key; Escape removes the cursor. */
function moveCursor(
  key: string,
  lines: readonly PlotLine[],
  now: number | undefined,
  { from, to }: { from: number; to: number },
): { time: number | undefined } | undefined {
  if (key === 'Escape') return { time: undefined }
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined
  const visible = lines.flatMap(({ at }) => at.filter((time) => time >= from && time <= to))
  const later = key === 'ArrowRight'
  if (visible.length === 0) return undefined
  const start = now ?? (later ? from - 1 : to + 1)
  const beyond = visible.filter((time) => (later ? time > start : time < start))
  if (beyond.length === 0) return { time: now }
  return { time: beyond.reduce((best, time) => (later ? Math.min(best, time) : Math.max(best, time))) }
}

/** `light` or `dark`, whenever it changes: a canvas has to be drawn again in the other colors. */
function useThemeName(): Signal<string> {
  const root = document.documentElement
  const theme = useSignal(root.dataset['theme'] ?? '')
  useEffect(() => {
    const observer = new MutationObserver(() => {
      theme.value = root.dataset['theme'] ?? ''
    })
    observer.observe(root, { attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [])
  return theme
}
