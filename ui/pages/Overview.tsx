import { isSuperuser } from '../api/auth.ts'
import type { Qpu } from '../api/model.ts'
import { useApp } from '../app/app.ts'
import { describeActivity } from '../jobs/jobs.ts'
import { qpuCondition } from '../jobs/status.ts'
import { formatNumberOf, sentence, spellCount } from '../lib/format.ts'
import { Heading } from '../parts/Heading.tsx'
import { JobTable } from '../parts/JobTable.tsx'
import { LatestResult } from '../parts/LatestResult.tsx'
import { Empty, Loaded, Panel } from '../parts/Panel.tsx'
import { Status } from '../parts/Status.tsx'

/** The first page: QPUs with the reason why some take no jobs, the user's jobs and the newest result. */
export function Overview() {
  const { auth, jobs } = useApp()
  const signedIn = auth.current.value !== undefined
  return (
    <>
      <Heading title="Overview" lead={<Lead />}>
        <a class="button primary" href="/jobs/new">
          New job
        </a>
      </Heading>
      <div class="overview">
        <Qpus />
        <Panel title="Your jobs">
          {signedIn ? (
            <Loaded of={jobs} task="read your jobs" rows={4}>
              {(list) => (list.length > 0 ? <JobTable jobs={list} /> : <NoJobs />)}
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
        {signedIn && <LatestResult />}
      </div>
    </>
  )
}

/** The lead sentence: the state of the user's jobs, or else the number of available QPUs. */
function Lead() {
  const { jobs, qpus, availability } = useApp()
  const activity = jobs.value.value && describeActivity(jobs.value.value)
  if (activity) return <>{activity}</>
  const all = qpus.value.value
  const refusals = availability.value.value
  if (!all || !refusals || all.length === 0) return null
  const ready = all.filter((qpu) => qpuCondition(qpu, refusals).takesJobs).length
  if (all.length === 1) return <>{ready ? 'The QPU takes jobs.' : 'The QPU takes no jobs now.'}</>
  const some = ready === 0 ? 'None' : sentence(spellCount(ready))
  return (
    <>
      {some} of {formatNumberOf(all.length, 'QPU')} {ready > 1 ? 'take' : 'takes'} jobs now.
    </>
  )
}

function Qpus() {
  const { qpus } = useApp()
  return (
    <Panel title="QPUs">
      <Loaded of={qpus} task="read the QPUs" rows={2}>
        {(list) => (list.length > 0 ? <QpuTable qpus={list} /> : <NoQpus />)}
      </Loaded>
    </Panel>
  )
}

function QpuTable({ qpus }: { qpus: Qpu[] }) {
  const { availability } = useApp()
  const refusals = availability.value.value
  return (
    <div class="scroll">
      <table class="book folds qpus">
        <thead>
          <tr>
            <th scope="col">QPU</th>
            <th scope="col">Status</th>
            <th scope="col">Availability</th>
            <th scope="col" class="number">
              Qubits
            </th>
            <th scope="col">Executor</th>
          </tr>
        </thead>
        <tbody>
          {qpus.map((qpu) => {
            const condition = qpuCondition(qpu, refusals)
            return (
              <tr key={qpu.id}>
                <th scope="row">{qpu.name}</th>
                <td class="state">
                  <Status {...condition} />
                </td>
                <td class="wide">{condition.reason}</td>
                <td class={qpu.num_qubits ? 'number' : 'number absent'}>
                  {qpu.num_qubits || '–'}
                  <span class="folded"> qubits</span>
                </td>
                <td class={qpu.executor_type ? 'soft' : 'soft absent'}>{qpu.executor_type || '–'}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function NoQpus() {
  const { auth } = useApp()
  return isSuperuser(auth.current.value) ? (
    <Empty>
      No QPU yet. Create one with <code>POST /api/op/qpus/create</code>; the response contains the access
      token for its driver.
    </Empty>
  ) : (
    <Empty>No QPU is connected yet. An administrator can register one.</Empty>
  )
}

function NoJobs() {
  return (
    <Empty
      action={
        <a class="button" href="/jobs/new">
          Write the first one
        </a>
      }
    >
      You have no jobs yet. A Bell pair is ready to be sent.
    </Empty>
  )
}
