import type { Threshold } from '../../../api/model/equipment/monitoring.ts'
import type { Channel } from '../../../parts/monitor/channels.ts'
import type { PlotLine } from '../../../plots/TimeSeries.tsx'

/** A time during which a channel was beyond a limit. Unix ms. */
export interface Breach {
  threshold: Threshold
  channel: Channel
  from: number
  to: number
  /** The value furthest beyond the limit. */
  peak: number
  /** Whether the newest reading is still beyond it. */
  isOpen: boolean
}

/** Where the values of a line are beyond a limit, from bucket to bucket. */
export function breachRanges(
  { at, mean, min = mean, max = mean, gapMs = Number.POSITIVE_INFINITY }: PlotLine,
  { kind, limit }: { kind: 'above' | 'below'; limit: number },
  stepMs: number,
): Omit<Breach, 'threshold' | 'channel'>[] {
  const extremes = kind === 'above' ? max : min
  const isBeyond = (value: number) => (kind === 'above' ? value > limit : value < limit)
  const worse = kind === 'above' ? Math.max : Math.min
  const ranges: Omit<Breach, 'threshold' | 'channel'>[] = []
  let isContinued = false
  at.forEach((time, index) => {
    const value = extremes[index] ?? Number.NaN
    const before = at[index - 1]
    const present = ranges.at(-1)
    if (!isBeyond(value)) isContinued = false
    else if (isContinued && present && before !== undefined && time - before <= gapMs) {
      present.to = time + stepMs
      present.peak = worse(present.peak, value)
    } else {
      ranges.push({ from: time, to: time + stepMs, peak: value, isOpen: false })
      isContinued = true
    }
  })
  const newest = ranges.at(-1)
  if (newest && isContinued) newest.isOpen = true
  return ranges
}

/** The breaches of all limits, the newest first. */
export function findBreaches(
  channels: readonly Channel[],
  thresholds: readonly Threshold[],
  stepMs: number,
): Breach[] {
  return thresholds
    .flatMap((threshold) => {
      const { kind, limit } = threshold
      if (kind === 'stale' || !threshold.enabled) return []
      return channels
        .filter((channel) => appliesTo(threshold, channel))
        .flatMap((channel) =>
          breachRanges(channel.line, { kind, limit }, stepMs).map((range) => ({
            ...range,
            threshold,
            channel,
          })),
        )
    })
    .toSorted((a, b) => b.from - a.from)
}

/** Whether a threshold is one of a channel. */
export function appliesTo({ channel, unit }: Threshold, of: Pick<Channel, 'channel' | 'unit'>): boolean {
  return channel === of.channel && (unit === '' || unit === of.unit)
}
