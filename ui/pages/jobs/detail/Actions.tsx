import type { Job } from '../../../api/model/jobs.ts'
import { useApp } from '../../../app/app.ts'
import { printWhole } from '../../../lib/print.ts'
import { ShareButton } from '../../../parts/account/Share.tsx'
import { cancelJob } from '../../../parts/cancel-job.ts'
import { useDialog } from '../../../parts/form/use-dialog.ts'
import { Menu } from '../../../parts/Menu.tsx'
import { useAction } from '../../../parts/use-confirm.ts'
import { LabelsDialog } from './LabelsDialog.tsx'
import { MoveDialog } from './MoveDialog.tsx'

interface ActionsProps {
  job: Job
  changed: () => void
}

/** What the user, and an operator, can do with a job. */
export function Actions({ job, changed }: ActionsProps) {
  const { superuser } = useApp()
  return (
    <>
      {superuser.value && (job.status === 'pending' || job.status === 'running') && (
        <OperatorMenu job={job} changed={changed} />
      )}
      {job.status === 'pending' && <CancelButton id={job.id} cancelled={changed} />}
      {job.status === 'completed' && <CompareMenu id={job.id} />}
      <LabelsButton job={job} changed={changed} />
      <ShareButton kind="job" record={job.id} />
      <button type="button" onClick={() => void printWhole()}>
        Print
      </button>
      <a class="button" href={`/jobs/new?from=${job.id}`}>
        Edit and run again
      </a>
    </>
  )
}

function LabelsButton({ job, changed }: ActionsProps) {
  const [renaming, rename] = useDialog((_, close) => (
    <LabelsDialog job={job} changed={changed} close={close} />
  ))
  return (
    <>
      <button type="button" onClick={() => rename()}>
        Rename
      </button>
      {renaming}
    </>
  )
}

/** Recent completed jobs to compare with. */
const MAX_OFFERED = 10

function CompareMenu({ id }: { id: string }) {
  const { jobs } = useApp()
  const others = (jobs.value.value ?? [])
    .filter((other) => other.status === 'completed' && other.id !== id)
    .slice(0, MAX_OFFERED)
  if (others.length === 0) return null
  return (
    <Menu
      button="Compare"
      label="Compare with another job"
      items={others.map((other) => ({
        title: other.name ? `${other.name} (${other.id})` : other.id,
        href: `/jobs/${id}?with=${other.id}`,
      }))}
    />
  )
}

interface OperatorAction {
  path: string
  title: string
  body: string
  done: string
  isFor: (job: Job) => boolean
  extra?: object
}

const OPERATOR_ACTIONS: readonly OperatorAction[] = [
  {
    path: 'hold',
    title: 'Hold',
    body: 'The job does not run until it is released. Its owner reads the reason.',
    done: 'The job is held.',
    isFor: ({ status, held }) => status === 'pending' && !held,
  },
  {
    path: 'release',
    title: 'Release',
    body: 'The job may run again, in its place by submission.',
    done: 'The job is released.',
    isFor: ({ held }) => held,
  },
  {
    path: 'run-next',
    title: 'Run next',
    body: 'The job runs before all others, bookings included, as soon as its QPU takes jobs.',
    done: 'The job runs next.',
    isFor: ({ status, held }) => status === 'pending' && !held,
  },
  {
    path: 'requeue',
    title: 'Requeue',
    body: 'The driver stops the job, and it returns to the queue. The attempt is not charged.',
    done: 'The job is back in the queue.',
    isFor: ({ status }) => status === 'running',
  },
  {
    path: 'requeue',
    title: 'Requeue and hold',
    body: 'The driver stops the job, and it does not run again until it is released.',
    done: 'The job is back in the queue and held.',
    isFor: ({ status }) => status === 'running',
    extra: { hold: true },
  },
]

function OperatorMenu({ job, changed }: ActionsProps) {
  const { api } = useApp()
  const act = useAction()
  const [moving, move] = useDialog((_, close) => (
    <MoveDialog
      job={job}
      close={() => {
        close()
        changed()
      }}
    />
  ))
  const operate = async ({ path, title, body, done, extra }: OperatorAction) => {
    const isAsked = await act(
      { title: `${title} this job?`, body, action: title, reason: { label: 'Reason' } },
      (reason) => api.send(`/api/op/jobs/${job.id}/${path}`, { reason, ...extra }),
      done,
    )
    if (isAsked) changed()
  }
  const items = OPERATOR_ACTIONS.filter(({ isFor }) => isFor(job)).map((action) => ({
    title: `${action.title}…`,
    run: () => void operate(action),
  }))
  return (
    <>
      <Menu
        button="Operate"
        items={
          job.status === 'pending' ? [...items, { title: 'Move to another QPU…', run: () => move() }] : items
        }
      />
      {moving}
    </>
  )
}

function CancelButton({ id, cancelled }: { id: string; cancelled: () => void }) {
  const app = useApp()
  return (
    <button type="button" onClick={() => void cancelJob(app, id).then(cancelled)}>
      Cancel job
    </button>
  )
}
