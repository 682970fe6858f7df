import { useEffect, useMemo } from 'preact/hooks'
import { type Job, partialResults, job as schema } from '../../api/model/jobs.ts'
import { useApp } from '../../app/app.ts'
import type { PageProps } from '../../app/page.ts'
import { useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { Source } from '../../editor/Source.tsx'
import { jobCondition } from '../../jobs/status.ts'
import { createOwners } from '../../parts/account/owners.ts'
import { Breadcrumb, Heading, Loaded } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { Compare } from './compare/Compare.tsx'
import { Actions } from './detail/Actions.tsx'
import { Details } from './detail/Details.tsx'

/** Minimum interval between reloads of a pending job, whose queue position changes as other jobs end. */
const QUEUE_SPACING_MS = 3_000

/** One job, updated live until it ends; with `?with=`, compared to others. */
export function JobPage({ params }: PageProps) {
  const id = params['id'] ?? ''
  const others = useQuery()
    .get('with')
    .split(',')
    .filter((each) => each !== '')
  return others.length > 0 ? <Compare first={id} others={others} /> : <OneJob id={id} />
}

function OneJob({ id }: { id: string }) {
  const { api, watchJobs } = useApp()
  const job = useResource((abort) => api.get(pathOf(id), schema, abort), [id])
  useEffect(
    () =>
      watchJobs((event) => {
        if (event.record.id === id) job.follow(event)
        else if (job.value.peek()?.status === 'pending') job.loadSoon(QUEUE_SPACING_MS)
      }),
    [id],
  )
  const found = job.value.value
  if (!found && job.error.value?.status === 404) return <NoSuchJob id={id} />
  return (
    <>
      <Breadcrumb href="/jobs" list="Jobs">
        <code>{id}</code>
      </Breadcrumb>
      <Heading
        title={
          found?.name || (
            <>
              Job <code>{id}</code>
            </>
          )
        }
        lead={found && <Status {...jobCondition(found)} />}
      >
        {found && <Actions job={found} changed={() => void job.load()} />}
      </Heading>
      <div class="columns job">
        <Loaded of={job} task="load this job" rows={6}>
          {(value) => <OwnDetails job={value} />}
        </Loaded>
      </div>
    </>
  )
}

const pathOf = (id: string) => `/api/jobs/${encodeURIComponent(id)}`

function OwnDetails({ job }: { job: Job }) {
  const app = useApp()
  const owners = useMemo(() => (app.superuser.value ? createOwners(app) : undefined), [])
  useEffect(() => owners?.need([job.user_id ?? '']), [job.user_id])
  const owner = owners?.name(job.user_id ?? '')
  return <Details job={job} path={pathOf(job.id)} source={Source} owner={owner} ended={useEnded(job)} />
}

/** The results of circuits that have ended; they are read again with the job, whatever its progress. */
function useEnded(job: Job) {
  const { api } = useApp()
  const { id, status, progress } = job
  const isPart = status !== 'completed' && (progress ?? 0) > 0
  const path = `${pathOf(id)}/partial-results`
  const found = useResource(
    async (abort) => (isPart ? (await api.get(path, partialResults, abort)).results : undefined),
    [job],
  )
  return isPart ? found.value.value : undefined
}

function NoSuchJob({ id }: { id: string }) {
  return (
    <div class="empty">
      <h1 tabIndex={-1}>There is no such job</h1>
      <p>
        None of your jobs has the id <code>{id}</code>.
      </p>
      <a class="button" href="/jobs">
        Go to your jobs
      </a>
    </div>
  )
}
