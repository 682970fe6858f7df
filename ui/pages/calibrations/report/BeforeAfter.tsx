import { useSignal } from '@preact/signals'
import { Select } from '../../../parts/form/form.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { type Column, DataTable } from '../../../parts/table/DataTable.tsx'
import { changeTexts, NOTABLE_SIGMA, sizeInSigma } from '../reading/changes.ts'
import { type ReadReport, type ReportedValue, valuedTargets } from '../reading/read-report.ts'
import { SigmaBar } from './SigmaBar.tsx'

type Shown = 'all' | 'written' | 'notable'

interface BeforeAfterProps {
  report: ReadReport
  target: string
  choose: (target: string) => void
  /** Id of the QPU, for the history of a value. */
  qpu: string
}

/** Every value of a target before and after the calibration. */
export function BeforeAfter({ report, target, choose, qpu }: BeforeAfterProps) {
  const shown = useSignal<Shown>('all')
  const valued = valuedTargets(report)
  const chosen = valued.includes(target) ? target : (valued[0] ?? '')
  const rows = report.results
    .filter((result) => result.target === chosen)
    .flatMap(({ routine, values }) => values.map((value) => ({ routine, value, sigma: sizeInSigma(value) })))
    .filter(({ value, sigma }) =>
      shown.value === 'all'
        ? true
        : shown.value === 'written'
          ? value.written
          : Math.abs(sigma ?? 0) >= NOTABLE_SIGMA,
    )
  if (valued.length === 0) {
    return (
      <Panel title="Before and after">
        <p class="padded soft">The report has no values.</p>
      </Panel>
    )
  }
  return (
    <Panel
      title={`Before and after, ${chosen}`}
      aside={
        <span class="actions">
          <Select aria-label="Target of the values" value={chosen} choices={valued} set={choose} />
          <Select
            aria-label="Which values"
            value={shown.value}
            choices={[
              ['all', 'All values'],
              ['written', 'Written values'],
              ['notable', 'Changed by 2 σ or more'],
            ]}
            set={(which) => (shown.value = which as Shown)}
          />
        </span>
      }
    >
      {rows.length === 0 ? (
        <p class="padded soft">No value of {chosen} is in this selection.</p>
      ) : (
        <DataTable
          label={`Values of ${chosen}`}
          rows={rows.map((row) => ({ ...row, ...changeTexts(row.value) }))}
          columns={columnsOf(qpu, chosen)}
          id={({ routine, value }) => `${routine} ${value.path}`}
        />
      )}
    </Panel>
  )
}

function historyOf(qpu: string, element: string, parameter: string): string {
  return `/calibrations/history?${new URLSearchParams({ qpu, element, parameter })}`
}

type Row = { routine: string; value: ReportedValue; sigma: number | undefined } & ReturnType<
  typeof changeTexts
>

function columnsOf(qpu: string, target: string): Column<Row>[] {
  return [
    {
      title: 'Parameter',
      cell: ({ routine, value }) => (
        <a href={historyOf(qpu, target, value.path)} title={`History; measured by ${routine}`}>
          <code>{value.path}</code>
        </a>
      ),
    },
    {
      title: 'Before',
      number: true,
      cell: ({ before, value }) => (
        <>
          {before} {value.typed && <span class="tag">typed</span>}
        </>
      ),
    },
    { title: 'After', number: true, cell: ({ after }) => <b>{after}</b> },
    { title: 'Change', number: true, cell: ({ change }) => change },
    {
      title: 'Size in σ',
      cell: ({ sigma }) => <span class="sigma">{sigma !== undefined && <SigmaBar sigma={sigma} />}</span>,
    },
    {
      title: 'Device file',
      phone: 'state',
      cell: ({ value }) => <span class="soft">{value.written ? 'written' : 'not written'}</span>,
    },
  ]
}
