import * as v from 'valibot'
import { AppError, type FieldError } from '../../base/index.ts'
import {
  type CalibrationRequest,
  calibrationRequests,
  insertCalibration,
} from '../../db/store/calibrations/index.ts'
import { saveResponse } from '../../db/store/jobs/index.ts'
import { CALIBRATION_LIMITS, calibrationMode, targetName } from '../../protocol/index.ts'
import type { ServerContext } from '../context.ts'
import { contentHash, earlierId, keyedRequest } from '../http/request/idempotency.ts'
import type { RouteErrors } from '../http/route.ts'

/** Qubits and edges to which a partial calibration is limited. */
export const targetQubits = v.pipe(v.array(targetName), v.maxLength(CALIBRATION_LIMITS.targets))

/** Body of `POST /api/op/calibrate/dispatch`. */
export const calibrationOrder = v.object({
  driver_id: v.pipe(v.string(), v.nonEmpty(), v.maxLength(100)),
  mode: calibrationMode,
  target_qubits: v.pipe(
    v.optional(v.nullable(targetQubits), []),
    v.transform((names) => names ?? []),
  ),
})
type CalibrationOrder = v.InferOutput<typeof calibrationOrder>

/** The reasons for which a tuner gets no calibration, as an order or as a record. */
export const CALIBRATION_ERRORS: RouteErrors = {
  not_a_tuner: 400,
  too_many_pending_calibrations: 409,
  driver_disabled: 503,
  qpu_disabled: 503,
}

interface Requester {
  /** The superuser, in the form of the audit log. */
  actor: string
  /** Repeating the order with the same key returns the same request. */
  idempotencyKey: string | undefined
}

const ROUTE = 'POST /api/op/calibrate/dispatch'

/**
 * Adds a calibration to the queue of its tuner.
 * @throws AppError `invalid` (`target_qubits` that do not fit the mode), `unprocessable`
 *   (`idempotency_key_reused`), and as `insertCalibration` does.
 */
export async function requestCalibration(
  { db }: Pick<ServerContext, 'db'>,
  order: CalibrationOrder,
  { actor, idempotencyKey }: Requester,
): Promise<CalibrationRequest> {
  const { driver_id: driver, mode, target_qubits: targets } = order
  assertFitsMode(mode, targets)
  const request = keyedRequest(idempotencyKey, {
    user: actor,
    route: ROUTE,
    bodyHash: idempotencyKey === undefined ? '' : contentHash([driver, mode, targets]),
  })
  return db.write('queue calibration', (tx) => {
    const earlier = earlierId(tx, request)
    const before = earlier === undefined ? undefined : tx.find(calibrationRequests, earlier)
    if (before) return before
    const row = insertCalibration(tx, { driver, mode, targetQubits: targets, actor })
    if (request) saveResponse(tx, request, { status: 201, response: { id: row.id } })
    return row
  })
}

/**
 * Checks that mode `partial` has targets and that the other modes have none.
 * @throws AppError `invalid`.
 */
export function assertFitsMode(mode: CalibrationOrder['mode'], targets: readonly string[]): void {
  const error = targetError(mode, targets)
  if (error) throw new AppError('invalid', 'Invalid request body', { fields: { target_qubits: error } })
}

function targetError(mode: CalibrationOrder['mode'], targets: readonly string[]): FieldError | undefined {
  if (mode === 'partial' && targets.length === 0) {
    return {
      code: 'validation_required',
      message: 'Mode partial needs at least one qubit or edge; mode full calibrates all.',
    }
  }
  if (mode !== 'partial' && targets.length > 0) {
    return {
      code: 'targets_without_partial',
      message: `Mode ${mode} calibrates all qubits; omit target_qubits or use mode partial.`,
    }
  }
  const duplicate = targets.find((name, at) => targets.indexOf(name) < at)
  return duplicate === undefined
    ? undefined
    : { code: 'validation_not_unique', message: `${duplicate} is listed twice.` }
}
