import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Job } from '../api/model.ts'
import { useApp } from '../app/app.ts'
import { jobCondition } from '../jobs/status.ts'
import { formatCount, formatSeconds } from '../lib/format.ts'
import { formatMoment, parseTime } from '../lib/time.ts'
import { Status } from './Status.tsx'

/** A table of jobs in the given order. */
export function JobTable({ jobs }: { jobs: readonly Job[] }) {
  const now = Date.now()
  return (
    <div class="scroll">
      <table class="book folds jobs">
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">Status</th>
            <th scope="col">QPU</th>
            <th scope="col" class="number">
              Shots
            </th>
            <th scope="col" class="number">
              Submitted
            </th>
            <th scope="col" class="number">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id}>
              <th scope="row">
                <a href={`/jobs/${job.id}`} data-row>
                  <code>{job.id}</code>
                </a>
              </th>
              <td class="state">
                <Status {...jobCondition(job)} />
              </td>
              <td>
                <QpuName of={job} />
              </td>
              <td class="number">
                {formatCount(job.payload?.shots ?? 0)}
                <span class="folded"> shots</span>
              </td>
              <td class="number">{formatMoment(parseTime(job.created) ?? now, now)}</td>
              <td class="number">
                <Took job={job} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Name of the QPU that a job targets, or `any`. */
export function QpuName({ of }: { of: Job }) {
  const { qpus } = useApp()
  if (!of.qpu_target) return <>any</>
  const found = qpus.value.value?.find(({ id, name }) => id === of.qpu_target || name === of.qpu_target)
  return <>{found?.name ?? of.qpu_target}</>
}

/** Duration of a finished job, or the time since a running job started. */
export function Took({ job }: { job: Job }) {
  if (job.status === 'running') return <Elapsed since={parseTime(job.started_at)} />
  if (job.status === 'pending') return <>waits</>
  return <>{job.duration ? formatSeconds(job.duration) : '–'}</>
}

function Elapsed({ since }: { since: number | undefined }) {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
    }, 1_000)
    return () => clearInterval(timer)
  }, [])
  if (since === undefined) return <>–</>
  return <>{formatSeconds(Math.max(0, Math.floor((now.value - since) / 1_000)))}</>
}
