import type { Job } from '../../../api/model/jobs.ts'
import { describeCharge, jobFailure } from '../../../jobs/status.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { Facts } from './Facts.tsx'
import { History, Timeline } from './History.tsx'
import { Origin } from './Origin.tsx'
import { Programs } from './Programs.tsx'
import { Results } from './Results.tsx'
import { SweepPanel } from './sweep/Sweep.tsx'

/** Progress, results and programs of a job; `owner` is the name that is shown, if any. */
export function Details({ job, owner }: { job: Job; owner: string | undefined }) {
  const failure = jobFailure(job)
  return (
    <>
      <Panel title="Progress">
        <Timeline job={job} />
        {job.status === 'pending' && job.waiting && (
          <p class="notice">
            Waiting: {job.waiting.text}
            {job.waiting.until && (
              <>
                {' '}
                (until <Moment at={job.waiting.until} />)
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
          <p class="notice tone-bad">
            <strong>Recalled.</strong> Do not rely on this result: {job.recalled.reason} (
            <Moment at={job.recalled.at} />)
          </p>
        )}
        {job.disturbed_by && (
          <p class="notice tone-warn">
            <a href={`/calibrations/${job.disturbed_by}`}>A calibration</a> ran on the QPU while this job did:
            its results may be wrong.
          </p>
        )}
        <Facts job={job} owner={owner} />
        <History job={job} />
        <Origin job={job} />
      </Panel>
      {job.status === 'completed' && <SweepPanel job={job} />}
      {job.status === 'completed' && <Results job={job} />}
      <Programs job={job} />
    </>
  )
}
