import { formatQualityCondition } from '../../../../src/base/portable/quality-condition.ts'
import { asApiError } from '../../../api/api.ts'
import type { Job } from '../../../api/model/jobs.ts'
import { useApp } from '../../../app/app.ts'
import { useNow } from '../../../app/use-now.ts'
import { basisText, isMeasured, secondsText, seedOf, shotsOf } from '../../../jobs/jobs.ts'
import { isFinished } from '../../../jobs/status.ts'
import { formatColumnSeconds, formatCount, formatOrdinal, formatSeconds } from '../../../lib/format.ts'
import { parseTime } from '../../../lib/time.ts'
import { Fact } from '../../../parts/table/Fact.tsx'
import { QpuName, Took } from '../JobTable.tsx'
import { Since } from './calibration/Since.tsx'

const LEVELS = ['Traces', 'IQ points', 'Counts']

/** The facts of a job. */
export function Facts({ job, owner, isShared }: { job: Job; owner: string | undefined; isShared: boolean }) {
  const { payload, charged_seconds: charged } = job
  const circuits = payload?.circuits ?? []
  const seed = seedOf(job)
  const executions = circuits.reduce((sum, { parameter_values: sets }) => sum + (sets?.length || 1), 0)
  return (
    <dl class="facts">
      <Fact name="QPU">
        <QpuName of={job} />
      </Fact>
      <Fact name="Shots">{shotsOf(job)}</Fact>
      {job.status !== 'pending' && job.status !== 'cancelled' && (
        <Fact name={isFinished(job.status) ? 'QPU time' : 'Running for'}>
          <Took job={job} format={formatColumnSeconds} />
        </Fact>
      )}
      {typeof charged === 'number' && <Fact name="Charged">{formatColumnSeconds(charged)}</Fact>}
      <Expected job={job} />
      <Required condition={payload?.require} />
      {job.status === 'pending' && <QueueFacts job={job} />}
      {executions > 1 && (
        <Fact name="Circuits">
          {formatCount(circuits.length)}
          {executions !== circuits.length && `, ${formatCount(executions)} with parameters`}
        </Fact>
      )}
      {payload && payload.meas_level !== 2 && <Fact name="Result">{LEVELS[payload.meas_level]}</Fact>}
      {seed !== undefined && <Fact name="Seed">{seed}</Fact>}
      {(job.attempt ?? 0) > 1 && <Fact name="Attempt">{job.attempt}, after a restart</Fact>}
      {job.calibration?.before.report ? (
        <Fact name="Calibrated">
          <Since job={job} isShared={isShared} />
        </Fact>
      ) : (
        job.calibration?.changed && <Fact name="Calibration">changed while it ran</Fact>
      )}
      {owner && <Fact name="Owner">{owner}</Fact>}
      <Tags tags={job.tags ?? []} />
      <ReceiptFact job={job} isShared={isShared} />
    </dl>
  )
}

/** The quality that its qubits and pairs must have. */
function Required({ condition }: { condition: Readonly<Record<string, string>> | undefined }) {
  return condition ? <Fact name="Required">{formatQualityCondition(condition)}</Fact> : null
}

/** The signed document that `svc verify` checks. */
function ReceiptFact({ job: { id, status }, isShared }: { job: Job; isShared: boolean }) {
  const { api, toast } = useApp()
  if (isShared || !isFinished(status)) return null
  const download = () =>
    api.download(`/api/jobs/${id}/receipt`, `receipt-${id}.json`).catch((failure: unknown) => {
      toast(asApiError(failure).message, 'bad')
    })
  return (
    <Fact name="Receipt">
      <button
        type="button"
        class="link"
        title="Signed by the server; svc verify checks it"
        onClick={download}
      >
        Download
      </button>
    </Fact>
  )
}

/** What was expected of it at its submission, and what it may use at most. */
function Expected({ job: { status, started_at, estimate, max_seconds: most } }: { job: Job }) {
  const elapsedMs = useNow(1_000).value - (parseTime(started_at) ?? Number.POSITIVE_INFINITY)
  return (
    <>
      {estimate && isMeasured(estimate) && (
        <Fact name="Estimated">
          <span title={`From ${basisText(estimate)}`}>{secondsText(estimate.qpu_seconds)}</span>
          {status === 'running' && elapsedMs > estimate.qpu_seconds.to * 1_000 && ', takes longer'}
        </Fact>
      )}
      {most && <Fact name="Limit">{formatColumnSeconds(most)} of QPU time</Fact>}
    </>
  )
}

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null
  return (
    <Fact name="Tags">
      {tags.map((tag) => (
        <a key={tag} class="tag" href={`/jobs?tag=${encodeURIComponent(tag)}`}>
          {tag}
        </a>
      ))}
    </Fact>
  )
}

function QueueFacts({ job: { queue_position: position, estimated_start: start } }: { job: Job }) {
  return (
    <>
      {position && <Fact name="Position">{formatOrdinal(position)} in the queue</Fact>}
      {start && <Fact name="Expected start">{describeSpan(start.from, start.to)}</Fact>}
    </>
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
