import type { ReadingSeries } from '../../api/model/equipment/monitoring.ts'

/** Temperatures in ascending order, then the other channels in theirs. */
export function coldestFirst(series: readonly ReadingSeries[]): ReadingSeries[] {
  const kelvin = ({ unit, mean }: ReadingSeries) =>
    unit === 'K' ? (mean.at(-1) ?? Number.MAX_VALUE) : Number.POSITIVE_INFINITY
  return series.toSorted((one, other) => (kelvin(one) === kelvin(other) ? 0 : kelvin(one) - kelvin(other)))
}
