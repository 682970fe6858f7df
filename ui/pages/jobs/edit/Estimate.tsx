import { type Job, jobs as jobsSchema } from '../../../api/model/jobs.ts'
import { useApp } from '../../../app/app.ts'
import { useResource } from '../../../app/use-resource.ts'
import type { Draft } from '../../../jobs/draft.ts'
import type { Expected } from '../../../jobs/fidelity/expected-fidelity.ts'
import { executionsOf } from '../../../jobs/submission.ts'
import { formatCount, formatNumberOf, formatSeconds } from '../../../lib/format.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { Row } from './EstimateRow.tsx'
import { ExpectedFidelity } from './ExpectedFidelity.tsx'
import type { QpuState } from './qpu-state.ts'

/** Recent jobs that the estimate is made from. */
const RECENT = 20
const FIELDS = 'fields=id,status,shots,duration'

interface EstimateProps {
  draft: Draft
  state: QpuState | undefined
  fidelity: Expected | undefined
}

/** What the job will cost and when it may start, and how the estimate is made. */
export function Estimate({ draft, state, fidelity }: EstimateProps) {
  const { api, account } = useApp()
  const { qpu } = draft
  const on = qpu && `&qpu=${encodeURIComponent(qpu)}`
  const recent = useResource(
    (abort) => api.get(`/api/jobs?status=completed&limit=${RECENT}&${FIELDS}${on}`, jobsSchema, abort),
    [qpu],
  )
  const perShot = medianPerShot(recent.value.value ?? [])
  const balance = account.value?.qpu_seconds
  const seconds = perShot === undefined ? undefined : executionsOf(draft) * Number(draft.shots) * perShot
  return (
    <Panel title="Estimate">
      <dl class="estimate">
        {seconds === undefined || perShot === undefined ? (
          <Row name="QPU time">after your first job</Row>
        ) : (
          <Cost draft={draft} seconds={seconds} perShot={perShot} balance={balance} />
        )}
        {state && <Start state={state} />}
        {state && fidelity && <ExpectedFidelity state={state} fidelity={fidelity} />}
      </dl>
    </Panel>
  )
}

interface CostProps {
  draft: Draft
  seconds: number
  perShot: number
  balance: number | undefined
}

function Cost({ draft, seconds, perShot, balance }: CostProps) {
  const executions = executionsOf(draft)
  return (
    <>
      <Row name="QPU time">≈ {formatSeconds(Number(seconds.toPrecision(2)))}</Row>
      <Row name="From your last jobs">
        {executions > 1 && `${formatCount(executions)} × `}
        {formatCount(Number(draft.shots))} shots × {formatPerShot(perShot)}
      </Row>
      {balance !== undefined && (
        <Row name="Balance after">{formatSeconds(Math.max(0, balance - seconds))}</Row>
      )}
    </>
  )
}

function Start({ state: { queue_length: queued, holder } }: { state: QpuState }) {
  return (
    <>
      {typeof queued === 'number' && (
        <Row name="Queue">{queued === 0 ? 'empty' : `${formatNumberOf(queued, 'job')} first`}</Row>
      )}
      {holder && (
        <Row name={holder.mine ? 'Your slot until' : 'Booked until'}>
          <Moment at={holder.until} />
        </Row>
      )}
    </>
  )
}

/** The median time of one shot of finished jobs, s; undefined without jobs. */
function medianPerShot(jobs: readonly Job[]): number | undefined {
  const times = jobs
    .flatMap(({ duration, shots }) => (duration && shots ? [duration / shots] : []))
    .sort((a, b) => a - b)
  return times[Math.floor(times.length / 2)]
}

function formatPerShot(seconds: number): string {
  const [scale, unit] = seconds < 1e-6 ? [1e9, 'ns'] : seconds < 1e-3 ? [1e6, 'µs'] : [1e3, 'ms']
  return `${Number((seconds * Number(scale)).toPrecision(2))} ${unit}`
}
