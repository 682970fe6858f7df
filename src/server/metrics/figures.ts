import { describeBytes, formatDuration } from '../../base/index.ts'
import { FIGURES, type ServiceLimit } from '../config/service-limits.ts'
import { type Metric, type Reading, valuesOf } from './exposition.ts'

/** A figure of the service now. */
export interface Figure {
  /** Name of its metric, with labels if it has some. */
  metric: string
  title: string
  /** Null = it cannot be read, or infinite. */
  value: number | null
  /** Whether it can be read; otherwise nothing is known of its limit. */
  is_read: boolean
  /** The value from which on it needs attention, or below which; null = no limit. */
  from: number | null
  below: number | null
  is_beyond: boolean
}

/**
 * Reads the figures of the service from its metrics; those that a server does not have are left out. `limits`
 * replace the defaults.
 */
export function readFigures(metrics: readonly Metric[], limits: readonly ServiceLimit[]): Figure[] {
  const values = valuesOf(metrics)
  return Object.entries(FIGURES).flatMap(([metric, figure]) => {
    const value = values.get(metric)
    if (value === undefined) return []
    const given = limits.find((limit) => limit.figure === metric)?.value
    const isLower = 'below' in figure
    const limit = given === undefined ? defaultOf(figure) : given
    const compared = comparedOf(figure, value, values)
    const isBeyond = limit !== null && isBeyondLimit(compared, limit, isLower)
    const shown = {
      metric,
      title: figure.title,
      value: Number.isFinite(value) ? Number(value) : null,
      is_read: typeof compared === 'number',
    }
    return [{ ...shown, from: isLower ? null : limit, below: isLower ? limit : null, is_beyond: isBeyond }]
  })
}

type Declared = (typeof FIGURES)[keyof typeof FIGURES]

function defaultOf(figure: Declared): number | null {
  if ('below' in figure) return figure.below
  return 'from' in figure ? figure.from : null
}

function comparedOf(figure: Declared, value: Reading, values: ReadonlyMap<string, Reading>): Reading {
  if (value !== Number.POSITIVE_INFINITY || !('infinite' in figure)) return value
  return values.get(figure.infinite) ?? Number.POSITIVE_INFINITY
}

/** What cannot be read is neither beyond a limit nor within it. */
function isBeyondLimit(value: Reading, limit: number, isLower: boolean): boolean {
  if (typeof value !== 'number') return false
  return isLower ? value < limit : value >= limit
}

/** `Free disk space is 3 GiB, below the limit of 4.7 GiB (svc_disk_free_bytes)`, or that it is within. */
export function describeFigure({ metric, title, value, from, below, is_beyond: isBeyond }: Figure): string {
  const now = `${title} is ${textOf(metric, value)}`
  const limit = below ?? from
  if (limit === null) return `${now}, no longer limited (${metric})`
  if (!isBeyond) return `${now}, within the limit of ${textOf(metric, limit)} again (${metric})`
  return `${now}, ${below === null ? 'at or above' : 'below'} the limit of ${textOf(metric, limit)} (${metric})`
}

function textOf(metric: string, value: number | null): string {
  if (value === null) return 'unknown or infinite'
  if (metric.endsWith('_bytes')) return describeBytes(value)
  if (!metric.endsWith('_seconds')) return String(value)
  return value >= 7_200
    ? `${Number((value / 3_600).toFixed(1))} h`
    : formatDuration(Math.round(value) * 1_000)
}
