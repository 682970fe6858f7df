import type { CouplerBias } from './coupler-bias.ts'

/**
 * Neighboring couplers share flux. A coupler with the current I_e behaves as if it had, alone, the current
 *
 *     effective_e = I_e + Σ_o c(e, o) · I_o
 *
 * with c(e, o) = `bias.crosstalk` of e for the edge o. Parking currents are effective currents, so that they
 * do not depend on where the other couplers are parked. Currents in A.
 */
type Crosstalk = readonly Pick<CouplerBias, 'edge' | 'crosstalk'>[]

/** The effective currents of all couplers of `applied`. */
export function effectiveCurrents(
  couplers: Crosstalk,
  applied: ReadonlyMap<string, number>,
): Map<string, number> {
  return new Map(
    [...applied].map(([edge, amps]) => {
      const from = couplers.find((each) => each.edge === edge)?.crosstalk ?? {}
      const shared = [...applied].reduce(
        (sum, [other, current]) => (other === edge ? sum : sum + (from[other] ?? 0) * current),
        0,
      )
      return [edge, amps + shared]
    }),
  )
}

/**
 * The currents to apply so that the couplers of `wanted` have these effective currents, while the others stay
 * at `held`. Couplers that are in neither map count as 0.
 * @throws RangeError when the crosstalk of the couplers has no solution.
 */
export function appliedCurrents(
  couplers: Crosstalk,
  wanted: ReadonlyMap<string, number>,
  held: ReadonlyMap<string, number>,
): Map<string, number> {
  const edges = [...wanted.keys()]
  const rows = edges.map((edge) => {
    const from = couplers.find((each) => each.edge === edge)?.crosstalk ?? {}
    const fixed = [...held].reduce(
      (sum, [other, amps]) => (wanted.has(other) ? sum : sum + (from[other] ?? 0) * amps),
      0,
    )
    return [
      ...edges.map((other) => (other === edge ? 1 : (from[other] ?? 0))),
      (wanted.get(edge) ?? 0) - fixed,
    ]
  })
  const solution = solve(rows)
  return new Map(edges.map((edge, row) => [edge, solution[row] ?? 0]))
}

/** Below this pivot a matrix of fractions counts as singular. */
const SINGULAR = 1e-6

/** Solves the rows `[a_1 … a_n, b]` by elimination with row pivots. */
function solve(rows: number[][]): number[] {
  const size = rows.length
  for (let column = 0; column < size; column += 1) {
    const pivot = rows
      .slice(column)
      .reduce((best, row) => (Math.abs(row[column] ?? 0) > Math.abs(best[column] ?? 0) ? row : best))
    const head = pivot[column] ?? 0
    if (Math.abs(head) < SINGULAR) throw new RangeError('bias.crosstalk of the couplers has no solution')
    rows.splice(rows.indexOf(pivot), 1)
    rows.splice(column, 0, pivot)
    for (const row of rows) {
      if (row === pivot) continue
      const factor = (row[column] ?? 0) / head
      for (let each = column; each <= size; each += 1)
        row[each] = (row[each] ?? 0) - factor * (pivot[each] ?? 0)
    }
  }
  return rows.map((row, each) => (row[size] ?? 0) / (row[each] ?? 1))
}
