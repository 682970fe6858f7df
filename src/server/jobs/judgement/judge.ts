import { AppError } from '../../../base/index.ts'
import { JsonText, type ReadTx, type Values } from '../../../db/index.ts'
import { readoutFidelities } from '../../../db/store/calibrations/index.ts'
import {
  bytesOfJob,
  fitsQpu,
  refusalToSubmit,
  type SubmitLimits,
  submitterOf,
} from '../../../db/store/jobs/index.ts'
import type { KnownQpus, Unfitness } from '../../../db/store/qpus/index.ts'
import type { ExaminedSubmission, Problem } from '../../programs/messages.ts'
import { conditionProblems, conditionWarnings } from './condition.ts'
import { findOnChips } from './find-on-chips.ts'
import { needProblems, needsOf } from './needs.ts'
import { PresentChip } from './present-chip.ts'
import type { Target } from './target.ts'
import { belowCondition } from './unfitness.ts'

/** Whether a submission may become a job, where, and why not. */
export interface Judgement {
  /** In the one order of problems: a submission is refused with the first, a dry run lists them all. */
  refusals: readonly Refusal[]
  warnings: readonly Problem[]
  /** The QPUs that do not meet its condition now, by id. */
  unfit: ReadonlyMap<string, Unfitness>
}

/** Why a submission is refused: all problems of one kind, and the error that has them. */
interface Refusal {
  error: AppError
  problems: readonly Problem[]
}

/** A submission with the QPUs that it is for, or the refusal of its target. */
interface Placed {
  submission: ExaminedSubmission
  target: Target | AppError
}

/**
 * What `judge` needs of the store: the user, who may have as many pending jobs as there may be (`mayBeFull`),
 * and the chips of the QPUs that fit.
 */
export function judgementReads(
  tx: ReadTx,
  known: KnownQpus,
  placed: Placed & { user: string; mayBeFull: boolean },
) {
  const { submission, user, mayBeFull } = placed
  return {
    submitter: submitterOf(user, mayBeFull),
    chips: fitting(placed).map(({ id }) => ({
      description: known.description(tx, id),
      recalled: known.recalled(tx, id),
      fidelities: submission.require && readoutFidelities(id),
    })),
  }
}

/** Judges a submission at `now`, ms since the epoch. Pure. */
export function judge(
  { submission, target }: Placed,
  { submitter, chips }: Values<ReturnType<typeof judgementReads>>,
  { now, ...limits }: SubmitLimits & { now: number },
): Judgement {
  const { text, labels } = submission
  const qpus = fitting({ submission, target }).map((qpu, at) => {
    const { description = null, fidelities, recalled } = chips[at] ?? {}
    return { chip: new PresentChip(qpu, description, now), fidelities, recalled }
  })
  const found = findOnChips(submission, qpus)
  const placed =
    target instanceof AppError ? [] : [...needProblems(submission, target), ...conditionProblems(submission)]
  const refusals = [
    ...invalid(submission.problems),
    ...refused(target instanceof AppError ? target : undefined),
    ...invalid(placed),
    ...invalid(found.problems),
    ...refused(refusalToSubmit(submitter, limits, bytesOfJob(new JsonText(text), labels))),
  ]
  const warnings = [...submission.warnings, ...found.warnings]
  if (refusals.length > 0) return { refusals, warnings, unfit: new Map() }
  const unfit = new Map(
    qpus.flatMap(({ chip, fidelities }) => {
      const below = belowCondition(chip, submission, fidelities)
      return below ? [[chip.qpu.id, below] as const] : []
    }),
  )
  return { refusals, warnings: [...warnings, ...conditionWarnings(qpus.length, unfit)], unfit }
}

/** The QPUs that a job fits but for their chips. */
function fitting({ submission, target }: Placed) {
  if (target instanceof AppError) return []
  const needs = needsOf(submission)
  return target.registered.filter((qpu) => fitsQpu(needs, qpu))
}

/** A refusal for fields of the submission; none without problems. */
export function invalid(problems: readonly Problem[]): Refusal[] {
  if (problems.length === 0) return []
  const fields: AppError['fields'] = {}
  for (const { path, ...problem } of problems) fields[path] ??= problem
  return [{ error: new AppError('invalid', 'Invalid job', { fields }), problems }]
}

/** The refusal of an error; none without one. */
export function refused(error: AppError | undefined): Refusal[] {
  if (!error) return []
  const fields = Object.entries(error.fields).map(([path, field]) => ({ path, ...field }))
  const { reason, code, message } = error
  return [{ error, problems: fields.length > 0 ? fields : [{ path: '', code: reason ?? code, message }] }]
}
