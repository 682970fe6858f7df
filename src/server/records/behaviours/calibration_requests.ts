import { AppError } from '../../../base/index.ts'
import { calibrationRequests } from '../../../db/index.ts'
import { defineBehaviour } from '../behaviour.ts'

const ENDED = ['done', 'failed']

/** Calibration requests: the tuner moves them; a superuser may give one up, which lets the next one through. */
export const calibrationRequestsBehaviour = defineBehaviour(calibrationRequests, {
  creating(_, values) {
    if (values['status'] !== undefined && values['status'] !== 'pending') throw refused()
  },
  updating({ tx }, before, patch) {
    const { status } = patch
    if (status === undefined || status === before.status) return
    if (status !== 'failed' || ENDED.includes(before.status)) throw refused()
    patch['finished_at'] = tx.at
  },
})

function refused(): AppError {
  const message = 'Is set by the tuner; a pending or running request can only be set to failed.'
  return new AppError('invalid', 'The status of a calibration request follows its tuner', {
    reason: 'read_only_field',
    fields: { status: { code: 'read_only_field', message } },
  })
}
