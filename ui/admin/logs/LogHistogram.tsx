import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import { formatCount } from '../../lib/format.ts'
import { formatMoment, parseTime } from '../../lib/time.ts'
import type { Bucket, Range } from './model.ts'
import { niceTop } from './nice-top.ts'

interface LogHistogramProps {
  buckets: readonly Bucket[]
  stepMs: number
  choose: (range: Range) => void
}

const HEIGHT = 132
const LEFT = 44
const TOP = 8
const BOTTOM = 106
/** Warnings and errors stand at the base, so that they can be compared along the zero line. */
const STACK = ['error', 'warn', 'info'] as const

/** Lines of the log per interval. Dragging chooses a time; so do the arrow keys with Shift and Enter. */
export function LogHistogram({ buckets, stepMs, choose }: LogHistogramProps) {
  const { zone } = useApp()
  const svg = useRef<SVGSVGElement>(null)
  const [width, setWidth] = useState(900)
  const [drag, setDrag] = useState<{ from: number; to: number } | undefined>(undefined)
  useLayoutEffect(() => {
    const parent = svg.current?.parentElement
    if (!parent) return undefined
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(280, entry?.contentRect.width ?? 900)))
    observer.observe(parent)
    return () => observer.disconnect()
  }, [])

  const top = niceTop(Math.max(...buckets.map((each) => totalOf(each)), 1))
  const step = (width - LEFT) / Math.max(1, buckets.length)
  const y = (count: number) => BOTTOM - (count / top) * (BOTTOM - TOP)
  const bucketAt = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect()
    const x = event.clientX - (box?.left ?? 0) - LEFT
    return Math.max(0, Math.min(buckets.length - 1, Math.floor(x / step)))
  }
  const finish = () => {
    const chosen = drag && rangeOf(buckets, stepMs, drag)
    setDrag(undefined)
    if (chosen) choose(chosen)
  }
  const walk = (step: number, extend: boolean) => {
    const to = Math.max(0, Math.min(buckets.length - 1, (drag?.to ?? buckets.length) + step))
    setDrag({ from: extend && drag ? drag.from : to, to })
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') walk(1, event.shiftKey)
    else if (event.key === 'ArrowLeft') walk(-1, event.shiftKey)
    else if (event.key === 'Enter') finish()
    else if (event.key === 'Escape') setDrag(undefined)
    else return
    event.preventDefault()
  }
  const timeAt = (at: number) => {
    const ms = parseTime(buckets[at]?.at)
    return ms === undefined ? '' : formatMoment(ms, Date.now(), zone.value).replace(/^(\d\d:\d\d):00$/, '$1')
  }
  const warnings = buckets.reduce((sum, { warn }) => sum + warn, 0)
  const errors = buckets.reduce((sum, { error }) => sum + error, 0)
  const ticks = tickPlaces(buckets.length, width)
  return (
    <svg
      ref={svg}
      class="log-histogram"
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="application"
      aria-roledescription="histogram"
      aria-label={`Lines per interval: ${formatCount(warnings)} warnings, ${formatCount(errors)} errors. Arrow keys choose a time, Enter shows it.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys choose a time as dragging does
      tabIndex={0}
      onKeyDown={onKey}
      onBlur={() => setDrag(undefined)}
      onPointerDown={(event) => {
        svg.current?.setPointerCapture(event.pointerId)
        setDrag({ from: bucketAt(event), to: bucketAt(event) })
      }}
      onPointerMove={(event) => event.buttons === 1 && drag && setDrag({ ...drag, to: bucketAt(event) })}
      onPointerUp={finish}
    >
      {[0, top / 2, top].map((count) => (
        <g key={count}>
          <path class="grid" d={`M${LEFT} ${y(count)}H${width}`} />
          <text x={LEFT - 6} y={y(count) + 4} text-anchor="end">
            {formatCount(count)}
          </text>
        </g>
      ))}
      {drag && (
        <rect
          class="range"
          x={LEFT + Math.min(drag.from, drag.to) * step}
          y={TOP - 4}
          width={(Math.abs(drag.to - drag.from) + 1) * step}
          height={BOTTOM - TOP + 4}
        />
      )}
      {buckets.map((each, at) => (
        <Bar key={each.at} bucket={each} x={LEFT + at * step} width={step} y={y} />
      ))}
      <path class="axis" d={`M${LEFT} ${BOTTOM}H${width}`} />
      {ticks.map((at) => (
        <g key={at}>
          <path class="axis" d={`M${LEFT + at * step} ${BOTTOM}v5`} />
          <text x={LEFT + at * step} y={HEIGHT - 8} text-anchor={at === 0 ? 'start' : 'middle'}>
            {timeAt(at)}
          </text>
        </g>
      ))}
    </svg>
  )
}

interface BarProps {
  bucket: Bucket
  x: number
  width: number
  y: (count: number) => number
}

function Bar({ bucket, x, width, y }: BarProps) {
  let below = 0
  const gap = width > 6 ? 1 : 0.25
  return (
    <g>
      <title>{`${bucket.error} errors, ${bucket.warn} warnings, ${bucket.info + bucket.debug} others`}</title>
      {STACK.map((level) => {
        const count = level === 'info' ? bucket.info + bucket.debug : bucket[level]
        if (count === 0) return null
        const bottom = y(below)
        below += count
        const height = Math.max(1.5, bottom - y(below))
        return (
          <rect
            key={level}
            class={level}
            x={x + gap}
            y={bottom - height}
            width={Math.max(1, width - 2 * gap)}
            height={height}
          />
        )
      })}
    </g>
  )
}

function totalOf({ debug, info, warn, error }: Bucket): number {
  return debug + info + warn + error
}

/** Buckets whose time is written: at most one per 120 px. */
function tickPlaces(count: number, width: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, Math.floor((width - LEFT) / 120))))
  return Array.from({ length: Math.ceil(count / every) }, (_, at) => at * every).filter(
    (at) => at === 0 || at < count - every / 3,
  )
}

function rangeOf(buckets: readonly Bucket[], stepMs: number, { from, to }: { from: number; to: number }) {
  const first = parseTime(buckets[Math.min(from, to)]?.at)
  const last = parseTime(buckets[Math.max(from, to)]?.at)
  return first === undefined || last === undefined ? undefined : { from: first, to: last + stepMs }
}
