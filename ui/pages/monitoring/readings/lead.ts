import type { Threshold } from '../../../api/model/equipment/monitoring.ts'
import { formatNumberOf, sentence } from '../../../lib/format.ts'
import { formatReading, formatReadingLimit } from '../../../lib/reading.ts'
import { formatSpan, parseTime } from '../../../lib/time.ts'
import { type Channel, isStale } from '../../../parts/monitor/channels.ts'
import { appliesTo, type Breach } from './breaches.ts'

/** The limit of a threshold in words: `above 20.00 mK`, `no reading for 5 min`. */
export function describeLimit({ kind, limit, unit }: Pick<Threshold, 'kind' | 'limit' | 'unit'>): string {
  return kind === 'stale'
    ? `no reading for ${formatSpan(limit * 1_000)}`
    : `${kind} ${formatReadingLimit(limit, unit ?? '', 4)}`
}

/**
 * The fact about a monitor that matters most: a breach, late channels, a breach that has ended, or else the
 * coldest value.
 */
export function describeState(
  channels: readonly Channel[],
  thresholds: readonly Threshold[],
  breaches: readonly Breach[],
  now: number,
): string {
  return (
    describeBreach(thresholds, now) ??
    describeLate(channels, now) ??
    describePast(breaches) ??
    describeAll(channels, thresholds)
  )
}

function describeBreach(thresholds: readonly Threshold[], now: number): string | undefined {
  const [first, ...others] = thresholds.filter(({ enabled, breached_at: at }) => enabled && at)
  if (!first) return undefined
  const since = parseTime(first.since) ?? now
  const more = others.length > 0 ? `, and ${formatNumberOf(others.length, 'other limit')}` : ''
  return `${first.name} has been beyond its limit for ${formatSpan(Math.max(0, now - since))}${more}.`
}

function describeLate(channels: readonly Channel[], now: number): string | undefined {
  const late = channels.filter((channel) => isStale(channel, now))
  if (late.length === 0) return undefined
  if (late.length === channels.length) {
    const newest = Math.max(...channels.map(({ last }) => last ?? 0))
    return `No reading for ${formatSpan(now - newest)}.`
  }
  const names = late.length > 3 ? sentence(formatNumberOf(late.length, 'channel')) : joined(late)
  return `${names} ${late.length === 1 ? 'is' : 'are'} late; the others report as usual.`
}

function describePast([newest]: readonly Breach[]): string | undefined {
  if (!newest) return undefined
  const { channel, threshold, from, to } = newest
  const value = channel.value === undefined ? 'without a reading' : formatReading(channel.value, channel.unit)
  return `${channel.label} ${value}; ${threshold.name} was beyond its limit for ${formatSpan(to - from)}.`
}

function describeAll(channels: readonly Channel[], thresholds: readonly Threshold[]): string {
  if (channels.length === 0) return ''
  const watched = channels.filter((channel) => thresholds.some((limit) => appliesTo(limit, channel)))
  const shown = coldest(watched) ?? coldest(channels)
  const verb = channels.length === 1 ? 'reports' : 'report'
  const within = thresholds.some(({ enabled }) => enabled) ? ', all within their limits' : ''
  const value = shown?.value === undefined ? '' : `; ${shown.label} ${formatReading(shown.value, shown.unit)}`
  return `${sentence(formatNumberOf(channels.length, 'channel'))} ${verb}${within}${value}.`
}

function joined(channels: readonly Channel[]): string {
  const names = channels.map(({ label }) => label)
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

function coldest(channels: readonly Channel[]): Channel | undefined {
  return channels
    .filter(({ unit, value }) => unit === 'K' && value !== undefined)
    .toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0))[0]
}
