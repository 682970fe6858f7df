import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api.ts'
import { type Job, job as schema } from '../api/model.ts'
import { createResource } from '../api/resource.ts'
import { useApp } from '../app/app.ts'
import type { PageProps } from '../app/page.ts'
import { isFinished, jobCondition, jobFailure } from '../jobs/status.ts'
import { formatCount, formatSeconds } from '../lib/format.ts'
import { formatMoment, parseTime } from '../lib/time.ts'
import { Counts } from '../parts/Counts.tsx'
import { Heading } from '../parts/Heading.tsx'
import { QpuName, Took } from '../parts/JobTable.tsx'
import { ErrorBox, Loaded, Panel } from '../parts/Panel.tsx'
import { Status } from '../parts/Status.tsx'

/** Minimum interval between reloads of a pending job, whose queue position changes as other jobs end. */
const QUEUE_SPACING_MS = 3_000

/** One job, updated live until it ends. */
export function JobPage({ params }: PageProps) {
  const { api, watchJobs } = useApp()
  const id = params['id'] ?? ''
  const job = useMemo(
    () => createResource((abort) => api.get(`/api/jobs/${encodeURIComponent(id)}`, schema, abort)),
    [id],
  )
  useEffect(() => {
    void job.load()
    return watchJobs((event) => {
      if (event === undefined || event.record.id === id) job.loadSoon()
      else if (job.value.peek()?.status === 'pending') job.loadSoon(QUEUE_SPACING_MS)
    })
  }, [job])

  const found = job.value.value
  if (!found && job.error.value?.status === 404) return <NoSuchJob id={id} />
  return (
    <>
      <Heading
        title={
          <>
            Job <code>{id}</code>
          </>
        }
        lead={found && <Status {...jobCondition(found)} />}
      >
        {found?.status === 'pending' && <CancelButton id={id} cancelled={() => void job.load()} />}
        {found && (
          <a class="button" href={`/jobs/new?from=${id}`}>
            Edit and run again
          </a>
        )}
      </Heading>
      <div class="job">
        <Loaded of={job} task="read this job" rows={6}>
          {(value) => <Details job={value} />}
        </Loaded>
      </div>
    </>
  )
}

function Details({ job }: { job: Job }) {
  const failure = jobFailure(job)
  return (
    <>
      <Panel title="Progress">
        <Timeline job={job} />
        {job.status === 'pending' && job.waiting && (
          <p class="notice">
            Waiting: {job.waiting.text}
            {job.waiting.until && ` (until ${moment(job.waiting.until)})`}
          </p>
        )}
        {failure && (
          <p class="notice tone-bad">
            <strong>Failed.</strong> {failure}
          </p>
        )}
        <Facts job={job} />
      </Panel>
      {job.status === 'completed' && <Counts job={job} />}
      <Programs job={job} />
    </>
  )
}

/** Timeline of a job; steps that have not been reached are hollow. */
function Timeline({ job }: { job: Job }) {
  const submitted = parseTime(job.created)
  const after = (text: string | null | undefined) => {
    const at = parseTime(text)
    return at === undefined || submitted === undefined
      ? undefined
      : `+ ${formatSeconds((at - submitted) / 1_000)}`
  }
  const { word, tone } = jobCondition(job)
  const steps = [
    { name: 'Submitted', tone: 'ok', when: moment(job.created), reached: true },
    { name: 'Started', tone: 'ok', when: after(job.started_at), reached: Boolean(job.started_at) },
    {
      name: isFinished(job.status) ? word : 'Completed',
      tone,
      when: after(job.finished_at),
      reached: isFinished(job.status),
    },
  ]
  return (
    <ol class="timeline">
      {steps
        .filter(({ reached }) => reached || !isFinished(job.status))
        .map(({ name, when, reached, tone }) => (
          <li key={name} class={reached ? `reached tone-${tone}` : undefined}>
            <strong>{name}</strong>
            <span>{when ?? (reached ? '' : 'not yet')}</span>
          </li>
        ))}
    </ol>
  )
}

function Facts({ job }: { job: Job }) {
  const circuits = job.payload?.circuits?.length ?? 0
  return (
    <dl class="facts">
      <Fact name="QPU">
        <QpuName of={job} />
      </Fact>
      <Fact name="Shots">{formatCount(job.payload?.shots ?? 0)}</Fact>
      {job.status !== 'pending' && (
        <Fact name={isFinished(job.status) ? 'QPU time' : 'Running for'}>
          <Took job={job} />
        </Fact>
      )}
      {job.status === 'pending' && job.estimated_start && (
        <Fact name="Expected start">{describeSpan(job.estimated_start.from, job.estimated_start.to)}</Fact>
      )}
      {circuits > 1 && <Fact name="Circuits">{formatCount(circuits)}</Fact>}
      {(job.attempt ?? 0) > 1 && <Fact name="Attempt">{job.attempt}, after a restart</Fact>}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Programs({ job }: { job: Job }) {
  const circuits = job.payload?.circuits ?? []
  const [only] = circuits
  if (!only) return null
  if (circuits.length === 1) {
    return (
      <Panel title="Program">
        <Source text={only.circuit} name="Program" />
      </Panel>
    )
  }
  return (
    <Panel title="Programs">
      {circuits.map(({ circuit }, index) => (
        <details key={index}>
          <summary>Circuit {index + 1}</summary>
          <Source text={circuit} name={`Program of circuit ${index + 1}`} />
        </details>
      ))}
    </Panel>
  )
}

/** A scrolling text region that can be scrolled with the keyboard. */
function Source({ text, name }: { text: string; name: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by key
    <section class="source" aria-label={name} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  )
}

/** Cancels a pending job without a confirmation dialog, because "Edit and run again" restores it. */
function CancelButton({ id, cancelled }: { id: string; cancelled: () => void }) {
  const { api } = useApp()
  const error = useSignal<ApiError | undefined>(undefined)
  const cancel = async () => {
    try {
      await api.send(`/api/jobs/${id}/cancel`, {})
    } catch (failure) {
      error.value = asApiError(failure)
    }
    cancelled()
  }
  return (
    <>
      {error.value && <ErrorBox error={error.value} task="cancel the job" />}
      <button type="button" onClick={() => void cancel()}>
        Cancel job
      </button>
    </>
  )
}

function NoSuchJob({ id }: { id: string }) {
  return (
    <div class="empty">
      <h1 tabIndex={-1}>There is no such job</h1>
      <p>
        None of your jobs has the id <code>{id}</code>.
      </p>
      <a class="button" href="/">
        Go to the overview
      </a>
    </div>
  )
}

/** Describes an interval in the near future in words. */
function describeSpan(from: string, to: string): string {
  const now = Date.now()
  const seconds = (text: string) => Math.max(0, Math.ceil(((parseTime(text) ?? now) - now) / 1_000))
  const [first, last] = [seconds(from), seconds(to)]
  if (last <= 1) return 'now'
  return first <= 1 ? `within ${formatSeconds(last)}` : `in ${formatSeconds(first)} to ${formatSeconds(last)}`
}

function moment(text: string | null | undefined): string {
  const at = parseTime(text)
  return at === undefined ? '–' : formatMoment(at, Date.now())
}
