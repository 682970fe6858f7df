import { AppError } from '../../../base/index.ts'
import type { ReadTx } from '../../../db/index.ts'
import { fitsQpu, type JobNeeds } from '../../../db/store/jobs/index.ts'
import { type Qpu, qpuNamed, unknownQpu } from '../../../db/store/qpus/index.ts'
import { sessions } from '../../../db/store/sessions/index.ts'
import type { HolderAccess } from '../../http/caller.ts'
import type { ExaminedSubmission } from '../../programs/messages.ts'
import { reasonUnavailable } from '../../qpus/availability.ts'

/** The QPUs on which a job may run. */
export interface Target {
  /** Id of the one QPU; '' = any. */
  id: string
  /** Every QPU that the target covers, also those that run no jobs now. */
  registered: readonly Qpu[]
}

/**
 * Resolves the target that a caller gave, an id or a name, among all `qpus`. Without a target it is the only
 * enabled QPU if that can run the job, or any. A refusal: `invalid` for an unknown QPU; `unavailable` with
 * the reason if none accepts jobs now.
 */
export function resolveTarget(qpus: readonly Qpu[], nameOrId: string, needs: JobNeeds): Target | AppError {
  if (nameOrId !== '') {
    const qpu = findOpenQpu(qpus, nameOrId, 'qpu_target')
    return qpu instanceof AppError ? qpu : { id: qpu.id, registered: [qpu] }
  }
  const enabled = qpus.filter((qpu) => qpu.enabled)
  const [only] = enabled
  if (only && enabled.length === 1) {
    const any = fitsQpu(needs, only) ? { id: only.id, registered: [only] } : { id: '', registered: qpus }
    return refusalOf(only) ?? any
  }
  if (enabled.some((qpu) => !qpu.maintenance)) return { id: '', registered: qpus }
  const text = only ? 'Every QPU is in maintenance' : 'No QPU is enabled'
  return new AppError('unavailable', `${text}; try again later`, {
    reason: only ? 'maintenance' : 'qpu_disabled',
  })
}

/** The QPU with this name or id, if it accepts jobs. `field` names it in the body of the request. */
export function findOpenQpu(qpus: readonly Qpu[], nameOrId: string, field = 'qpu'): Qpu | AppError {
  const qpu = qpuNamed(qpus, nameOrId)
  if (qpu) return refusalOf(qpu) ?? qpu
  const message = unknownQpu(qpus, nameOrId)
  const fields = { [field]: { code: 'validation_missing_rel_records', message } }
  return new AppError('invalid', 'Invalid job', { fields })
}

function refusalOf(qpu: Qpu): AppError | undefined {
  const unavailable = reasonUnavailable(qpu, false)
  if (!unavailable?.refusesJobs) return undefined
  return new AppError('unavailable', `QPU ${qpu.name} does not accept jobs: ${unavailable.reason}`, {
    reason: unavailable.code === 'disabled' ? 'qpu_disabled' : unavailable.code,
  })
}

/** A submission, and whose secret submits it. */
interface Sent {
  /** Id of the user. */
  user: string
  submission: Pick<ExaminedSubmission, 'session' | 'target'>
  holder?: HolderAccess | undefined
}

/** Where a submission goes because of the session that it names, or whose secret submits it. */
interface PlaceInSession {
  /** Name or id of a QPU; '' = any. */
  target: string
  /** Why it is refused; of the id of the QPU that it is for, '' = any. */
  refusalOn(qpu: string): AppError | undefined
}

/** Without a QPU of its own, a submission goes to that of its session. */
export function placeInSession(tx: ReadTx, { user, submission, holder }: Sent): PlaceInSession {
  const { session: id, target } = submission
  const refused = (error: AppError): PlaceInSession => ({ target, refusalOn: () => error })
  if (id === '') {
    if (!holder) return { target, refusalOn: () => undefined }
    return { target: target || holder.qpu, refusalOn: (qpu) => (qpu === holder.qpu ? undefined : otherQpu()) }
  }
  const session = tx.find(sessions, id)
  if (session?.user !== user || (holder && holder.session !== id))
    return refused(refusal('session_not_found', 'You have no session with this id; omit session'))
  if (session.state === 'closed') {
    const remedy = 'The session has ended; start another one, or omit session'
    return refused(new AppError('conflict', remedy, { reason: 'session_closed' }))
  }
  const other = refusal(
    'session_of_other_qpu',
    'The session holds another QPU; omit qpu_target, or submit without session',
  )
  return { target: target || session.qpu, refusalOn: (qpu) => (qpu === session.qpu ? undefined : other) }
}

function refusal(reason: string, message: string): AppError {
  return new AppError('unprocessable', message, { reason })
}

function otherQpu(): AppError {
  return new AppError('forbidden', 'The secret of a session submits to its own QPU only; omit qpu_target', {
    reason: 'other_qpu',
  })
}
