import type { CalibrationRequest, Tuner } from '../../api/model/calibrations.ts'
import { useApp } from '../../app/app.ts'
import { formatSeconds } from '../../lib/format.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { readProgress } from './run/read-progress.ts'
import { modeName, requestCondition, secondsBetween, targetsText } from './words.ts'

interface QueueTableProps {
  requests: readonly CalibrationRequest[]
  tuners: readonly Tuner[]
}

/** Requested calibrations, with their progress or the reason of their end. */
export function QueueTable({ requests, tuners }: QueueTableProps) {
  const { qpus } = useApp()
  const qpuOf = ({ driver }: CalibrationRequest) => {
    const tuner = tuners.find(({ id }) => id === driver)
    return qpus.value.value?.find(({ id }) => id === tuner?.qpu)?.name ?? tuner?.name ?? driver
  }
  const columns: Column<CalibrationRequest>[] = [
    { title: 'QPU', cell: qpuOf },
    { title: 'Status', cell: (request) => <Status {...requestCondition(request)} />, phone: 'state' },
    { title: 'Mode', cell: ({ mode }) => modeName(mode) },
    { title: 'Targets', cell: ({ target_qubits }) => targetsText(target_qubits) },
    { title: 'Progress', cell: (request) => <Progress request={request} />, phone: 'wide' },
    { title: 'Requested', cell: ({ created }) => <Moment at={created} />, number: true },
  ]
  return (
    <DataTable
      label="Requested calibrations"
      rows={requests}
      columns={columns}
      id={({ id }) => id}
      href={({ id }) => `/calibrations/${id}`}
    />
  )
}

function Progress({ request }: { request: CalibrationRequest }) {
  if (request.status === 'failed') {
    const lasted = secondsBetween(request.started_at, request.finished_at)
    return (
      <span class="clipped" title={request.error}>
        {request.error || 'No reason given'}
        {lasted !== undefined && <span class="soft"> · after {formatSeconds(Math.round(lasted))}</span>}
      </span>
    )
  }
  if (request.status !== 'running') return <span class="soft">waits for its tuner</span>
  const { step, total, routine, target } = readProgress(request.progress)
  if (total === 0) return <span class="soft">starting</span>
  return (
    <span>
      step {step} of {total}
      {routine && <span class="soft">: {[routine, target].filter(Boolean).join(' on ')}</span>}
    </span>
  )
}
