import { AppError } from '../../../base/index.ts'
import type { ReadTx } from '../../../db/index.ts'
import {
  type KeyedRequest,
  OrderReading,
  type Quote,
  queueReads,
  type Submitter,
} from '../../../db/store/jobs/index.ts'
import { qpus } from '../../../db/store/qpus/index.ts'
import type { ServerContext } from '../../context.ts'
import type { HolderAccess } from '../../http/caller.ts'
import { earlierId } from '../../http/request/idempotency.ts'
import type { ExaminedSubmission } from '../../programs/messages.ts'
import { type Judgement, judge, judgementReads, refused } from '../judgement/judge.ts'
import { needsOf } from '../judgement/needs.ts'
import { placeInSession, resolveTarget } from '../judgement/target.ts'
import { quoteJob } from '../quote.ts'

/** What a submission works with. */
export type SubmissionContext = Pick<ServerContext, 'db' | 'config' | 'order'>

/** An examined submission and who sends it. */
export interface Submission {
  /** Id of the user. */
  user: string
  submission: ExaminedSubmission
  /** Its `Idempotency-Key`. */
  request?: KeyedRequest | undefined
  /** Whose secret submits it to the QPU of a session. */
  holder?: HolderAccess | undefined
}

/** A judged submission, with what was read of the store for it. */
export interface Judged extends Judgement {
  /** Id of the QPU that it is for; '' = any. */
  qpu: string
  submitter: Submitter | undefined
  /** Id of the job that an earlier request with the same key has created. */
  earlier: string | undefined
  reading: OrderReading
}

/** Judges a submission by what the store holds, which is read in one round trip. @throws as `responseOf`. */
export function judgeNow(context: SubmissionContext, tx: ReadTx, sent: Submission): Judged {
  const { user, submission, request } = sent
  const { order } = context
  const place = placeInSession(tx, sent)
  const target = resolveTarget(order.qpus.list(tx), place.target, needsOf(submission))
  const qpu = target instanceof AppError ? '' : target.id
  // The known QPUs are those of this transaction: the job may refer to this one without another look.
  if (qpu !== '') tx.noteFound(qpus, qpu)
  const limits = limitsOf(context)
  const mayBeFull = order.mostPendingOf(user) >= limits.maxPending
  const { queues, earlier, ...facts } = tx.read({
    queues: queueReads(qpu),
    earlier: earlierId(request, tx.now),
    ...judgementReads(tx, order.qpus, { submission, target, user, mayBeFull }),
  })
  const judgement = judge({ submission, target }, facts, { ...limits, now: tx.now })
  const reading = new OrderReading(order, tx, queues)
  const refusals = [...refused(place.refusalOn(qpu)), ...judgement.refusals]
  return { ...judgement, refusals, qpu, submitter: facts.submitter, earlier, reading }
}

/** The limits of a user's submissions. */
export function limitsOf({ config }: Pick<SubmissionContext, 'config'>) {
  return { maxPending: config.maxPendingJobs, maxUserBytes: config.maxUserBytes }
}

/** What is expected of a submission that was judged. */
export function quoteNow(
  context: SubmissionContext,
  { user, submission }: Submission,
  { qpu, unfit, reading }: Judged,
): Quote {
  const { programHash: program, maxMs } = submission
  return quoteJob(context, reading, { user, qpu, needs: needsOf(submission), program, maxMs, unfit })
}
