import * as v from 'valibot'
import { type AppError, badField } from '../../../base/index.ts'
import { appendAudit } from '../../../db/journal/index.ts'
import {
  announceFailedRequest,
  assertMayCalibrate,
  calibrationRequests,
} from '../../../db/store/calibrations/index.ts'
import { calibrationMode } from '../../../protocol/index.ts'
import { assertFitsMode, targetQubits } from '../../calibration/enqueue.ts'
import { callerName } from '../../http/caller.ts'
import { defineBehavior } from '../behavior.ts'

const ENDED = ['done', 'failed']
/** Set by the tuner and the queue. */
const MOVED_BY_TUNER = ['progress', 'started_at', 'finished_at', 'result', 'requested_by', 'resumes'] as const

/**
 * Calibration requests: made as by the dispatch route, moved by their tuner; a superuser may give one up,
 * which ends its run and lets the next one through.
 */
export const calibrationRequestsBehavior = defineBehavior(calibrationRequests, {
  fixed: { create: MOVED_BY_TUNER, update: ['driver', 'mode', 'target_qubits', ...MOVED_BY_TUNER] },
  creating({ tx, caller }, values) {
    if (values['status'] !== undefined && values['status'] !== 'pending') throw refused()
    const mode = v.safeParse(calibrationMode, values['mode'])
    // Other values are refused by the validation of the collection, together with all invalid fields.
    if (!mode.success || typeof values['driver'] !== 'string') return
    assertFitsMode(mode.output, readTargets(values['target_qubits']))
    assertMayCalibrate(tx, values['driver'])
    values['requested_by'] = callerName(caller)
  },
  updating({ tx }, before, patch) {
    const { status } = patch
    if (status === undefined || status === before.status) return
    if (status !== 'failed' || ENDED.includes(before.status)) throw refused()
    patch['finished_at'] = tx.at
  },
  updated({ tx, caller }, before, after) {
    if (after.status !== 'failed' || before.status === 'failed') return
    const detail = { driver: after.driver, was: before.status }
    appendAudit(tx, { actor: callerName(caller), action: 'calibration.fail', subject: after.id, detail })
    announceFailedRequest(tx, after.id)
  },
  committed({ service }, { before, after }) {
    if (before?.status !== 'running' || after?.status === 'running') return
    service.context.hub.send(before.driver, { type: 'StopCalibration', run_id: before.run_id })
  },
})

function readTargets(value: unknown): string[] {
  const read = v.safeParse(v.nullish(targetQubits, []), value)
  if (read.success) return read.output ?? []
  const message = `${read.issues[0].message}.`
  throw badField('Failed to create record', 'target_qubits', message)
}

function refused(): AppError {
  const message = 'Is set by the tuner; a pending or running request can only be set to failed.'
  return badField('The status of a calibration request follows its tuner', 'status', message, {
    reason: 'read_only_field',
  })
}
