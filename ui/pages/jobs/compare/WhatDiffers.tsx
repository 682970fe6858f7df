import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Job } from '../../../api/model/jobs.ts'
import { seedOf, shotsOf } from '../../../jobs/jobs.ts'
import { formatColumnSeconds } from '../../../lib/format.ts'
import { Check } from '../../../parts/form/form.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { type BookHead, BookTable } from '../../../parts/table/BookTable.tsx'
import { QpuName } from '../JobTable.tsx'

interface Row {
  title: string
  /** What decides whether the jobs differ. */
  value: (job: Job) => string
  cell: (job: Job, index: number) => ComponentChildren
}

const LEVELS = ['Traces', 'IQ points', 'Counts']
const text = (value: string | number | null | undefined) => String(value ?? '–') || '–'

const ROWS: readonly Row[] = [
  {
    title: 'Submitted',
    value: ({ created }) => text(created),
    cell: ({ created }) => <Moment at={created} />,
  },
  {
    title: 'Recalled',
    value: ({ recalled }) => text(recalled?.reason),
    cell: ({ recalled }) => (recalled ? <span class="tone-warn">▲ {recalled.reason}</span> : '–'),
  },
  { title: 'QPU', value: ({ qpu }) => text(qpu), cell: (job) => <QpuName of={job} /> },
  { title: 'Shots', value: shotsOf, cell: shotsOf },
  {
    title: 'QPU time',
    value: ({ duration }) => text(duration),
    cell: ({ duration }) => (duration ? formatColumnSeconds(duration) : '–'),
  },
  {
    title: 'Result',
    value: ({ payload }) => text(payload?.meas_level),
    cell: ({ payload }) => LEVELS[payload?.meas_level ?? 2],
  },
  { title: 'Seed', value: (job) => text(seedOf(job)), cell: (job) => text(seedOf(job)) },
  {
    title: 'Parameters',
    value: parameters,
    cell: (job) => (parameters(job) === '[]' ? '–' : <code>{parameters(job).slice(0, 60)}</code>),
  },
  { title: 'Attempts', value: ({ attempt }) => text(attempt), cell: ({ attempt }) => text(attempt) },
]

function programs({ payload }: Job): string {
  return JSON.stringify(payload?.circuits?.map(({ circuit }) => circuit))
}

function parameters({ payload }: Job): string {
  return JSON.stringify(payload?.circuits?.flatMap(({ parameter_values: sets }) => sets ?? []) ?? [])
}

interface WhatDiffersProps {
  jobs: readonly Job[]
  names: readonly string[]
}

/** The conditions of the jobs side by side, and the likely cause of a difference. */
export function WhatDiffers({ jobs, names }: WhatDiffersProps) {
  const isReduced = useSignal(false)
  const [first] = jobs
  const program: Row = {
    title: 'Program',
    value: programs,
    cell: (job, index) =>
      index === 0 ? '–' : first && programs(job) === programs(first) ? 'identical' : 'different',
  }
  const rows = [...ROWS.slice(0, 3), program, ...ROWS.slice(3)].map((row) => ({
    ...row,
    isDifferent: new Set(jobs.map(row.value)).size > 1,
  }))
  return (
    <Panel
      title="What differs"
      aside={
        <Check checked={isReduced.value} set={(isChecked) => (isReduced.value = isChecked)}>
          only differences
        </Check>
      }
    >
      <div class="scroll">
        <BookTable
          head={[['Condition', 'unseen'], ...names.map((name, at): BookHead => [name, `series-${at + 1}`])]}
          class="differs"
        >
          {rows
            .filter(({ isDifferent }) => isDifferent || !isReduced.value)
            .map(({ title, cell, isDifferent }) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                {jobs.map((job, index) => (
                  <td key={job.id} class={isDifferent ? 'differs' : 'soft'}>
                    {cell(job, index)}
                  </td>
                ))}
              </tr>
            ))}
        </BookTable>
      </div>
    </Panel>
  )
}
