import { useMemo } from 'preact/hooks'
import { useApp } from '../lib/app.ts'
import { formatCount } from '../lib/format.ts'
import { countsOf } from '../lib/jobs.ts'
import { type Job, job as schema } from '../lib/model.ts'
import { createResource } from '../lib/resource.ts'
import { Histogram } from '../plots/Histogram.tsx'
import { QpuName } from './JobTable.tsx'
import { Panel } from './Panel.tsx'

/** The counts of one's newest completed job; nothing while there is none. */
export function LatestResult() {
  const { api, jobs } = useApp()
  const newest = jobs.value.value?.find(({ status }) => status === 'completed')?.id
  const result = useMemo(
    () =>
      newest === undefined
        ? undefined
        : createResource<Job>((abort) => api.get(`/api/jobs/${newest}`, schema, abort)),
    [newest],
  )
  useMemo(() => void result?.load(), [result])
  const job = result?.value.value
  const counts = job && countsOf(job)[0]
  if (!job || !counts || Object.keys(counts).length === 0) return null
  return (
    <Panel
      title="Latest result"
      aside={
        <a href={`/jobs/${job.id}`}>
          <code>{job.id}</code>
        </a>
      }
    >
      <div class="padded">
        <Histogram counts={counts} order="count" most={8} height={220} />
        <p class="caption">
          <QpuName of={job} />, {formatCount(job.payload?.shots ?? 0)} shots, most frequent first
        </p>
      </div>
    </Panel>
  )
}
