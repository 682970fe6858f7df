import { AppError, badField } from '../../../base/index.ts'
import type { Tx } from '../../../db/index.ts'
import { findUser } from '../../../db/store/accounts/index.ts'
import { cancelJob, type Job, quantumJobs } from '../../../db/store/jobs/index.ts'
import { type Caller, callerName } from '../../http/caller.ts'
import { readDts } from '../../jobs/chip/dt-of-qpus.ts'
import { jobShape } from '../../jobs/responses.ts'
import {
  accepted,
  ExaminedPayload,
  examineBody,
  examineRecord,
  submissionOf,
} from '../../jobs/submission/examine.ts'
import { submitJob } from '../../jobs/submission/submit.ts'
import { COMPUTED_FROM, errorOf, tagsOf } from '../../jobs/view.ts'
import { type Draft, defineBehavior, type Values } from '../behavior.ts'

/** Set on submission and by the queue. */
const MOVED_BY_QUEUE = ['finished_at', 'duration', 'results'] as const

/** Jobs: submitted as by the job routes, and changed by the queue only. */
export const quantumJobsBehavior = defineBehavior(quantumJobs, {
  owner: 'user_id',
  fixed: {
    create: ['id', 'status', ...MOVED_BY_QUEUE],
    update: ['user_id', 'qpu_target', 'payload', ...MOVED_BY_QUEUE],
  },
  computedShape: jobShape,
  computedFrom: COMPUTED_FROM,
  computed: (_, all) => all.map((job) => ({ error: errorOf(job), tags: tagsOf(job) })),
  receive({ service, caller }, body, request) {
    if (caller.kind === 'user') service.submissions.take(callerName(caller))
    const isKeyed = request.headers.has('idempotency-key')
    return examineRecord(body, { ...examinerOf(service), account: callerName(caller), isKeyed })
  },
  async submit(draft, request) {
    const { service } = draft
    const caller = await submitterOf(draft)
    const { payload } = draft.body
    const isReceived = payload instanceof ExaminedPayload
    if (caller.kind === 'user' && !draft.isSuperuser && !isReceived)
      service.submissions.take(callerName(caller))
    const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
    refuseId(draft.body)
    const examiner = {
      ...examinerOf(service),
      account: callerName(caller),
      isKeyed: idempotencyKey !== undefined,
    }
    const outcome = isReceived ? payload.outcome : await examineBody(submissionOf(draft.body), examiner)
    // Superusers submit for themselves or for a user.
    const actor = draft.isSuperuser && caller !== draft.caller ? callerName(draft.caller) : undefined
    return (await submitJob(service.context, caller, accepted(outcome), { idempotencyKey, actor })).id
  },
  updating({ tx }, before, patch) {
    const { status } = patch
    delete patch['status']
    if (status !== undefined && status !== before.status) cancel(tx, before, status)
  },
  removing(_, { status }) {
    if (status !== 'running') return
    throw new AppError('conflict', 'The job is running; delete it after it has ended', {
      reason: 'job_running',
    })
  },
})

function examinerOf({ context }: Draft['service']) {
  return { thread: context.submissionThread, dts: (target?: string) => readDts(context, target) }
}

/** The caller to submit for: a superuser may name a user, other callers submit for themselves. */
async function submitterOf({ caller, body, service }: Draft): Promise<Caller> {
  const owner = body['user_id']
  if (caller.kind !== 'superuser' || typeof owner !== 'string' || owner === '') return caller
  const user = await findUser(service.context.db, owner)
  if (user) return { kind: 'user', user, via: 'login', login: caller.login }
  const message = 'Failed to find all relation records with the provided ids.'
  throw badField('Failed to create record', 'user_id', message, { code: 'validation_missing_rel_records' })
}

function refuseId({ id }: Values): void {
  if (id === undefined || id === null || id === '') return
  const message = 'id cannot be set here; omit it.'
  throw badField('Failed to create record', 'id', message, { reason: 'read_only_field' })
}

/** The only change of status that is allowed here. */
function cancel(tx: Tx, { id, status }: Job, wanted: unknown): void {
  if (wanted !== 'cancelled') {
    const message = 'Is set by the queue; only a pending job can be set to cancelled.'
    throw badField('Failed to update record', 'status', message, { reason: 'read_only_field' })
  }
  if (!cancelJob(tx, id)) {
    throw new AppError('conflict', `Only pending jobs can be cancelled; this one is ${status}`, {
      reason: 'not_pending',
    })
  }
}
