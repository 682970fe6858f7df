import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { formatCount, formatNumberOf, sentence } from '../../../lib/format.ts'
import { formatQuantity } from '../../../lib/quantity.ts'
import { Check } from '../../../parts/form/form.tsx'
import { type Column, DataTable } from '../../../parts/table/DataTable.tsx'
import { NOTABLE_SIGMA, prefixOf, signed } from '../reading/changes.ts'
import { compareReports, countUnpaired, type Difference, expectedByChance } from '../reading/compare.ts'
import type { ReadReport } from '../reading/read-report.ts'
import { SigmaBar } from './SigmaBar.tsx'
import { sortDifferences } from './sort-differences.ts'

/** Rows of a comparison; the most significant ones first. */
const MAX_ROWS = 200

interface DifferencesProps {
  /** The report that is compared with. */
  other: ReadReport
  report: ReadReport
}

/** The values that differ between two reports, with their errors and how significant the difference is. */
export function Differences({ other, report }: DifferencesProps) {
  const isAll = useSignal(false)
  const by = useSignal('-size')
  const all = useMemo(() => compareReports(other, report), [other, report])
  const notable = all.filter(({ sigma }) => Math.abs(sigma ?? 0) >= NOTABLE_SIGMA)
  const rows = sortDifferences(isAll.value ? all : notable, by.value)
  if (all.length === 0) return <p class="soft">The two reports have no value in common.</p>
  return (
    <>
      <p>
        {sentence(formatNumberOf(notable.length, 'value'))} of {formatCount(all.length)}{' '}
        {notable.length === 1 ? 'differs' : 'differ'} by {NOTABLE_SIGMA} σ or more; noise alone moves about{' '}
        {formatCount(expectedByChance(all, NOTABLE_SIGMA))}. {unpairedText(other, report)}
      </p>
      <Check checked={isAll.value} set={(isChecked) => (isAll.value = isChecked)}>
        Show unchanged values too
      </Check>
      {rows.length === 0 ? (
        <p class="soft">No value has changed visibly.</p>
      ) : (
        <div class="tall">
          <DataTable
            label="Differences of the two reports"
            rows={rows.slice(0, MAX_ROWS)}
            columns={COLUMNS}
            id={({ target, path }) => `${target} ${path}`}
            sort={{
              by: by.value,
              set(next) {
                by.value = next
              },
            }}
          />
        </div>
      )}
      {rows.length > MAX_ROWS && <p class="soft">and {formatCount(rows.length - MAX_ROWS)} more</p>}
    </>
  )
}

const COLUMNS: Column<Difference>[] = [
  {
    title: 'Value',
    sort: 'name',
    cell: ({ target, path }) => (
      <>
        {target} <code>{path}</code>
      </>
    ),
  },
  { title: 'The other', number: true, phone: 'wide', cell: (row) => sideText(row, row.before) },
  { title: 'This one', number: true, phone: 'state', cell: (row) => <b>{sideText(row, row.after)}</b> },
  {
    title: 'Difference',
    number: true,
    cell: ({ before, after, unit }) => {
      const uncertainty = Math.hypot(before.error ?? 0, after.error ?? 0)
      return signed(after.value - before.value, unit, uncertainty || undefined)
    },
  },
  {
    title: 'Size in σ',
    sort: 'size',
    cell: ({ sigma }) => (
      <span class="sigma">{sigma === undefined ? 'no error known' : <SigmaBar sigma={sigma} />}</span>
    ),
  },
]

/** A value with its error, in the prefixed unit of the newer one. */
function sideText({ before, after, unit }: Difference, { value, error }: Difference['after']): string {
  const scale = prefixOf(after.value || before.value, unit)
  const uncertainty = error && error / scale.factor
  return formatQuantity(value / scale.factor, { unit: scale.unit, uncertainty })
}

function unpairedText(other: ReadReport, report: ReadReport): string {
  const { before, after } = countUnpaired(other, report)
  const parts = [
    before > 0 && `${formatNumberOf(before, 'value')} only in the other`,
    after > 0 && `${formatNumberOf(after, 'value')} only in this one`,
  ].filter(Boolean)
  return parts.length > 0 ? `${sentence(parts.join(', '))}.` : ''
}
