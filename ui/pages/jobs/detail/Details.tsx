import { useMemo } from 'preact/hooks'
import type { Job, PartialResults } from '../../../api/model/jobs.ts'
import { countsOfResult } from '../../../jobs/counts.ts'
import { executionsOf, partOf } from '../../../jobs/jobs.ts'
import { describeCharge, jobFailure } from '../../../jobs/status.ts'
import { formatSeconds } from '../../../lib/format.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { Facts } from './Facts.tsx'
import { History, ProgressLine, Timeline } from './History.tsx'
import { Origin } from './Origin.tsx'
import { Programs, type ProgramsProps } from './Programs.tsx'
import { Results } from './Results.tsx'
import { SweepPanel } from './sweep/Sweep.tsx'

interface DetailsProps extends ProgramsProps {
  /** The path of the API from which it was read. */
  path: string
  /** The name that is shown, if any. */
  owner: string | undefined
  /** Results of circuits that have ended, of a job that has not completed. */
  ended?: PartialResults | undefined
  /** Read through a link, by a person who may read nothing else of it. */
  isShared?: boolean
}

const NONE: PartialResults = []

/** Progress, results and programs of a job; what it has to show comes first. */
export function Details({ job, path, source, owner, ended = NONE, isShared = false }: DetailsProps) {
  const part = useMemo(() => (ended.length > 0 ? partOf(job, ended) : undefined), [job, ended])
  const shown = job.status === 'completed' ? job : part
  const details = (
    <>
      <Facts job={job} owner={owner} isShared={isShared} />
      <History job={job} />
      <Origin job={job} />
    </>
  )
  if (!shown)
    return (
      <>
        <Panel title="Progress">
          <Timeline job={job} />
          <Notices job={job} ended={0} />
          {details}
        </Panel>
        <Programs job={job} source={source} />
      </>
    )
  return (
    <>
      <div>
        <ProgressLine job={job} />
        <Notices job={job} ended={ended.length} />
      </div>
      <SweepPanel job={shown} />
      <div class={hasWideResults(shown) ? 'wide' : undefined}>
        <Results job={shown} path={job.status === 'completed' ? path : `${path}/partial-results`} />
      </div>
      <Programs job={job} source={source} />
      <div class="whole">
        <Panel title="Details">{details}</Panel>
      </div>
    </>
  )
}

/** Outcomes whose bars have space for their labels beside the programs. */
const MAX_NARROW_OUTCOMES = 32

/** Whether the bars of a result need the whole width of the page. */
function hasWideResults({ results }: Job): boolean {
  return (results?.circuit_results ?? []).some(
    (result) => Object.keys(countsOfResult(result) ?? {}).length > MAX_NARROW_OUTCOMES,
  )
}

/** What a reader of the result has to know. */
function Notices({ job, ended }: { job: Job; ended: number }) {
  const failure = jobFailure(job)
  return (
    <>
      {job.status === 'pending' && job.waiting && (
        <p class="notice">
          Waiting: {job.waiting.text}
          {job.waiting.since && (
            <>
              {' '}
              (since <Moment at={job.waiting.since} />)
            </>
          )}
          {job.waiting.until && (
            <>
              {' '}
              (until <Moment at={job.waiting.until} />
              {job.waiting.code === 'in_session' && <LatestStart start={job.estimated_start} />})
            </>
          )}{' '}
          <a href="/docs/how-to/use-the-dashboard#why-a-job-waits">What you can do</a>
        </p>
      )}
      {failure && (
        <p class="notice tone-bad">
          <strong>Failed.</strong> {failure} <span class="soft">{describeCharge(job)}</span>{' '}
          <a href="/docs/reference/jobs#charges">What is charged</a>
        </p>
      )}
      {job.recalled && (
        <p class="notice tone-warn">
          <strong>Recalled.</strong> Do not rely on this result
          {job.recalled.reason && `: ${job.recalled.reason}`} (
          <Moment at={job.recalled.at} />){' '}
          {job.charged_seconds ? `Its charge of ${formatSeconds(job.charged_seconds)} is refunded.` : ''}
        </p>
      )}
      {job.disturbed_by && (
        <p class="notice tone-warn">
          <a href={`/calibrations/${job.disturbed_by}`}>A calibration</a> ran on the QPU while this job did:
          its results may be wrong.
        </p>
      )}
      {ended > 0 && <Incomplete job={job} ended={ended} />}
    </>
  )
}

/** When a job starts after a session that lasts as long as it may. */
function LatestStart({ start }: { start: Job['estimated_start'] }) {
  if (!start) return <> at the latest</>
  return (
    <>
      {' '}
      at the latest, so the job starts by <Moment at={start.to} />
    </>
  )
}

/** That the results which are shown are incomplete. */
function Incomplete({ job, ended }: { job: Job; ended: number }) {
  const isRunning = job.status === 'running'
  return (
    <p class={`notice ${isRunning ? '' : 'tone-warn'}`} role="status">
      <strong>Incomplete results.</strong> {ended} of {executionsOf(job).length} circuits have ended
      {isRunning ? '; the others follow while the job runs.' : ` in attempt ${job.attempt}.`}{' '}
      <a href="/docs/reference/jobs#results-before-the-end-of-a-job">About incomplete results</a>
    </p>
  )
}
