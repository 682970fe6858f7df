import { JsonText } from '../../../db/index.ts'
import { actingUser } from '../../auth/acting-user.ts'
import { type Caller, holderOf } from '../../http/caller.ts'
import type { Examination, Problem } from '../../programs/messages.ts'
import { refused } from '../judgement/judge.ts'
import { presentQuote } from '../quote.ts'
import { refusalOf } from './examine.ts'
import { judgeNow, quoteNow, type SubmissionContext } from './judge-now.ts'

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
  const submission = { user: user.id, submission: outcome, holder: holderOf(caller) }
  return db.read((tx) => {
    const judged = judgeNow(context, tx, submission)
    const { refusals, warnings, qpu, submitter } = judged
    const isAccepted = refusals.length === 0
    const quote = isAccepted ? quoteNow(context, submission, judged) : undefined
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
      estimate: quote ? presentQuote(quote, submitter?.unlimited === 0) : null,
    }
  })
}
