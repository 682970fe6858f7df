import type { Job } from '../../api/model/jobs.ts'
import { useApp } from '../../app/app.ts'
import { useNow } from '../../app/use-now.ts'
import { startText } from '../../jobs/occupancy.ts'
import { jobCondition } from '../../jobs/status.ts'
import { formatCount, formatSeconds } from '../../lib/format.ts'
import { parseTime } from '../../lib/time.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'

/** A table of jobs in the given order. */
export function JobTable({ jobs }: { jobs: readonly Job[] }) {
  return (
    <DataTable
      label="Jobs"
      rows={jobs}
      id={({ id }) => id}
      href={({ id }) => `/jobs/${id}`}
      columns={[
        { title: 'Job', cell: (job) => <JobName of={job} /> },
        { title: 'Status', phone: 'state', cell: (job) => <Status {...jobCondition(job)} /> },
        { title: 'QPU', cell: (job) => <QpuName of={job} /> },
        {
          title: 'Shots',
          number: true,
          cell: ({ payload }) => formatCount(payload?.shots ?? 0),
        },
        { title: 'Submitted', number: true, cell: ({ created }) => <Moment at={created} /> },
        { title: 'Time', number: true, cell: (job) => <Took job={job} /> },
      ]}
    />
  )
}

/** The name of a job with its id, or the id alone. */
export function JobName({ of: { id, name } }: { of: Pick<Job, 'id' | 'name'> }) {
  if (!name) return <code>{id}</code>
  return (
    <>
      {name} <code class="soft">{id}</code>
    </>
  )
}

/** Name of the QPU that runs or ran a job; before that, the one it targets, or `any`. */
export function QpuName({ of }: { of: Pick<Job, 'qpu' | 'qpu_target'> }) {
  const { qpus } = useApp()
  const wanted = of.qpu || of.qpu_target
  if (!wanted) return <>any</>
  const found = qpus.value.value?.find(({ id, name }) => id === wanted || name === wanted)
  return <>{found?.name ?? wanted}</>
}

/**
 * Duration of a finished job, in the same number of digits in a column, or the time since a running job
 * started.
 */
export function Took({ job, format = formatSeconds }: { job: Job; format?: (seconds: number) => string }) {
  if (job.status === 'running') return <Elapsed since={parseTime(job.started_at)} />
  if (job.status === 'pending') return <Start job={job} />
  return <>{job.duration ? format(job.duration) : '–'}</>
}

/** When a pending job starts, where that is known. */
function Start({ job: { estimated_start: start, waiting } }: { job: Job }) {
  const { zone } = useApp()
  const text = startText(start, Date.now(), zone.value)
  return <span title={waiting?.text}>{text ? `starts ${text}` : 'waits'}</span>
}

function Elapsed({ since }: { since: number | undefined }) {
  const now = useNow(1_000)
  if (since === undefined) return <>–</>
  return <>{formatSeconds(Math.max(0, Math.floor((now.value - since) / 1_000)))}</>
}
