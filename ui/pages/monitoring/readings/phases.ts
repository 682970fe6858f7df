import type { ReadingSeries, Readings } from '../../../api/model/equipment/monitoring.ts'

/** A cool-down or a warm-up of a fridge. */
export const PHASE_KINDS = ['cool-down', 'warm-up'] as const
export type PhaseKind = (typeof PHASE_KINDS)[number]

/** Unix ms. */
export interface Phase {
  kind: PhaseKind
  from: number
  to: number
}

type Curve = Pick<ReadingSeries, 'at' | 'mean'>

/** A fridge is cold once its coldest stage is below the boiling point of helium with some margin, K. */
const COLD_K = 5
/** No stage of a cold fridge is as warm as this, K. */
const WARM_K = 100
/** A cool-down begins below this share of the highest temperature before it. */
const TOP = 0.9
/** A cool-down ends, and a warm-up begins, at this multiple of the lowest temperature. */
const BASE = 1.5

/** The temperature that tells how cold the fridge is: that of its coldest stage. */
export function coldestOf({ series }: Readings): ReadingSeries | undefined {
  const lowest = ({ mean }: ReadingSeries) => Math.min(...mean.filter((kelvin) => kelvin > 0))
  return series
    .filter(({ unit, at }) => unit === 'K' && at.length > 0)
    .toSorted((one, other) => lowest(one) - lowest(other))[0]
}

/** The cool-downs and warm-ups that begin and end within a curve, the oldest first. */
export function findPhases({ at, mean }: Curve): Phase[] {
  const spans: { isCold: boolean; first: number }[] = []
  mean.forEach((kelvin, index) => {
    const before = spans.at(-1)?.isCold
    if (before !== true && kelvin > 0 && kelvin <= COLD_K) spans.push({ isCold: true, first: index })
    else if (before !== false && kelvin >= WARM_K) spans.push({ isCold: false, first: index })
  })
  return spans.slice(1).map(({ isCold, first }, index) => {
    const begin = spans[index]?.first ?? 0
    const before = mean.slice(begin, first)
    const after = mean.slice(first, spans[index + 2]?.first)
    const [cold, warm] = isCold ? [after, before] : [before, after]
    const isBase = below(BASE * Math.min(...cold.filter((kelvin) => kelvin > 0)))
    const isTop = above(TOP * Math.max(...warm))
    return {
      kind: isCold ? 'cool-down' : 'warm-up',
      from: at[begin + before.findLastIndex(isCold ? isTop : isBase)] ?? 0,
      to: at[first + after.findIndex(isCold ? isBase : isTop)] ?? 0,
    }
  })
}

/** When a cool-down or warm-up begins in a curve, be it over or not; undefined without one. Unix ms. */
export function beginOf({ at, mean }: Curve, kind: PhaseKind): number | undefined {
  const known = mean.filter((kelvin) => kelvin > 0)
  const [low, high, now] = [Math.min(...known), Math.max(...known), known.at(-1) ?? Number.NaN]
  const begins =
    kind === 'cool-down'
      ? high >= WARM_K && now < TOP * high && mean.findLastIndex(above(TOP * high))
      : low <= COLD_K && now >= 2 * COLD_K && mean.findLastIndex(below(BASE * low))
  return begins === false ? undefined : at[begins]
}

const above = (limit: number) => (kelvin: number) => kelvin >= limit
const below = (limit: number) => (kelvin: number) => kelvin > 0 && kelvin <= limit
