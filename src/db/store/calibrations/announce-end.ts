import type { SqlWriter } from '../../engine/sql.ts'
import { queueWebhookEvent } from '../../journal/webhook-events.ts'

/** The end of a calibration, as webhooks receive it. */
interface EndedCalibration {
  /** Id of the request; '' for a run that the tuner started itself. */
  request: string
  /** Id of the report in `calibration_results`; '' without a report. */
  result: string
  driver: string
  qpu: string
  /** Status of the report, or `failed` without one. */
  status: string
  error: string
}

/** Maximum length of the error in a delivery; the report has the whole text. */
const MAX_ERROR_LENGTH = 1_000

/** Queues the webhook deliveries for the end of a calibration, in the transaction that ends it. */
export function announceCalibrationEnd(tx: SqlWriter, end: EndedCalibration): void {
  const { request, result, error } = end
  queueWebhookEvent(tx, {
    kind: 'calibration.ended',
    data: { id: result || request, ...end, error: error.slice(0, MAX_ERROR_LENGTH) },
  })
}

/** The same for a request that ended without a report. */
export function announceFailedRequest(tx: SqlWriter, request: string): void {
  const row = tx.one<{ driver: string; qpu: string; error: string }>(
    `SELECT drivers.id AS driver, drivers.qpu, request.error FROM calibration_requests request
     JOIN drivers ON drivers.id = request.driver WHERE request.id = $request`,
    { request },
  )
  if (row) announceCalibrationEnd(tx, { request, result: '', status: 'failed', ...row })
}
