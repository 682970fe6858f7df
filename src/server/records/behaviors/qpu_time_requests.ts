import { AppError, badField } from '../../../base/index.ts'
import type { Tx } from '../../../db/index.ts'
import { MAX_QPU_SECONDS, postLedger, qpuTimeRequests } from '../../../db/store/accounts/index.ts'
import { announceTimeRequest } from '../../../db/store/mail/index.ts'
import { defineBehavior } from '../behavior.ts'

/**
 * Requests for QPU time: created by users, decided once by superusers; an approval adds the requested seconds
 * to the balance, or `granted_seconds`.
 */
export const qpuTimeRequestsBehavior = defineBehavior(qpuTimeRequests, {
  owner: 'user',
  superuserOnly: ['granted_seconds', 'rejection_reason'],
  fixed: { create: ['status', 'granted_seconds'] },
  creating({ isSuperuser, tx, service }, values) {
    const { user } = values
    // Other values are not valid ids; the insert refuses them.
    if (!isSuperuser && typeof user === 'string') {
      refuseTooMany(tx, user, service.context.config.maxOpenTimeRequests)
    }
    refuseTooMuch(values['seconds'])
  },
  updating({ caller }, before, patch) {
    // Clients send 0 when they do not change the value.
    if (patch['seconds'] === 0) delete patch['seconds']
    const isDecided = patch['status'] !== undefined && patch['status'] !== before.status
    if (isDecided && caller.kind === 'superuser') patch['handled_by'] = caller.superuser.email
    if (patch['status'] === 'approved') patch['granted_seconds'] ||= before.seconds
    else delete patch['granted_seconds']
  },
  updated({ tx }, before, after) {
    if (before.status === 'pending' && after.status !== 'pending') announceTimeRequest(tx, after)
    if (before.status === 'approved' || after.status !== 'approved') return
    const deltaMs = Math.round(after.granted_seconds * 1_000)
    postLedger(tx, { user: after.user, kind: 'grant', sourceId: after.id, deltaMs })
  },
})

function refuseTooMany(tx: Tx, user: string, most: number): void {
  const open = tx.list(qpuTimeRequests, { where: { user, status: 'pending' }, limit: most }).length
  if (open < most) return
  const requests = open === 1 ? 'an open time request' : `${open} open time requests`
  throw new AppError('conflict', `You have ${requests}; wait for a decision or delete one`, {
    reason: 'too_many_open_requests',
  })
}

function refuseTooMuch(seconds: unknown): void {
  if (typeof seconds !== 'number' || seconds <= MAX_QPU_SECONDS) return
  const message = `Must be less or equal than ${MAX_QPU_SECONDS}.`
  throw badField('Failed to create record', 'seconds', message, {
    code: 'validation_max_number_constraint',
    params: { max: MAX_QPU_SECONDS },
  })
}
