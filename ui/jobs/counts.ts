import type { CircuitResult } from '../api/model/jobs.ts'

/** One bar of a histogram. `sigma` is the standard deviation of the count under binomial statistics. */
export interface Bar {
  label: string
  count: number
  share: number
  sigma: number
}

export type BarOrder = 'outcome' | 'count'

/** The bars of a histogram and what they leave out. */
export interface Bars {
  bars: Bar[]
  /** Outcomes without a bar; undefined when every outcome has one. */
  other: { outcomes: number; count: number; share: number } | undefined
}

/** More outcomes than this are shown as a table first, because few of them fit a plot. */
export const MAX_PLOTTED_OUTCOMES = 4096

/**
 * The bars for measured counts: at most `maxBars`, the most frequent outcomes in the given order. What is
 * left out is a number beside the bars and has none itself: as a bar it would set the scale of all others.
 */
export function toBars(counts: Record<string, number>, order: BarOrder, maxBars: number): Bars {
  const total = totalOf(counts)
  const bar = ([label, count]: [string, number]): Bar => {
    const share = total === 0 ? 0 : count / total
    return { label, count, share, sigma: Math.sqrt(total * share * (1 - share)) }
  }
  const ranked = rankOutcomes(counts)
  const shown = ranked.slice(0, maxBars)
  if (order === 'outcome') shown.sort(([a], [b]) => compareOutcomes(a, b))
  const bars = shown.map(bar)
  if (ranked.length <= maxBars) return { bars, other: undefined }
  const count = total - bars.reduce((sum, { count }) => sum + count, 0)
  const share = total === 0 ? 0 : count / total
  return { bars, other: { outcomes: ranked.length - maxBars, count, share } }
}

/** Outcomes with their counts, most frequent first, equal ones by outcome. */
function rankOutcomes(counts: Record<string, number>): [string, number][] {
  return Object.entries(counts).sort(([a, countA], [b, countB]) => countB - countA || compareOutcomes(a, b))
}

/** Orders outcomes as binary numbers. */
export function compareOutcomes(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** Number of shots. */
export function totalOf(counts: Record<string, number>): number {
  let total = 0
  for (const count of Object.values(counts)) total += count
  return total
}

/** The sum of several counts, outcome by outcome. */
export function poolCounts(sets: readonly Record<string, number>[]): Record<string, number> {
  const [only] = sets
  if (only && sets.length === 1) return only
  const pooled: Record<string, number> = {}
  for (const counts of sets) {
    for (const [outcome, count] of Object.entries(counts)) pooled[outcome] = (pooled[outcome] ?? 0) + count
  }
  return pooled
}

/** Counts as comma-separated text, most frequent first. */
export function toCsv(counts: Record<string, number>): string {
  const total = totalOf(counts)
  const rows = rankOutcomes(counts).map(([outcome, count]) => `${outcome},${count},${count / total}`)
  return ['outcome,count,probability', ...rows, ''].join('\n')
}

/** Text alternative of a histogram for screen readers. */
export function describeCounts({ bars, other }: Bars): string {
  const ranked = bars.toSorted((a, b) => b.count - a.count)
  const named = ranked.slice(0, 4).map(({ label, count }) => `${label}: ${count}`)
  const rest = other ? `; ${other.outcomes} further outcomes with ${other.count} shots have no bar` : ''
  return `Histogram of counts. Most frequent: ${named.join(', ')}${rest}`
}

/** Bits of all shots that are counted here; more take seconds and most of the memory of a page. */
const MAX_COUNTED_BITS = 2 ** 24

const counted = new WeakMap<CircuitResult, Record<string, number>>()

/**
 * Counts by outcome; those that a result omits are counted from its packed memory. Undefined if that is too
 * large to be counted in a page, and for measurement levels 0 and 1.
 */
export function countsOfResult(result: CircuitResult): Record<string, number> | undefined {
  if (result.counts || !result.counts_omitted) return result.counts ?? undefined
  const known = counted.get(result)
  if (known) return known
  const { memory, header } = result
  const bits = header?.memory_slots ?? 0
  if (typeof memory !== 'string' || bits === 0 || memory.length * 6 > MAX_COUNTED_BITS) return undefined
  const counts = countPacked(memory, bits)
  counted.set(result, counts)
  return counts
}

/** Counts the shots of packed memory: `Math.ceil(bits / 8)` bytes each, the most significant byte first. */
function countPacked(memory: string, bits: number): Record<string, number> {
  const bytes = atob(memory)
  const width = Math.ceil(bits / 8)
  const texts = Array.from({ length: 256 }, (_, byte) => byte.toString(2).padStart(8, '0'))
  const counts: Record<string, number> = {}
  for (let start = 0; start < bytes.length; start += width) {
    let text = ''
    for (let at = start; at < start + width; at++) text += texts[bytes.charCodeAt(at)]
    const outcome = text.slice(-bits)
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}
