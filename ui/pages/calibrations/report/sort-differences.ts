import type { Difference } from '../reading/compare.ts'

const names = new Intl.Collator('en', { numeric: true })

/** Differences by `name` or `size` in standard deviations, `-` in front for the largest first. */
export function sortDifferences(rows: readonly Difference[], by: string): readonly Difference[] {
  const sign = by.startsWith('-') ? -1 : 1
  const byName = (one: Difference, other: Difference) =>
    names.compare(`${one.target} ${one.path}`, `${other.target} ${other.path}`)
  if (by.replace(/^-/, '') === 'name') return rows.toSorted((one, other) => sign * byName(one, other))
  const sizeOf = ({ sigma }: Difference) => (sigma === undefined ? -1 : Math.abs(sigma))
  return rows.toSorted((one, other) => sign * (sizeOf(one) - sizeOf(other)) || byName(one, other))
}
