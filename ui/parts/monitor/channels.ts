import { medianOf } from '../../../src/base/portable/median.ts'
import { MINUTE_MS } from '../../../src/base/portable/units.ts'
import type { ReadingSeries, Readings, Stage } from '../../api/model/equipment/monitoring.ts'
import { parseTime } from '../../lib/time.ts'
import type { PlotLine } from '../../plots/TimeSeries.tsx'
import { nameOf } from './stages.ts'

/** Buckets with at least so many readings on average are never empty by chance. */
const FULL_BUCKET = 3
/** A reading is late after so many usual intervals, and never before `MIN_STALE_MS`. */
const STALE_INTERVALS = 3
const MIN_STALE_MS = MINUTE_MS
const DEFAULT_INTERVAL_MS = 5_000

/** One channel of a monitor in one unit, with the figures of the visible range. */
export interface Channel {
  /** Identifies the channel among those of the monitor, also in the address. */
  key: string
  channel: string
  unit: string
  /** The name that the lab gave it, or the channel without what all channels have in common. */
  label: string
  line: PlotLine
  /** Usual time between two readings. */
  intervalMs: number
  /** Time of the newest reading of all, Unix ms. */
  last: number | undefined
  /** That reading; undefined without one. */
  value: number | undefined
  /** Figures of the visible range; undefined without a reading in it. */
  figures: { min: number; max: number; mean: number } | undefined
}

/** The channels of one unit, which share a plot. */
export interface ChannelGroup {
  unit: string
  title: string
  channels: Channel[]
}

/** The usual time between two readings, estimated from the filled buckets. */
export function usualInterval({ at, count }: Pick<ReadingSeries, 'at' | 'count'>): number {
  const distance = medianOf(at.slice(1).map((time, index) => time - (at[index] ?? time)))
  return Number.isNaN(distance) ? DEFAULT_INTERVAL_MS : distance / Math.max(1, medianOf(count))
}

/**
 * The distance above which two points are not connected. A bucket with many readings is empty only when there
 * were none; a bucket that is shorter than the interval is often empty.
 */
export function gapLimit(series: Pick<ReadingSeries, 'at' | 'count'>, stepMs: number): number {
  const isFull = medianOf(series.count) >= FULL_BUCKET
  return isFull ? stepMs * 1.5 : Math.max(stepMs * 1.5, STALE_INTERVALS * usualInterval(series))
}

/** Whether the newest reading is older than it usually gets. */
export function isStale({ last, intervalMs }: Pick<Channel, 'last' | 'intervalMs'>, now: number): boolean {
  return last !== undefined && now - last > Math.max(MIN_STALE_MS, STALE_INTERVALS * intervalMs)
}

/** The channels with their lines and figures, as reported, with the names that the lab gave them. */
export function toChannels({ series, step_ms: stepMs }: Readings, stages: readonly Stage[] = []): Channel[] {
  const prefix = commonPrefix(series.map(({ channel }) => channel))
  const units = Map.groupBy(series, ({ channel }) => channel)
  return series.map((one) => {
    const { channel, unit, at, min, mean, max } = one
    const key = unit ? `${channel}:${unit}` : channel
    const name = nameOf(channel, stages) ?? channel.slice(prefix.length)
    const label = name + ((units.get(channel)?.length ?? 1) > 1 ? ` (${unit})` : '')
    return {
      key,
      channel,
      unit,
      label,
      line: { key, label, at, min, mean, max, gapMs: gapLimit(one, stepMs) },
      intervalMs: usualInterval(one),
      last: parseTime(one.last),
      value: one.value ?? undefined,
      figures: figuresOf(one),
    }
  })
}

function figuresOf({ min, mean, max, count }: ReadingSeries): Channel['figures'] {
  if (mean.length === 0) return undefined
  const total = count.reduce((sum, one) => sum + one, 0)
  const sum = mean.reduce((before, one, index) => before + one * (count[index] ?? 0), 0)
  return { min: Math.min(...min), max: Math.max(...max), mean: sum / total }
}

/** The dotted names that all channels begin with: `mapper.bf.` */
export function commonPrefix(channels: readonly string[]): string {
  const [first = '', ...others] = channels
  const parts = first.split('.').slice(0, -1)
  while (parts.length > 0) {
    const prefix = `${parts.join('.')}.`
    if (others.every((channel) => channel.startsWith(prefix))) return prefix
    parts.pop()
  }
  return ''
}

const PRESSURES = ['mbar', 'bar', 'Pa', 'hPa', 'Torr']
const TITLES: Readonly<Record<string, string>> = {
  K: 'Temperatures',
  '°C': 'Temperatures',
  ...Object.fromEntries(PRESSURES.map((unit) => [unit, 'Pressures'])),
  'mmol/s': 'Flow',
  'l/min': 'Flow',
  V: 'Voltages',
  A: 'Currents',
  W: 'Powers',
  Hz: 'Frequencies',
  '%': 'Levels',
}
const LOGARITHMIC = new Set(['K', ...PRESSURES])

/** The channels by unit: temperatures first, then pressures, then the others as reported. */
export function groupByUnit(channels: readonly Channel[]): ChannelGroup[] {
  const rank = (unit: string) => (unit === 'K' ? 0 : PRESSURES.includes(unit) ? 1 : unit === '' ? 3 : 2)
  return [...Map.groupBy(channels, ({ unit }) => unit)]
    .map(([unit, members]) => ({
      unit,
      title: TITLES[unit] ?? (unit ? 'Values' : 'Values without a unit'),
      // The style stays with the channel; the order is that of the lines in the plot.
      channels: members
        .map((one, index) => ({ ...one, line: { ...one.line, style: index } }))
        .toSorted((a, b) => (b.figures?.mean ?? 0) - (a.figures?.mean ?? 0)),
    }))
    .toSorted((a, b) => rank(a.unit) - rank(b.unit))
}

/** Whether a unit is drawn on a logarithmic axis: its values span decades and all of them are positive. */
export function isLogarithmic({ unit, channels }: ChannelGroup): boolean {
  return LOGARITHMIC.has(unit) && channels.every(({ figures }) => !figures || figures.min > 0)
}
