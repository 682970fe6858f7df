import { JsonText, type Tx } from '../../../db/index.ts'
import { appendAudit } from '../../../db/journal/index.ts'
import { findJob, insertJob, type Job, saveResponse } from '../../../db/store/jobs/index.ts'
import { markUnfit } from '../../../db/store/qpus/index.ts'
import { actingUser } from '../../auth/acting-user.ts'
import { type Caller, holderOf } from '../../http/caller.ts'
import { keyedRequest } from '../../http/request/idempotency.ts'
import type { ExaminedSubmission, Problem } from '../../programs/messages.ts'
import { chipNeedsText } from '../chip/job-chip-needs.ts'
import { invalid, type Judgement } from '../judgement/judge.ts'
import { needsOf } from '../judgement/needs.ts'
import { estimateOf, type JobView, presentJob } from '../view.ts'
import {
  type Judged,
  judgeNow,
  limitsOf,
  quoteNow,
  type Submission,
  type SubmissionContext,
} from './judge-now.ts'

interface SubmitOptions {
  /** The caller's `Idempotency-Key`: repeating the request returns the same job. */
  idempotencyKey?: string | undefined
  /** The superuser who submits on behalf of the caller, in the form of the audit log. */
  actor?: string | undefined
}

/** Under which the keys of submissions are stored. */
export const SUBMISSION_ROUTE = 'POST /api/jobs'

/**
 * Puts an examined submission into the queue.
 * @throws AppError `invalid` with each refused field (programs: code of the problem, `params` line and
 *   column); `too_large`; `forbidden` (`insufficient_qpu_seconds`, `account_disabled`); `conflict`
 *   (`too_many_pending_jobs`, `session_closed`); `unavailable` (`qpu_disabled`, `maintenance`);
 *   `over_quota`; `unprocessable` (`idempotency_key_reused`, `session_not_found`, `session_of_other_qpu`).
 */
export async function submitJob(
  context: SubmissionContext,
  caller: Caller,
  submission: ExaminedSubmission,
  { idempotencyKey, actor }: SubmitOptions = {},
): Promise<JobView & { warnings: readonly Problem[] }> {
  const { db } = context
  const { id: user, unlimited } = await actingUser(db, caller)
  const holder = holderOf(caller)
  const request = keyedRequest(idempotencyKey, { user, route: SUBMISSION_ROUTE, bodyHash: submission.hash })
  // These need no transaction.
  refuse(invalid(submission.problems))
  const size = { bytes: Buffer.byteLength(submission.text), account: user }
  const { job, warnings } = await db.write(
    'submit job',
    (tx) => submitOnce(context, tx, { user, submission, request, holder, actor }),
    size,
  )
  return { ...presentJob(db, job), estimate: estimateOf(job, unlimited), warnings }
}

/** The job of an earlier request with the same key, or a new one unless the submission is refused. */
function submitOnce(
  context: SubmissionContext,
  tx: Tx,
  { actor, ...sent }: Submission & Pick<SubmitOptions, 'actor'>,
): { job: Job; warnings: readonly Problem[] } {
  const { user, submission, request } = sent
  const judged = judgeNow(context, tx, sent)
  const before = judged.earlier === undefined ? undefined : findJob(tx, judged.earlier)
  if (before) return { job: before, warnings: submission.warnings }
  refuse(judged.refusals)
  const job = insertJob(tx, newJob(context, sent, judged), limitsOf(context), judged.submitter)
  for (const [qpu, unfit] of judged.unfit) markUnfit(tx, job.id, { qpu, ...unfit })
  if (actor !== undefined) appendAudit(tx, { actor, action: 'job.submit', subject: job.id, detail: { user } })
  if (request) saveResponse(tx, request, { status: 201, response: { id: job.id } })
  // Its claim would share the commit.
  if (!context.order.mayBeNext(judged.qpu)) tx.withCommit('alone')
  return { job, warnings: judged.warnings }
}

/** Throws the first refusal. */
function refuse([first]: Judgement['refusals']): void {
  if (first) throw first.error
}

/** The job that a submission becomes. */
function newJob(context: SubmissionContext, sent: Submission, judged: Judged) {
  const { user, submission } = sent
  const { name, tags, labels, maxMs, giveUpMs, programHash } = submission
  return {
    user,
    qpu: judged.qpu,
    payload: new JsonText(submission.text),
    needs: needsOf(submission),
    expected: JSON.stringify(submission.expected),
    chipNeeds: chipNeedsText(submission),
    quote: quoteNow(context, sent, judged),
    name,
    tags,
    labels,
    maxMs,
    giveUpMs,
    programHash,
    holder: sent.holder?.id,
  }
}
