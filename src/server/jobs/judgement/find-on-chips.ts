import type { RecalledCalibration } from '../../../db/store/qpus/index.ts'
import type { ExaminedSubmission, Problem } from '../../programs/messages.ts'
import { dtWarnings } from '../chip/dt-of-qpus.ts'
import { ChipJudge, type UsedPart } from '../chip/judge-chip.ts'
import type { PresentChip } from './present-chip.ts'
import { type ChipProblem, chipProblems } from './unfitness.ts'

/** What a job finds on the chip of one QPU. */
interface Found {
  problems: Problem[]
  warnings: Problem[]
}

/** A QPU that fits a job but for its chip, and the recall of its calibration in force. */
interface FittingQpu {
  chip: PresentChip
  recalled: RecalledCalibration | undefined
}

const NOTHING: Found = { problems: [], warnings: [] }

/** Warnings about a chip that a dry run names. */
const MAX_WARNINGS = 50

/**
 * What a job needs of the chips of its target that passes a limit of the device, is not in use or not
 * calibrated: problems when no QPU can run it without. Otherwise warnings of what it may use although it is
 * not calibrated, because it says so (`allow_uncalibrated`), of values that a check has found stale, of times
 * in `dt` that differs among the QPUs, and of calibrations that are recalled.
 */
export function findOnChips(submission: ExaminedSubmission, qpus: readonly FittingQpu[]): Found {
  const found = qpus.map(({ chip }) => findOnChip(submission, chip))
  const { problems, warnings } = found.find(({ problems }) => problems.length === 0) ?? found[0] ?? NOTHING
  const able = qpus.filter((_, at) => found[at]?.problems.length === 0)
  const chips = able.map(({ chip }) => chip)
  return {
    problems,
    warnings: [...warnings, ...dtWarnings(submission.dtPath, chips), ...recallWarnings(able)],
  }
}

/** The warnings of QPUs whose calibration in force is recalled. */
function recallWarnings(qpus: readonly FittingQpu[]): Problem[] {
  const found = qpus.flatMap(({ chip: { qpu }, recalled }) => {
    if (!recalled || !qpu.enabled) return []
    const message =
      `The calibration in force of ${qpu.name} (report ${recalled.report}) is recalled: ${recalled.reason}. ` +
      'Results of jobs that run with it are recalled too; wait for a newer calibration.'
    return [{ path: 'qpu_target', code: 'calibration_recalled', message }]
  })
  return found.slice(0, MAX_WARNINGS)
}

function findOnChip(submission: ExaminedSubmission, chip: PresentChip): Found {
  const problems = chipProblems(chip, submission).map(problemOf)
  const { flawed } = chip
  if (problems.length > 0 || !flawed) return { ...NOTHING, problems }
  const judge = new ChipJudge(flawed, submission)
  const warnings = judge.parts().flatMap((used) => warningsOf(used, judge, chip.qpu.name))
  return { ...NOTHING, warnings: warnings.slice(0, MAX_WARNINGS) }
}

function problemOf({ path, code, params, reason, remedy }: ChipProblem): Problem {
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
