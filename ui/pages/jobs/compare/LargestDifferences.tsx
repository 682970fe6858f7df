import { useSignal } from '@preact/signals'
import { type Comparison, MARKED_SIGMAS } from '../../../jobs/compare.ts'
import { formatDifference, formatSigmas } from '../../../jobs/compare-text.ts'
import { formatCount } from '../../../lib/format.ts'
import { Panel } from '../../../parts/Panel.tsx'
import { BookTable, numberHeads } from '../../../parts/table/BookTable.tsx'
import { ScrollRegion } from '../../../plots/ScrollRegion.tsx'

const FIRST_ROWS = 8
const MAX_ROWS = 200

interface LargestDifferencesProps {
  comparison: Comparison
  names: readonly [string, string]
}

/** The outcomes that differ most, in σ. */
export function LargestDifferences({ comparison: { outcomes }, names }: LargestDifferencesProps) {
  const rows = useSignal(FIRST_ROWS)
  const ranked = outcomes.toSorted((a, b) => Math.abs(b.sigmas) - Math.abs(a.sigmas)).slice(0, rows.value)
  return (
    <Panel
      title="Largest differences"
      aside={
        outcomes.length > rows.value && rows.value < MAX_ROWS ? (
          <button type="button" class="link" onClick={() => (rows.value = MAX_ROWS)}>
            {outcomes.length > MAX_ROWS
              ? `The ${MAX_ROWS} largest`
              : `All ${formatCount(outcomes.length)} outcomes`}
          </button>
        ) : undefined
      }
    >
      <ScrollRegion class="scroll" label="Largest differences as a table">
        <BookTable head={['Outcome', ...numberHeads([...names, 'Difference', 'σ'])]}>
          {ranked.map(({ outcome, first, second, difference, sigmas }) => (
            <tr key={outcome}>
              <th scope="row">
                <code>{outcome}</code>
              </th>
              <td class="number">{first.toFixed(4)}</td>
              <td class="number">{second.toFixed(4)}</td>
              <td class="number">{formatDifference(difference)}</td>
              <td class={Math.abs(sigmas) > MARKED_SIGMAS ? 'number tone-bad' : 'number'}>
                {Math.abs(sigmas) > MARKED_SIGMAS && '■ '}
                {formatSigmas(sigmas)}
              </td>
            </tr>
          ))}
        </BookTable>
      </ScrollRegion>
    </Panel>
  )
}
