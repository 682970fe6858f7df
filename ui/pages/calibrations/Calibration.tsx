import { ApiError } from '../../api/api.ts'
import {
  type CalibrationReport,
  type CalibrationRequest,
  calibrationReport,
  calibrationRequests,
  tuners,
} from '../../api/model/calibrations.ts'
import { type App, useApp } from '../../app/app.ts'
import type { PageProps } from '../../app/page.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { ErrorBox, Loaded } from '../../parts/Panel.tsx'
import { listOf } from './reading/read-json.ts'
import { quoted, recordsPath } from './records.ts'
import { ReportView } from './report/ReportView.tsx'
import { RequestView } from './run/RequestView.tsx'

/** What the address of a calibration names: a request, or the report of a check without one. */
interface Found {
  request: CalibrationRequest | undefined
  report: CalibrationReport | undefined
}

/** One calibration: waiting, running, or its report. */
export function CalibrationPage({ params }: PageProps) {
  const app = useApp()
  const id = params['id'] ?? ''
  const found = useResource((abort) => find(app, id, abort), [id])
  useLive(`calibration_requests/${id}`, found.follow)
  const driver = found.value.value?.request?.driver ?? found.value.value?.report?.driver ?? ''
  const tuner = useResource(
    async (abort) => {
      if (!driver) return undefined
      const path = recordsPath(app, 'drivers', { filter: `id=${quoted(driver)}`, perPage: 1, skipTotal: 1 })
      return (await app.api.get(path, tuners, abort)).items[0]
    },
    [driver],
  )
  if (found.error.value?.status === 404) {
    return (
      <div class="empty">
        <h1 tabIndex={-1}>There is no such calibration</h1>
        <p>It may have been removed after the time for which calibrations are kept.</p>
        <a class="button" href="/calibrations">
          All calibrations
        </a>
      </div>
    )
  }
  return (
    <Loaded of={found} task="load the calibration" rows={8} title="Calibration">
      {({ request, report }) => {
        const qpu = report?.qpu || tuner.value.value?.qpu || ''
        const name = app.qpus.value.value?.find((one) => one.id === qpu)?.name
        const qpuName = name ?? tuner.value.value?.name ?? 'a QPU'
        const shared = { qpuName, qpu, tunerName: tuner.value.value?.name ?? '' }
        const isGivenUp = request?.status === 'failed' && report !== undefined && isEmpty(report)
        if (report && !isGivenUp) return <ReportView report={report} request={request} {...shared} />
        if (request) return <RequestView request={request} {...shared} reload={() => found.loadSoon(0)} />
        return <ErrorBox task="load the calibration" error={new ApiError(404, 'It does not exist')} />
      }}
    </Loaded>
  )
}

/** Reads lists rather than records, since it is no error that a drift check has no request. */
async function find(app: App, id: string, abort: AbortSignal): Promise<Found> {
  const wanted = { filter: `id=${quoted(id)}`, perPage: 1, skipTotal: 1 }
  const path = recordsPath(app, 'calibration_requests', wanted)
  const [request] = (await app.api.get(path, calibrationRequests, abort)).items
  const result = request ? request.result : id
  if (!result) return { request, report: undefined }
  const report = recordsPath(app, 'calibration_results', {}, result)
  return { request, report: await app.api.get(report, calibrationReport, abort) }
}

/** Whether a tuner reported nothing but its end: what the server knows of such a run says more. */
function isEmpty({ routines, skipped, benchmarks }: CalibrationReport): boolean {
  return [routines, skipped, benchmarks].every((list) => listOf(list).length === 0)
}
