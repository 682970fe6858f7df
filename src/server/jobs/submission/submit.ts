import { AppError } from '../../../base/index.ts'
import { JsonText, type Tx } from '../../../db/index.ts'
import { appendAudit } from '../../../db/journal/index.ts'
import {
  assertMaySubmit,
  bytesOfJob,
  findJob,
  insertJob,
  OrderReading,
  type Quote,
  queueReads,
  saveResponse,
  submitterReads,
} from '../../../db/store/jobs/index.ts'
import { markUnfit, type Unfitness } from '../../../db/store/qpus/index.ts'
import { actingUser } from '../../auth/acting-user.ts'
import type { ServerContext } from '../../context.ts'
import type { Caller } from '../../http/caller.ts'
import { earlierId, keyedRequest } from '../../http/request/idempotency.ts'
import type { Examination, ExaminedSubmission, Problem } from '../../programs/messages.ts'
import { chipNeedsText } from '../chip/job-chip-needs.ts'
import { presentQuote, quoteJob } from '../quote.ts'
import { estimateOf, type JobView, presentJob } from '../view.ts'
import { accepted } from './examine.ts'
import { needProblems, needsOf } from './needs.ts'
import { conditionProblems, conditionWarnings, findBelowQuality } from './quality.ts'
import { resolveTarget } from './target.ts'
import { findUncalibrated } from './uncalibrated.ts'

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
  const { db, config, order } = context
  const { qpus: known } = order
  const user = await actingUser(db, caller)
  let { warnings } = submission
  const request = keyedRequest(idempotencyKey, {
    user: user.id,
    route: SUBMISSION_ROUTE,
    bodyHash: submission.hash,
  })
  assertNoProblems(submission.problems)
  const submit = (tx: Tx) => {
    const needs = needsOf(submission)
    const earlier = earlierId(tx, request)
    const before = earlier === undefined ? undefined : findJob(tx, earlier)
    if (before) return before
    const target = resolveTarget(tx, submission.target, needs, known)
    const { submitter, queues } = tx.read({
      submitter: submitterReads(user.id),
      queues: queueReads(target.id),
    })
    const reading = new OrderReading(order, tx, queues)
    assertNoProblems([...needProblems(submission, target), ...conditionProblems(submission)])
    const found = findUncalibrated(tx, submission, target, known)
    assertNoProblems(found.problems)
    const below = findBelowQuality(tx, submission, target, known)
    warnings = [...submission.warnings, ...found.warnings, ...conditionWarnings(submission, target, below)]
    const row = insertJob(
      tx,
      {
        user: user.id,
        qpu: target.id,
        payload: new JsonText(submission.text),
        needs,
        expected: JSON.stringify(submission.expected),
        chipNeeds: chipNeedsText(submission),
        programHash: submission.programHash,
        maxMs: submission.maxMs,
        giveUpMs: submission.giveUpMs,
        quote: quoteOf(context, reading, { user: user.id, submission, qpu: target.id, below }),
        ...namesOf(submission),
      },
      { maxPending: config.maxPendingJobs, maxUserBytes: config.maxUserBytes },
      submitter,
    )
    for (const [qpu, unfit] of below) markUnfit(tx, row.id, { qpu, ...unfit })
    if (actor !== undefined) {
      appendAudit(tx, { actor, action: 'job.submit', subject: row.id, detail: { user: user.id } })
    }
    if (request) saveResponse(tx, request, { status: 201, response: { id: row.id } })
    return row
  }
  const size = { bytes: Buffer.byteLength(submission.text), account: user.id }
  const job = await db.write('submit job', submit, size)
  return { ...presentJob(db, job), estimate: estimateOf(job, user.unlimited), warnings }
}

interface QuotedSubmission {
  user: string
  submission: ExaminedSubmission
  /** Id of a QPU; '' = any. */
  qpu: string
  /** The QPUs that do not meet its condition now. */
  below: ReadonlyMap<string, Unfitness>
}

/** What is expected of a submission. */
function quoteOf(
  context: SubmissionContext,
  reading: OrderReading,
  { user, submission, qpu, below }: QuotedSubmission,
): Quote {
  const { programHash: program, maxMs } = submission
  return quoteJob(context, reading, { user, qpu, needs: needsOf(submission), program, maxMs, unfit: below })
}

function namesOf({ name, tags, labels }: ExaminedSubmission) {
  return { name, tags, labels }
}

function assertNoProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return
  const fields: AppError['fields'] = {}
  for (const { path, ...problem } of problems) fields[path] ??= problem
  throw new AppError('invalid', 'Invalid job', { fields })
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
  problems: Problem[]
  /** What the job would run with all the same, such as an ambiguous part of a program; no problem. */
  warnings: Problem[]
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
  const { db, config, order } = context
  const { qpus: known } = order
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
  const submission = collectProblems(dryRun.problems, () => accepted(outcome))
  if (!submission) return dryRun
  const { ignored, executions, qubits, problems, warnings } = submission
  const payload = new JsonText(submission.text)
  dryRun.problems.push(...problems)
  dryRun.warnings.push(...warnings)
  const limits = { maxPending: config.maxPendingJobs, maxUserBytes: config.maxUserBytes }
  await db.read((tx) => {
    const submitter = tx.read(submitterReads(user.id))
    const target = collectProblems(dryRun.problems, () =>
      resolveTarget(tx, submission.target, needsOf(submission), known),
    )
    if (target) {
      const { problems, warnings } = findUncalibrated(tx, submission, target, known)
      dryRun.problems.push(...needProblems(submission, target), ...conditionProblems(submission), ...problems)
      dryRun.warnings.push(...warnings)
    }
    collectProblems(dryRun.problems, () => assertMaySubmit(submitter, limits, bytesOfJob(payload)))
    dryRun.qpu_target = target?.id ?? ''
    if (!target || dryRun.problems.length > 0) return
    const below = findBelowQuality(tx, submission, target, known)
    dryRun.warnings.push(...conditionWarnings(submission, target, below))
    const reading = new OrderReading(order, tx, tx.read(queueReads(target.id)))
    const quote = quoteOf(context, reading, { user: user.id, submission, qpu: target.id, below })
    dryRun.estimate = presentQuote(quote, submitter.owner?.unlimited === 0)
  })
  const isAccepted = dryRun.problems.length === 0
  return { ...dryRun, accepted: isAccepted, executions, qubits, payload, ignored }
}

/** The result of `work`; if it throws an AppError, adds that to the problems and returns undefined. */
function collectProblems<T>(problems: Problem[], work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const fields = Object.entries(error.fields).map(([path, field]) => ({ path, ...field }))
    if (fields.length > 0) problems.push(...fields)
    else problems.push({ path: '', code: error.reason ?? error.code, message: error.message })
    return undefined
  }
}
