import { AppError } from '../../base/index.ts'
import { defineCollection } from '../schema/collection.ts'
import { choice, number, relation, text } from '../schema/fields/index.ts'

const OWN = 'user = @request.auth.id'

/** Far above any balance or request, and still exact in milliseconds. */
export const MAX_QPU_SECONDS = 1e12

/** Users' requests for more QPU time. */
export const qpuTimeRequests = defineCollection({
  name: 'qpu_time_requests',
  fields: {
    user: relation('users', { required: true, cascade: true }),
    seconds: number({ required: true, min: 0 }),
    granted_seconds: number({ min: 0, max: MAX_QPU_SECONDS, help: 'What was approved; 0 = not decided' }),
    status: choice(['pending', 'approved', 'rejected'], { default: 'pending' }),
    requested_reason: text(),
    rejection_reason: text(),
    handled_by: text({ readOnly: true }),
  },
  rules: {
    list: OWN,
    view: OWN,
    create: `@request.auth.id != "" && (user = "" || ${OWN}) && (status = "" || status = "pending")`,
    update: null,
    remove: `${OWN} && status = "pending"`,
  },
  indexes: [['user', 'status']],
  hooks: {
    beforeUpdate({ before, after }) {
      if (before.status !== 'pending') {
        throw new AppError('invalid', 'Processed requests cannot be changed', { reason: 'already_processed' })
      }
      const fields = {
        ...(after.user === before.user ? {} : { user: UNCHANGEABLE }),
        ...(after.seconds === before.seconds ? {} : { seconds: UNCHANGEABLE }),
      }
      if (Object.keys(fields).length > 0) throw new AppError('invalid', 'Failed to update record', { fields })
    },
  },
})

const UNCHANGEABLE = {
  code: 'validation_unchangeable',
  message: 'Cannot be changed after the request was made.',
}
