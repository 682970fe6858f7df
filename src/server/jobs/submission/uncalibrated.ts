import type { JsonText, ReadTx } from '../../../db/index.ts'
import { fitsQpu } from '../../../db/store/jobs/index.ts'
import type { KnownQpus, Qpu } from '../../../db/store/qpus/index.ts'
import type { ExaminedSubmission, Problem } from '../../programs/messages.ts'
import { chipOf } from '../chip/described-chip.ts'
import { dtWarnings } from '../chip/dt-of-qpus.ts'
import { ChipJudge, type UsedPart } from '../chip/judge-chip.ts'
import { type BeyondLimit, beyondLimits } from '../chip/judge-extents.ts'
import { needsOf } from './needs.ts'
import type { Target } from './target.ts'

/** What a job finds on the chip of one QPU. */
interface Found {
  problems: Problem[]
  warnings: Problem[]
}

const NOTHING: Found = { problems: [], warnings: [] }

/** Warnings about a chip that a dry run names. */
const MAX_WARNINGS = 50

/**
 * What a job needs of the chips of its target that passes a limit of the device, is not in use or not
 * calibrated: problems when no QPU can run it without. Otherwise warnings of what it may use although it is
 * not calibrated, because it says so (`allow_uncalibrated`), of values that a check has found stale, and of
 * times in `dt` that differs among the QPUs.
 */
export function findUncalibrated(
  tx: ReadTx,
  submission: ExaminedSubmission,
  { registered }: Target,
  known: KnownQpus,
): Found {
  const needs = needsOf(submission)
  const fitting = registered.filter((qpu) => fitsQpu(needs, qpu))
  const descriptions = tx.read(fitting.map((qpu) => known.description(tx, qpu.id)))
  const read = fitting.map((qpu, at) => ({ qpu, description: descriptions[at] ?? null }))
  const found = read.map(({ qpu, description }) => findOnQpu(submission, qpu, description))
  const able = read.filter((_, at) => found[at]?.problems.length === 0)
  const { problems, warnings } = found.find(({ problems }) => problems.length === 0) ?? found[0] ?? NOTHING
  return { problems, warnings: [...warnings, ...dtWarnings(submission.dtPath, able)] }
}

function findOnQpu(submission: ExaminedSubmission, qpu: Qpu, description: JsonText | null): Found {
  const beyond = beyondLimits(description, qpu.name, submission.extents)
  if (beyond.length > 0) return { ...NOTHING, problems: beyond.map(problemOf) }
  const chip = chipOf(description, qpu)
  if (!chip) return NOTHING
  const judge = new ChipJudge(chip, submission)
  const problems = judge.problems().map((problem) => problemOf({ code: 'not_calibrated', ...problem }))
  if (problems.length > 0) return { ...NOTHING, problems }
  const warnings = judge.parts().flatMap((used) => warningsOf(used, judge, qpu.name))
  return { ...NOTHING, warnings: warnings.slice(0, MAX_WARNINGS) }
}

function problemOf({
  path,
  code,
  params,
  reason,
  remedy,
}: Omit<BeyondLimit, 'params'> & Pick<Problem, 'params'>): Problem {
  const message = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}. ${remedy}`
  return { path, code, message, ...(params && { params }) }
}

function warningsOf({ path, part, isNamed }: UsedPart, judge: ChipJudge, qpu: string): Problem[] {
  const verb = isNamed ? 'uses' : 'may use'
  const [lacks, stale] = [judge.lacks(part).join(', '), judge.staleOf(part).join(', ')]
  const warnings = [
    lacks && { code: 'not_calibrated', what: `which is not calibrated (${lacks})` },
    stale && { code: 'stale_calibration', what: `of which a check has found values stale (${stale})` },
  ]
  return warnings.flatMap((each) =>
    each ? [{ path, code: each.code, message: `The job ${verb} ${part.name} of ${qpu}, ${each.what}.` }] : [],
  )
}
