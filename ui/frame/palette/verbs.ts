import type { Job } from '../../api/model/jobs.ts'
import type { Qpu } from '../../api/model/qpus.ts'
import type { App } from '../../app/app.ts'
import { cancelJob } from '../../parts/cancel-job.ts'
import { qpuActions } from '../../parts/qpu/qpu-actions.ts'
import type { Command } from './commands.ts'

interface Dependencies {
  /** Opens the dialog that starts the maintenance of a QPU. */
  startMaintenance: (qpu: Qpu) => void
}

/** What the account can do with QPUs and its recent jobs, each asking as its button does. */
export function verbsOf(app: App, { startMaintenance }: Dependencies): Command[] {
  if (!app.account.value) return []
  const qpus = app.qpus.value.value ?? []
  const jobs = app.jobs.value.value ?? []
  return [
    ...qpus.flatMap((qpu) => [
      ...useOf(qpu),
      ...(app.superuser.value ? operationsOf(app, qpu, () => startMaintenance(qpu)) : []),
    ]),
    ...jobs.flatMap((job) => (job.status === 'pending' ? [cancelling(app, job)] : [])),
    ...comparisonsOf(app.router.path.value, jobs),
  ]
}

const verb = (title: string, what: Pick<Command, 'href' | 'run'>): Command => {
  return { id: `verb ${title}`, title, group: 'Action', ...what }
}

function useOf({ name }: Qpu): Command[] {
  const query = encodeURIComponent(name)
  return [
    verb(`New job on ${name}`, { href: `/jobs/new?qpu=${query}` }),
    verb(`Book ${name}`, { href: `/bookings?qpu=${query}&new=1` }),
  ]
}

function operationsOf(app: App, qpu: Qpu, startMaintenance: () => void): Command[] {
  return [
    ...qpuActions(app, qpu, { startMaintenance })
      // What cannot be undone stays on the page of the QPU.
      .filter(({ tone }) => tone !== 'bad')
      .map(({ title, run }) => verb(`${title.replace('…', '')} ${qpu.name}`, { run })),
    verb(`Calibrate ${qpu.name}`, { href: `/calibrations?new=1&on=${qpu.id}` }),
  ]
}

function cancelling(app: App, { id, name }: Job): Command {
  return verb(`Cancel job ${labelOf({ id, name })}`, {
    run: () => void cancelJob(app, id).then(() => app.jobs.loadSoon()),
  })
}

/** On the page of a job: the other completed ones to compare it with. */
function comparisonsOf(path: string, jobs: readonly Job[]): Command[] {
  const [, current] = /^\/jobs\/([a-z0-9]{15})$/.exec(path) ?? []
  if (current === undefined) return []
  return jobs
    .filter(({ id, status }) => status === 'completed' && id !== current)
    .map((job) => verb(`Compare with ${labelOf(job)}`, { href: `/jobs/${current}?with=${job.id}` }))
}

function labelOf({ id, name }: Pick<Job, 'id' | 'name'>): string {
  return name ? `${name} ${id}` : id
}
