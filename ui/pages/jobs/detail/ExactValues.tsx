import type { CircuitResult } from '../../../api/model/jobs.ts'
import { formatCount } from '../../../lib/format.ts'
import { BookTable } from '../../../parts/table/BookTable.tsx'

/** More outcomes than this are left to the saved results. */
const MAX_SHOWN = 256
const DIGITS = 8

/** Rows of the exact values of a result, how many they leave out, and all of them; undefined without any. */
export function exactRows(result: CircuitResult | undefined) {
  const { expectation_values: means, probabilities } = result ?? {}
  const row = ([name, value]: [string, number]) => ({ name, value: value.toPrecision(DIGITS) })
  if (means) {
    const all = Object.entries(means)
    const rows = all.slice(0, MAX_SHOWN).map(row)
    return { title: 'Observable', column: 'Mean', rows, left: left(all.length), all }
  }
  if (!probabilities) return undefined
  const all = Object.entries(probabilities)
  const ranked = all.toSorted(([, one], [, other]) => other - one).slice(0, MAX_SHOWN)
  const rows = ranked.sort(([one], [other]) => (one < other ? -1 : 1)).map(row)
  return { title: 'Outcome', column: 'Probability', rows, left: left(all.length), all }
}

type Exact = NonNullable<ReturnType<typeof exactRows>>

/** All exact values of a circuit with all digits as CSV. */
export function exactCsv({ title, column, all }: Exact): string {
  return [[title, column], ...all, ''].join('\r\n').toLowerCase()
}

function left(total: number): number {
  return Math.max(0, total - MAX_SHOWN)
}

/** Exact means or probabilities of one circuit. */
export function ExactValues({ exact }: { exact: Exact | undefined }) {
  if (!exact) return null
  return (
    <>
      <BookTable head={[exact.title, [exact.column, 'number']]}>
        {exact.rows.map(({ name, value }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td class="number">{value}</td>
          </tr>
        ))}
      </BookTable>
      {exact.left > 0 && <p class="caption">{formatCount(exact.left)} more can be saved.</p>}
    </>
  )
}
