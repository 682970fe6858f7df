import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { ApiError } from '../../api/api.ts'
import { type Job, job as schema } from '../../api/model/jobs.ts'
import { createResource } from '../../api/resource.ts'
import { useApp } from '../../app/app.ts'
import { countsOf, executionsOf } from '../../jobs/jobs.ts'
import { formatCount } from '../../lib/format.ts'
import { ErrorBox, Panel } from '../../parts/Panel.tsx'
import { Histogram } from '../../plots/Histogram.tsx'
import { JobName, QpuName } from '../jobs/JobTable.tsx'

/** The user's newest completed job: a sweep as its plot, otherwise its counts. Renders nothing without. */
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
  const sweep = useMemo(() => createResource(loadSweep), [])
  const isSeveral = job !== undefined && executionsOf(job).length > 1
  useEffect(() => {
    if (isSeveral && !sweep.value.peek()) void sweep.load()
  }, [isSeveral])
  if (!job) return null
  const heading = {
    title: 'Latest result',
    aside: (
      <a href={`/jobs/${job.id}`}>
        <JobName of={job} />
      </a>
    ),
  }
  const counts = <Counts job={job} heading={heading} />
  if (!isSeveral) return counts
  const { value: loaded } = sweep.value
  if (loaded) return <loaded.SweepPanel job={job} brief={heading} otherwise={counts} />
  const { value: error } = sweep.error
  if (!error) return null
  return (
    <Panel {...heading}>
      <ErrorBox error={error} task="load the plot of the sweep" retry={() => void sweep.load()} />
    </Panel>
  )
}

async function loadSweep() {
  try {
    return await import('../jobs/detail/sweep/Sweep.tsx')
  } catch {
    throw new ApiError(0, 'The connection may be lost, or the server was updated since this page was opened')
  }
}

/** The counts of the first circuit; renders nothing without any. */
function Counts({ job, heading }: { job: Job; heading: { title: string; aside: ComponentChildren } }) {
  const counts = countsOf(job)[0] ?? {}
  if (Object.keys(counts).length === 0) return null
  return (
    <Panel {...heading}>
      <div class="padded">
        <Histogram series={[{ name: '', counts }]} order="outcome" maxBars={8} height={220} />
        <p class="caption">
          <QpuName of={job} />, {formatCount(job.payload?.shots ?? 0)} shots
        </p>
      </div>
    </Panel>
  )
}
