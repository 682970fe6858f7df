import * as v from 'valibot'
import { AppError, type FieldError } from '../../base/index.ts'
import type { ReadTx } from '../../db/index.ts'
import {
  type CalibrationRequest,
  calibrationRequests,
  insertCalibration,
  resumableCalibration,
} from '../../db/store/calibrations/index.ts'
import { saveResponse } from '../../db/store/jobs/index.ts'
import {
  CALIBRATION_LIMITS,
  type CalibrationMode,
  calibrationId,
  calibrationMode,
  targetName,
} from '../../protocol/index.ts'
import type { ServerContext } from '../context.ts'
import { contentHash, earlierId, keyedRequest } from '../http/request/idempotency.ts'
import type { RouteErrors } from '../http/route.ts'
import { described } from '../http/schema.ts'

/** Qubits and edges to which a partial calibration is limited. */
export const targetQubits = v.pipe(v.array(targetName), v.maxLength(CALIBRATION_LIMITS.targets))

/** Body of `POST /api/op/calibrate/dispatch`: a tuner and a mode, or the request that is to be continued. */
export const calibrationOrder = v.object({
  driver_id: v.optional(v.pipe(v.string(), v.nonEmpty(), v.maxLength(100))),
  mode: v.optional(calibrationMode),
  resume: v.optional(
    described(
      calibrationId,
      'An aborted or failed request whose finished steps are not repeated, in place of the other fields',
    ),
  ),
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
 * @throws AppError `invalid` (missing fields, `target_qubits` that do not fit the mode), `unprocessable`
 *   (`idempotency_key_reused`), and as `resumableCalibration` and `insertCalibration` do.
 */
export async function requestCalibration(
  { db }: Pick<ServerContext, 'db'>,
  order: CalibrationOrder,
  { actor, idempotencyKey }: Requester,
): Promise<CalibrationRequest> {
  const { driver_id: driver, mode, target_qubits: targets, resume } = order
  const wanted = ownOrder(order)
  const request = keyedRequest(idempotencyKey, {
    user: actor,
    route: ROUTE,
    bodyHash:
      idempotencyKey === undefined
        ? ''
        : contentHash([driver, mode, targets, ...(resume === undefined ? [] : [resume])]),
  })
  return db.write('queue calibration', (tx) => {
    const earlier = tx.read(earlierId(request, tx.now))
    const before = earlier === undefined ? undefined : tx.find(calibrationRequests, earlier)
    if (before) return before
    const row = insertCalibration(tx, { ...(wanted ?? continuation(tx, resume ?? '')), actor })
    if (request) saveResponse(tx, request, { status: 201, response: { id: row.id } })
    return row
  })
}

/**
 * What an order asks for that continues no other request; undefined for one that does.
 * @throws AppError `invalid`.
 */
function ownOrder({ driver_id: driver, mode, target_qubits: targetQubits, resume }: CalibrationOrder) {
  if (resume !== undefined) {
    const given = {
      driver_id: driver !== undefined,
      mode: mode !== undefined,
      target_qubits: targetQubits.length > 0,
    }
    const message = 'Is that of the request to continue: omit it.'
    assertNone('resume_with_others', message, given)
    return undefined
  }
  const missing = { driver_id: driver === undefined, mode: mode === undefined }
  assertNone('validation_required', 'Is missing; or name a request to continue in resume.', missing)
  if (driver === undefined || mode === undefined) throw new TypeError('missing fields are refused above')
  assertFitsMode(mode, targetQubits)
  return { driver, mode, targetQubits }
}

/** @throws AppError `invalid` that names the fields for which `faulty` is true. */
function assertNone(code: string, message: string, faulty: Readonly<Record<string, boolean>>): void {
  const fields = Object.entries(faulty).flatMap(([field, is]) =>
    is ? [[field, { code, message }] as const] : [],
  )
  if (fields.length > 0)
    throw new AppError('invalid', 'Invalid request body', { fields: Object.fromEntries(fields) })
}

function continuation(tx: ReadTx, request: string) {
  const { driver, mode, target_qubits, resumes } = resumableCalibration(tx, request)
  return { driver, mode, targetQubits: v.parse(v.nullish(targetQubits, []), target_qubits) ?? [], resumes }
}

/**
 * Checks that mode `partial` has targets and that the other modes have none.
 * @throws AppError `invalid`.
 */
export function assertFitsMode(mode: CalibrationMode, targets: readonly string[]): void {
  const error = targetError(mode, targets)
  if (error) throw new AppError('invalid', 'Invalid request body', { fields: { target_qubits: error } })
}

function targetError(mode: CalibrationMode, targets: readonly string[]): FieldError | undefined {
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
