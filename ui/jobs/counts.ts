/** One bar of a histogram. `sigma` is the standard deviation of the count under binomial statistics. */
interface Bar {
  label: string
  count: number
  share: number
  sigma: number
}

export type BarOrder = 'outcome' | 'count'

/** More outcomes than this are shown as a table only, because bars one pixel wide are unreadable. */
export const MAX_PLOTTED_OUTCOMES = 4096

/**
 * The bars for measured counts: at most `maxBars`, the most frequent outcomes in the given order, the rest
 * summed as `other`. Sums over bars equal the sum of `counts`.
 */
export function toBars(counts: Record<string, number>, order: BarOrder, maxBars: number): Bar[] {
  const total = sum(Object.values(counts))
  const bar = (label: string, count: number): Bar => {
    const share = total === 0 ? 0 : count / total
    return { label, count, share, sigma: Math.sqrt(total * share * (1 - share)) }
  }
  const ranked = Object.entries(counts).sort(
    ([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1),
  )
  const needsOther = ranked.length > maxBars
  const shown = ranked.slice(0, needsOther ? maxBars - 1 : maxBars)
  if (order === 'outcome') shown.sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))
  const bars = shown.map(([label, count]) => bar(label, count))
  if (needsOther) bars.push(bar('other', total - sum(shown.map(([, count]) => count))))
  return bars
}

/** Axis ticks from 0 to at least `highest`, in at most five round steps of 1 or more. */
export function axisTicks(highest: number): number[] {
  const least = Math.max(highest / 5, 1)
  const power = 10 ** Math.floor(Math.log10(least))
  const step = ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power
  const ticks = [0]
  while ((ticks.at(-1) ?? 0) < highest) ticks.push(ticks.length * step)
  return ticks
}

/** Counts as comma-separated text, most frequent first. */
export function toCsv(counts: Record<string, number>): string {
  const rows = toBars(counts, 'count', Number.POSITIVE_INFINITY)
  return ['outcome,count', ...rows.map(({ label, count }) => `${label},${count}`), ''].join('\n')
}

/** Text alternative of a histogram for screen readers. */
export function describeCounts(bars: readonly Bar[]): string {
  const ranked = bars.filter(({ label }) => label !== 'other').sort((a, b) => b.count - a.count)
  const named = ranked.slice(0, 4).map(({ label, count }) => `${label}: ${count}`)
  return `Histogram of counts. Most frequent: ${named.join(', ')}`
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
