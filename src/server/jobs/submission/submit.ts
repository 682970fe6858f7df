import { AppError } from '../../../base/index.ts'
import { JsonText, type ReadTx, type Tx } from '../../../db/index.ts'
import { appendAudit } from '../../../db/journal/index.ts'
import {
  findJob,
  insertJob,
  OrderReading,
  type Quote,
  queueReads,
  type Submitter,
  saveResponse,
} from '../../../db/store/jobs/index.ts'
import { markUnfit } from '../../../db/store/qpus/index.ts'
import { actingUser } from '../../auth/acting-user.ts'
import type { ServerContext } from '../../context.ts'
import type { Caller } from '../../http/caller.ts'
import { earlierId, keyedRequest } from '../../http/request/idempotency.ts'
import type { Examination, ExaminedSubmission, Problem } from '../../programs/messages.ts'
import { chipNeedsText } from '../chip/job-chip-needs.ts'
import { invalid, type Judgement, judge, judgementReads, refused } from '../judgement/judge.ts'
import { needsOf } from '../judgement/needs.ts'
import { resolveTarget } from '../judgement/target.ts'
import { presentQuote, quoteJob } from '../quote.ts'
import { estimateOf, type JobView, presentJob } from '../view.ts'
import { refusalOf } from './examine.ts'

/** What a submission works with. */
type SubmissionContext = Pick<ServerContext, 'db' | 'config' | 'order'>

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
 *   (`too_many_pending_jobs`); `unavailable` (`qpu_disabled`, `maintenance`);
 *   `over_quota`; `unprocessable`
 *   (`idempotency_key_reused`).
 */
export async function submitJob(
  context: SubmissionContext,
  caller: Caller,
  submission: ExaminedSubmission,
  { idempotencyKey, actor }: SubmitOptions = {},
): Promise<JobView & { warnings: readonly Problem[] }> {
  const { db } = context
  const user = await actingUser(db, caller)
  const request = keyedRequest(idempotencyKey, {
    user: user.id,
    route: SUBMISSION_ROUTE,
    bodyHash: submission.hash,
  })
  refuse(invalid(submission.problems))
  const submit = (tx: Tx) => {
    const earlier = earlierId(tx, request)
    const before = earlier === undefined ? undefined : findJob(tx, earlier)
    if (before) return { job: before, warnings: submission.warnings }
    const judged = judgeNow(context, tx, user.id, submission)
    refuse(judged.refusals)
    const { name, tags, labels, maxMs, giveUpMs, programHash } = submission
    const job = insertJob(
      tx,
      {
        user: user.id,
        qpu: judged.qpu,
        payload: new JsonText(submission.text),
        needs: needsOf(submission),
        expected: JSON.stringify(submission.expected),
        chipNeeds: chipNeedsText(submission),
        quote: quoteOf(context, judged, submission),
        name,
        tags,
        labels,
        maxMs,
        giveUpMs,
        programHash,
      },
      limitsOf(context),
      judged.submitter,
    )
    for (const [qpu, unfit] of judged.unfit) markUnfit(tx, job.id, { qpu, ...unfit })
    if (actor !== undefined) {
      appendAudit(tx, { actor, action: 'job.submit', subject: job.id, detail: { user: user.id } })
    }
    if (request) saveResponse(tx, request, { status: 201, response: { id: job.id } })
    return { job, warnings: judged.warnings }
  }
  const size = { bytes: Buffer.byteLength(submission.text), account: user.id }
  const { job, warnings } = await db.write('submit job', submit, size)
  return { ...presentJob(db, job), estimate: estimateOf(job, user.unlimited), warnings }
}

/** Throws the first refusal. */
function refuse([first]: Judgement['refusals']): void {
  if (first) throw first.error
}

/** A judged submission, with what was read of the store for it. */
interface Judged extends Judgement {
  user: string
  /** Id of the QPU that it is for; '' = any. */
  qpu: string
  submitter: Submitter
  reading: OrderReading
}

/** Judges a submission by what the store holds, which is read at once. */
function judgeNow(
  context: SubmissionContext,
  tx: ReadTx,
  user: string,
  submission: ExaminedSubmission,
): Judged {
  const { order } = context
  const target = resolveTarget(order.qpus.list(tx), submission.target, needsOf(submission))
  const qpu = target instanceof AppError ? '' : target.id
  const { queues, ...facts } = tx.read({
    queues: queueReads(qpu),
    ...judgementReads(tx, order.qpus, { submission, target, user }),
  })
  const judgement = judge({ submission, target }, facts, { ...limitsOf(context), now: tx.now })
  return { ...judgement, user, qpu, submitter: facts.submitter, reading: new OrderReading(order, tx, queues) }
}

function limitsOf({ config }: SubmissionContext) {
  return { maxPending: config.maxPendingJobs, maxUserBytes: config.maxUserBytes }
}

/** What is expected of a submission. */
function quoteOf(context: SubmissionContext, judged: Judged, submission: ExaminedSubmission): Quote {
  const { user, qpu, unfit, reading } = judged
  const { programHash: program, maxMs } = submission
  return quoteJob(context, reading, { user, qpu, needs: needsOf(submission), program, maxMs, unfit })
}

/** The outcome that a submission would have. */
interface DryRun {
  dry_run: true
  /** Whether the job would be stored. */
  accepted: boolean
  /** Number of results that the job would produce. */
  executions: number
  /** Qubits of the largest program. */
  qubits: number
  /** Id of the QPU; '' = any. */
  qpu_target: string
  /** The payload as it would be stored, with every default. */
  payload: unknown
  /** Every problem; a submission stops at the first kind. */
  problems: readonly Problem[]
  /** What the job would run with all the same, such as an ambiguous part of a program; no problem. */
  warnings: readonly Problem[]
  /** Keys of the body that are not used, and directives of programs with their places. */
  ignored: string[]
  /** What is expected of it; null unless it would be accepted. */
  estimate: ReturnType<typeof presentQuote> | null
}

/**
 * Does everything that a submission does except storing the job; returns problems instead of throwing them.
 * @throws AppError `unauthorized` for guests.
 */
export async function dryRunJob(
  context: SubmissionContext,
  caller: Caller,
  outcome: Examination['outcome'],
): Promise<DryRun> {
  const { db } = context
  const user = await actingUser(db, caller)
  const dryRun: DryRun = {
    dry_run: true,
    accepted: false,
    executions: 0,
    qubits: 0,
    qpu_target: '',
    payload: null,
    problems: [],
    warnings: [],
    ignored: [],
    estimate: null,
  }
  if (!('text' in outcome)) {
    return { ...dryRun, problems: refused(refusalOf(outcome)).flatMap(({ problems }) => [...problems]) }
  }
  const { ignored, executions, qubits, text } = outcome
  return db.read((tx) => {
    const judged = judgeNow(context, tx, user.id, outcome)
    const { refusals, warnings, qpu, submitter } = judged
    const isAccepted = refusals.length === 0
    const quote = isAccepted ? quoteOf(context, judged, outcome) : undefined
    return {
      ...dryRun,
      accepted: isAccepted,
      executions,
      qubits,
      ignored,
      warnings,
      qpu_target: qpu,
      payload: new JsonText(text),
      problems: refusals.flatMap(({ problems }) => [...problems]),
      estimate: quote ? presentQuote(quote, submitter.owner?.unlimited === 0) : null,
    }
  })
}
