import type { Signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Job } from '../../../api/model/jobs.ts'
import { jobCondition } from '../../../jobs/status.ts'
import { commonPrefix, formatColumnSeconds, formatCount } from '../../../lib/format.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Status } from '../../../parts/Status.tsx'
import { type Column, DataTable } from '../../../parts/table/DataTable.tsx'
import { useLongRows } from '../../../parts/table/use-long-rows.ts'
import { QpuName, Took } from '../JobTable.tsx'
import type { JobPages } from './job-pages.ts'
import { type Place, usePlaces } from './use-places.ts'

/** Characters at the end of an id that stay in full color, of all. */
const TAIL = 6
const ID = 15

interface JobRowsProps {
  pages: JobPages
  total: number
  selected: Signal<ReadonlySet<string>>
  sort: { by: string; set: (by: string) => void }
  /** Name of an owner, where owners are shown. */
  owner?: ((id: string) => string) | undefined
}

/** The jobs of a list of any length. */
export function JobRows({ pages, total, selected, sort, owner }: JobRowsProps) {
  const rows = useLongRows<Job>({ ...pages, total }, idOf)
  const shown = rows.rows.flatMap(({ row, isAwaited }) => (row && !isAwaited ? [row] : []))
  const places = usePlaces(shown)
  const prefix = commonPrefix(shown.map(idOf), ID - TAIL)
  const columns = useMemo(() => columnsOf({ prefix, owner, places }), [prefix, owner, places])
  return (
    <DataTable
      label="Jobs"
      list="jobs"
      class={`folds jobs long ${owner ? 'owned' : ''}`}
      rows={rows}
      id={idOf}
      name={({ id, name }) => name || id}
      href={({ id }) => `/jobs/${id}`}
      selected={selected}
      sort={sort}
      columns={columns}
    />
  )
}

const idOf = ({ id }: Job) => id

interface Columns extends Pick<JobRowsProps, 'owner'> {
  /** What the ids have in common. */
  prefix: string
  places: ReadonlyMap<string, Place>
}

function columnsOf({ prefix, owner, places }: Columns): Column<Job>[] {
  const placed = (job: Job): Job => (job.status === 'pending' ? { ...job, ...places.get(job.id) } : job)
  return [
    {
      title: 'Job',
      cell: ({ id, name }) => (
        <>
          {name && <span class="job-name">{name}</span>}
          <code>
            <span class="soft">{prefix}</span>
            {id.slice(prefix.length)}
          </code>
        </>
      ),
      beside: ({ tags }) =>
        (tags ?? []).map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        )),
    },
    ...(owner
      ? [{ title: 'Owner', head: 'owner', class: 'owner', cell: (job: Job) => owner(job.user_id ?? '') }]
      : []),
    {
      title: 'Status',
      head: 'status-column',
      phone: 'state',
      cell: (job) => <Status {...jobCondition(placed(job))} />,
    },
    { title: 'QPU', head: 'qpu-column', class: 'place', cell: (job) => <QpuName of={job} /> },
    {
      title: 'Shots',
      head: 'shots-column',
      class: 'shots',
      number: true,
      cell: ({ shots }) => (shots ? formatCount(shots) : '–'),
    },
    {
      title: 'Submitted',
      sort: 'created',
      head: 'time-column',
      class: 'when',
      number: true,
      cell: ({ created }) => <Moment at={created} />,
    },
    {
      title: 'Time',
      head: 'took-column',
      class: 'took',
      number: true,
      cell: (job) => <Took job={placed(job)} format={formatColumnSeconds} />,
    },
  ]
}
