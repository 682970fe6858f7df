import { AppError } from '../../base/index.ts'
import { textBytes } from '../../db/index.ts'
import { type Report, type ReportOutcome, storeReport } from '../../db/store/calibrations/index.ts'
import type { ServerContext } from '../context.ts'
import type { EventSource, ReceivedPayload } from '../drivers/receive.ts'

/**
 * Stores the report of a run and sets its request to `done`, in one transaction.
 * @throws AppError `storage_full` if nothing was stored; the tuner then has to send it again.
 */
export async function finishCalibration(
  { db }: Pick<ServerContext, 'db'>,
  { driver, qpu }: Pick<EventSource, 'driver' | 'qpu'>,
  payload: ReceivedPayload<'CalibrationReport'>,
): Promise<ReportOutcome> {
  const { run_id: run, request_id: request, mode = '', started_at, ended_at, ...findings } = payload
  const report: Report = {
    run,
    driver,
    qpu,
    request,
    mode,
    findings,
    startedAt: Date.parse(started_at),
    endedAt: Date.parse(ended_at),
  }
  const size = { bytes: textBytes(findings), account: driver }
  const store = (what: Report) => db.write('store report', (tx) => storeReport(tx, what), size)
  try {
    return await store(report)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error
    // Sent again, it would be refused again, and its request would run forever.
    const reason = Object.entries(error.fields).map(([field, { message }]) => `${field}: ${message}`)
    return store({
      ...report,
      findings: { ...EMPTY_FINDINGS, errors: [`The report cannot be stored: ${reason}`] },
    })
  }
}

const EMPTY_FINDINGS = {
  status: 'failed',
  backend: '',
  device_file: null,
  routines: [],
  benchmarks: [],
  skipped: [],
  notes: [],
} as const
