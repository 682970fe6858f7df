import { useSignal } from '@preact/signals'
import { asApiError } from '../../api/api.ts'
import { submitJob } from '../../api/submit-job.ts'
import { useApp } from '../../app/app.ts'
import { BELL } from '../../jobs/examples.ts'
import { formatCount } from '../../lib/format.ts'
import { Empty, Loaded, Panel } from '../../parts/Panel.tsx'
import { JobTable } from '../jobs/JobTable.tsx'

const BELL_SHOTS = 1_000
/** Jobs that the overview shows; the page of jobs has all of them. */
const SHOWN = 8

/** The newest jobs of the user; a first one to run if there is none, and nothing for superusers. */
export function JobsPanel() {
  const { account, jobs, superuser } = useApp()
  const signedIn = account.value !== undefined
  if (superuser.value && !jobs.value.value?.length) return null
  return (
    <Panel title="Your jobs" aside={signedIn && <a href="/jobs">All jobs</a>}>
      {signedIn ? (
        <Loaded of={jobs} task="load your jobs" rows={4}>
          {(list) => (list.length > 0 ? <JobTable jobs={list.slice(0, SHOWN)} /> : <NoJobs />)}
        </Loaded>
      ) : (
        <Empty
          action={
            <a class="button" href="/login">
              Sign in
            </a>
          }
        >
          Sign in to see your jobs and their results.
        </Empty>
      )}
    </Panel>
  )
}

/** A program that any QPU runs, with one button that runs it. */
function NoJobs() {
  const { api, router, toast } = useApp()
  const busy = useSignal(false)
  const run = async () => {
    if (busy.peek()) return
    busy.value = true
    try {
      const body = { circuits: [{ circuit: BELL }], shots: BELL_SHOTS, name: 'Bell pair' }
      const id = await submitJob(api, body)
      router.go(`/jobs/${id}`)
    } catch (failure) {
      toast(`The job was not accepted: ${asApiError(failure).message}`, 'bad')
    } finally {
      busy.value = false
    }
  }
  return (
    <Empty
      action={
        <div class="actions">
          <button type="button" class="primary" aria-disabled={busy.value} onClick={run}>
            Run it
          </button>
          <a class="button" href="/jobs/new">
            Edit it first
          </a>
        </div>
      }
    >
      You have no jobs yet. Start with a Bell pair, measured {formatCount(BELL_SHOTS)} times:
      <pre class="example">{BELL.trim()}</pre>
    </Empty>
  )
}
