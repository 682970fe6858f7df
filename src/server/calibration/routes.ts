import { calibrationRequests } from '../../db/store/calibrations/index.ts'
import { callerName } from '../http/caller.ts'
import { presentRecord } from '../http/response/present-record.ts'
import { recordResponse } from '../http/response/record-response.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { CALIBRATION_ERRORS, calibrationOrder, requestCalibration } from './enqueue.ts'

/** Superusers queue calibrations; requests and reports are read through the record routes. */
export const calibrationRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/op/calibrate/dispatch',
    access: 'superuser',
    summary: 'Queue a calibration, or continue one that ended early; its tuner runs one at a time',
    body: calibrationOrder,
    headers: {
      'Idempotency-Key':
        'Repeating the request with the same key returns the same calibration; 1 to 255 characters',
    },
    statuses: [201, 404],
    errors: {
      ...CALIBRATION_ERRORS,
      calibration_not_ended: 409,
      nothing_to_resume: 409,
      idempotency_key_reused: 422,
    },
    response: recordResponse('CalibrationRequest', calibrationRequests),
    async run(context, { body, caller, request }) {
      const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
      const row = await requestCalibration(context, body, { actor: callerName(caller), idempotencyKey })
      return new Reply(201, presentRecord(calibrationRequests, row, context.db.names, { isSuperuser: true }))
    },
  }),
]
