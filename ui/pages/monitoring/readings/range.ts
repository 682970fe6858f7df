import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/base/portable/units.ts'

/** The ranges that end now. */
export const RANGES = [
  { key: '1h', label: '1 h', words: 'Last hour', ms: HOUR_MS },
  { key: '6h', label: '6 h', words: 'Last 6 hours', ms: 6 * HOUR_MS },
  { key: '24h', label: '24 h', words: 'Last 24 hours', ms: DAY_MS },
  { key: '7d', label: '7 d', words: 'Last 7 days', ms: 7 * DAY_MS },
  { key: '30d', label: '30 d', words: 'Last 30 days', ms: 30 * DAY_MS },
  { key: '1y', label: '1 y', words: 'Last year', ms: 365 * DAY_MS },
] as const

/** Shorter ranges show nothing but single readings. */
export const MIN_RANGE_MS = MINUTE_MS

/** The visible time, Unix ms. A live range ends now and moves on. */
export interface VisibleRange {
  from: number
  to: number
  isLive: boolean
  /** Key of the chosen range; empty for one of the user's own. */
  key: string
}

/** The range without another choice, unless the readings need another one. */
const DEFAULT = '24h'

/**
 * The range that the address names: `range=24h`, or `from` and `to` as ISO times, of which `to` may be
 * absent. A range that is not readable, empty or reversed becomes `fallback`, by default the last day.
 */
export function readRange(get: (name: string) => string, now: number, fallback = DEFAULT): VisibleRange {
  const from = Date.parse(get('from'))
  const to = get('to') ? Date.parse(get('to')) : now
  if (Number.isFinite(from) && Number.isFinite(to) && to - from >= MIN_RANGE_MS) {
    return { from, to, isLive: !get('to'), key: '' }
  }
  const named = (key: string) => RANGES.find((each) => each.key === key)
  const chosen = named(get('range')) ?? named(fallback) ?? RANGES[2]
  return { from: now - chosen.ms, to: now, isLive: true, key: chosen.key }
}

/** The shortest usual range with all readings of the default one; the next longer one without any. */
export function fittingRange(times: readonly number[], now: number): string {
  const longest = RANGES.findIndex(({ key }) => key === DEFAULT)
  if (times.length === 0) return RANGES[longest + 1]?.key ?? DEFAULT
  const oldest = times.reduce((least, at) => Math.min(least, at))
  return RANGES.find(({ ms }, at) => at >= longest || oldest >= now - ms)?.key ?? DEFAULT
}

/** The parameters of a range of one's own; too short ones are widened around their middle. */
export function rangeQuery(from: number, to: number): { from: string; to: string } {
  const missing = Math.max(0, MIN_RANGE_MS - (to - from))
  const iso = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')
  return { from: iso(Math.round(from - missing / 2)), to: iso(Math.round(to + missing / 2)) }
}

/** A time as filters and parameters of the server write it. */
export function serverTime(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ')
}
