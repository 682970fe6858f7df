import { normalTail } from '../../../lib/statistics.ts'
import type { ReadReport } from './read-report.ts'

interface Side {
  value: number
  error: number | undefined
}

/** A value that two reports have. */
export interface Difference {
  target: string
  path: string
  unit: string
  before: Side
  after: Side
  /** In units of the combined uncertainty. */
  sigma: number | undefined
}

/** The values that two reports have in common, the most different first. */
export function compareReports(one: ReadReport, other: ReadReport): Difference[] {
  const before = valuesOf(one)
  const rows: Difference[] = []
  for (const [key, after] of valuesOf(other)) {
    const earlier = before.get(key)
    if (!earlier) continue
    const spread = Math.hypot(earlier.error ?? 0, after.error ?? 0)
    const sigma = spread > 0 ? (after.value - earlier.value) / spread : undefined
    rows.push({ ...after, before: earlier, after, sigma })
  }
  return rows.sort((a, b) => Math.abs(b.sigma ?? 0) - Math.abs(a.sigma ?? 0))
}

/** How many of these values noise alone moves by `sigmas` standard deviations or more. */
export function expectedByChance(rows: readonly Difference[], sigmas: number): number {
  return rows.filter(({ sigma }) => sigma !== undefined).length * normalTail(sigmas)
}

/** Number of values that only one of two reports has. */
export function countUnpaired(one: ReadReport, other: ReadReport): { before: number; after: number } {
  const [before, after] = [valuesOf(one), valuesOf(other)]
  const missingIn = (all: ReadonlyMap<string, unknown>) => (key: string) => !all.has(key)
  return {
    before: [...before.keys()].filter(missingIn(after)).length,
    after: [...after.keys()].filter(missingIn(before)).length,
  }
}

function valuesOf({ results, benchmarks }: ReadReport) {
  const found = new Map<string, Side & { target: string; path: string; unit: string }>()
  for (const { target, values } of results)
    for (const { path, value, error, unit } of values)
      if (value !== undefined) found.set(`${target} ${path}`, { target, path, unit, value, error })
  for (const { protocol, target, fidelity, uncertainty } of benchmarks) {
    const path = `${protocol}.fidelity`
    if (fidelity !== undefined)
      found.set(`${target} ${path}`, { target, path, unit: '', value: fidelity, error: uncertainty })
  }
  return found
}
