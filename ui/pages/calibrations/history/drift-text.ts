import { formatQuantity } from '../../../lib/quantity.ts'
import { type Drift, daysUntil } from '../../../plots/time-series/theil-sen.ts'
import { prefixOf, signed } from '../reading/changes.ts'

/** The newest value, its drift and the time until its limit, in words. */
export function driftText(
  { unit }: { unit: string },
  newest: { value: number; error: number } | undefined,
  drift: Drift | undefined,
  limit: { value: number; side: 'above' | 'below' } | undefined,
  now: number,
): { newest: string; perDay: string; until: string } {
  const scale = prefixOf(newest?.value ?? 0, unit)
  const days = drift && limit ? daysUntil(drift, limit, now) : undefined
  return {
    newest: newest
      ? formatQuantity(newest.value / scale.factor, {
          unit: scale.unit,
          uncertainty: newest.error / scale.factor,
        })
      : '–',
    perDay: drift ? signed(Number(drift.perDay.toPrecision(3)), unit) : 'too few values',
    until: !limit ? 'no limit' : !drift ? '–' : untilText(days),
  }
}

function untilText(days: number | undefined): string {
  if (days === undefined) return 'moves away from it'
  if (days === 0) return '▲ over it'
  return days > 365 ? 'more than a year' : `≈ ${days < 10 ? days.toFixed(1) : Math.round(days)} days`
}
