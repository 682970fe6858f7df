import { AppError } from '../../../base/index.ts'
import { postLedger, qpuTimeRequests, type Tx } from '../../../db/index.ts'
import { defineBehaviour } from '../behaviour.ts'

/** Far beyond any request, and still whole milliseconds. */
const MAX_SECONDS = 1e12

/** Requests for QPU time: made by users, answered once by superusers, who thereby move the seconds. */
export const qpuTimeRequestsBehaviour = defineBehaviour(qpuTimeRequests, {
  owner: 'user',
  superuserOnly: ['rejection_reason'],
  fixed: { create: ['status'] },
  creating({ isSuperuser, tx, service }, values) {
    const { user } = values
    // Any other value is no id, which the insert refuses.
    if (!isSuperuser && typeof user === 'string') {
      refuseTooMany(tx, user, service.context.config.maxOpenTimeRequests)
    }
    refuseTooMuch(values['seconds'])
  },
  updating({ caller }, before, patch) {
    // Clients send 0 for what they leave alone.
    if (patch['seconds'] === 0) delete patch['seconds']
    const isAnswered = patch['status'] !== undefined && patch['status'] !== before.status
    if (isAnswered && caller.kind === 'superuser') patch['handled_by'] = caller.superuser.email
  },
  updated({ tx }, before, after) {
    if (before.status === 'approved' || after.status !== 'approved') return
    const deltaMs = Math.round(after.seconds * 1_000)
    postLedger(tx, { user: after.user, kind: 'grant', sourceId: after.id, deltaMs })
  },
})

function refuseTooMany(tx: Tx, user: string, most: number): void {
  const open = tx.list(qpuTimeRequests, { where: { user, status: 'pending' }, limit: most }).length
  if (open < most) return
  throw new AppError('conflict', `You have ${open} open time requests; wait for an answer or delete one`, {
    reason: 'too_many_open_requests',
  })
}

function refuseTooMuch(seconds: unknown): void {
  if (typeof seconds !== 'number' || seconds <= MAX_SECONDS) return
  const message = `Must be less or equal than ${MAX_SECONDS}.`
  throw new AppError('invalid', 'Failed to create record', {
    fields: { seconds: { code: 'validation_max_number_constraint', message, params: { max: MAX_SECONDS } } },
  })
}
