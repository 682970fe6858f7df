import { useEffect, useMemo, useRef } from 'preact/hooks'
import { type Job, job as schema } from '../../api/model/jobs.ts'
import { createResource } from '../../api/resource.ts'
import { useApp } from '../../app/app.ts'
import { countsOf } from '../../jobs/jobs.ts'
import { formatCount } from '../../lib/format.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Histogram } from '../../plots/Histogram.tsx'
import { JobName, QpuName } from '../jobs/JobTable.tsx'

/** The counts of the user's newest completed job; renders nothing without one. */
export function LatestResult() {
  const { api, jobs } = useApp()
  const newest = jobs.value.value?.find(({ status }) => status === 'completed')?.id
  const wanted = useRef(newest)
  wanted.current = newest
  // One resource for every job: the previous result stays visible until the next one has loaded.
  const result = useMemo(
    () => createResource<Job>((abort) => api.get(`/api/jobs/${wanted.current}`, schema, abort)),
    [],
  )
  useEffect(() => {
    if (newest !== undefined) void result.load()
  }, [newest])
  const job = result.value.value
  const counts = job && countsOf(job)[0]
  if (!job || !counts || Object.keys(counts).length === 0) return null
  return (
    <Panel
      title="Latest result"
      aside={
        <a href={`/jobs/${job.id}`}>
          <JobName of={job} />
        </a>
      }
    >
      <div class="padded">
        <Histogram series={[{ name: '', counts }]} order="outcome" maxBars={8} height={220} />
        <p class="caption">
          <QpuName of={job} />, {formatCount(job.payload?.shots ?? 0)} shots
        </p>
      </div>
    </Panel>
  )
}
