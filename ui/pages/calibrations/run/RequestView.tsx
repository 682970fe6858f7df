import { asApiError } from '../../../api/api.ts'
import { type CalibrationRequest, calibrationRequest } from '../../../api/model/calibrations.ts'
import { useApp } from '../../../app/app.ts'
import { formatSeconds } from '../../../lib/format.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Breadcrumb, Heading, Panel } from '../../../parts/Panel.tsx'
import { Status } from '../../../parts/Status.tsx'
import { useAsk } from '../../../parts/use-confirm.ts'
import { Continue } from '../Continue.tsx'
import { recordsPath } from '../records.ts'
import { requestCondition, secondsBetween, targetsText, titleOf } from '../words.ts'
import { ResultsPanel } from './ResultsPanel.tsx'
import { RunView } from './RunView.tsx'
import { readProgress } from './read-progress.ts'

interface RequestViewProps {
  request: CalibrationRequest
  qpu: string
  qpuName: string
  tunerName: string
  reload: () => void
}

/** A calibration without a report: it waits, it runs, or it failed before it had one. */
export function RequestView({ request, qpu, qpuName, tunerName, reload }: RequestViewProps) {
  const app = useApp()
  const ask = useAsk()
  const isOpen = request.status === 'pending' || request.status === 'running'
  const giveUp = async () => {
    const { confirmed, reason } = await ask({
      title: 'Mark the calibration as failed?',
      body:
        request.status === 'running'
          ? 'The tuner finishes its current step and restores the currents; nothing is written to the device file. The next calibration starts then.'
          : 'The tuner does not start it. Nothing has been measured.',
      action: 'Mark as failed',
      tone: 'bad',
      reason: { label: 'Reason', required: true },
    })
    if (!confirmed) return
    try {
      const path = recordsPath(app, 'calibration_requests', {}, request.id)
      await app.api.patch(path, { status: 'failed', error: reason }, calibrationRequest)
      reload()
    } catch (error) {
      app.toast(`Could not mark the calibration as failed. ${asApiError(error).message}`, 'bad')
    }
  }
  return (
    <>
      <Breadcrumb href="/calibrations" list="Calibrations">
        <code>{request.id}</code>
      </Breadcrumb>
      <Heading
        title={
          <>
            {titleOf(request.mode, qpuName)} <Status {...requestCondition(request)} />
          </>
        }
        lead={<Lead request={request} tunerName={tunerName} />}
      >
        {isOpen && app.superuser.value && (
          <button type="button" onClick={giveUp}>
            Mark failed…
          </button>
        )}
        <Continue request={request} />
      </Heading>
      {request.status === 'running' && (
        <RunView request={request} progress={readProgress(request.progress)} qpu={qpu} qpuName={qpuName} />
      )}
      {request.status === 'failed' && (
        <div class="stack">
          <Failed request={request} />
          <ResultsPanel progress={readProgress(request.progress)} title="Results until then" />
        </div>
      )}
    </>
  )
}

function Lead({ request, tunerName }: { request: CalibrationRequest; tunerName: string }) {
  const by = tunerName && (
    <>
      , tuner <strong>{tunerName}</strong>
    </>
  )
  const targets = targetsText(request.target_qubits)
  const what = targets === 'all' ? 'All qubits and edges' : `Targets ${targets}`
  if (request.status === 'pending') {
    return (
      <>
        {what}
        {by}. Requested at <Moment at={request.created} />, waits until the tuner is online and free.
      </>
    )
  }
  if (request.status === 'running') {
    return (
      <>
        {what}
        {by}. Nothing is written to the device file before the end.
      </>
    )
  }
  const lasted = secondsBetween(request.started_at, request.finished_at)
  return (
    <>
      {what}
      {by}. Ended at <Moment at={request.finished_at} />
      {lasted !== undefined && ` after ${formatSeconds(Math.round(lasted))}`} without results.
    </>
  )
}

function Failed({ request }: { request: CalibrationRequest }) {
  const { step, total, routine, target } = readProgress(request.progress)
  return (
    <Panel title="Why it failed">
      <div class="notice tone-bad">
        <p>{request.error || 'No reason is given.'}</p>
      </div>
      <p class="padded soft">
        {total > 0
          ? `The last step that the tuner reported was ${step} of ${total}${routine && `: ${routine}`}${target && ` on ${target}`}. `
          : 'The tuner reported no step. '}
        The device file keeps its old values.
      </p>
    </Panel>
  )
}
