import type { CircuitResult } from '../../../api/model/jobs.ts'
import { formatCount } from '../../../lib/format.ts'

/** More outcomes than this are left to the saved results. */
const MAX_SHOWN = 256
const DIGITS = 8

/** Rows of the exact values of a result, and how many they leave out; undefined without values. */
export function exactRows(result: CircuitResult | undefined) {
  const { expectation_values: means, probabilities } = result ?? {}
  if (means) {
    const rows = means.map((mean, index) => ({ name: String(index), value: mean.toPrecision(DIGITS) }))
    return { title: 'Observable', column: 'Mean', rows: rows.slice(0, MAX_SHOWN), left: left(rows.length) }
  }
  if (!probabilities) return undefined
  const ranked = Object.entries(probabilities).sort(([, one], [, other]) => other - one)
  const shown = ranked.slice(0, MAX_SHOWN).sort(([one], [other]) => (one < other ? -1 : 1))
  const rows = shown.map(([name, probability]) => ({ name, value: probability.toPrecision(DIGITS) }))
  return { title: 'Outcome', column: 'Probability', rows, left: left(ranked.length) }
}

function left(total: number): number {
  return Math.max(0, total - MAX_SHOWN)
}

/** Exact means or probabilities of one circuit. */
export function ExactValues({ exact }: { exact: ReturnType<typeof exactRows> }) {
  if (!exact) return null
  return (
    <>
      <table class="book">
        <thead>
          <tr>
            <th scope="col">{exact.title}</th>
            <th scope="col" class="number">
              {exact.column}
            </th>
          </tr>
        </thead>
        <tbody>
          {exact.rows.map(({ name, value }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td class="number">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {exact.left > 0 && (
        <p class="caption">{formatCount(exact.left)} more are in the results, which can be saved as JSON.</p>
      )}
    </>
  )
}
