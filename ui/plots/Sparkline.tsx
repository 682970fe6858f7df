import { HEIGHT, placeOf, type SparkPoint, sparkPath, WIDTH } from './spark-path.ts'

interface SparklineProps {
  points: readonly SparkPoint[]
  /** A sentence that says what the line shows. */
  label: string
  /** Points further apart than this (ms) are not joined. */
  gap?: number
  /** Whether the last value is over a limit. */
  bad?: boolean
}

/** The course of a value without axes. A gap in the values is a gap in the line. */
export function Sparkline({ points, label, gap = Number.POSITIVE_INFINITY, bad = false }: SparklineProps) {
  const last = points.at(-1)
  return (
    <svg class="sparkline" role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <path d={sparkPath(points, gap)} vector-effect="non-scaling-stroke" />
      {last && <circle class={bad ? 'bad' : undefined} {...placeOf(points, last)} r="2.2" />}
    </svg>
  )
}
