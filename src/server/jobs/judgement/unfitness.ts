import type { Unfitness } from '../../../db/store/qpus/index.ts'
import type { Problem } from '../../programs/messages.ts'
import type { JobChipNeeds } from '../chip/job-chip-needs.ts'
import { ChipJudge } from '../chip/judge-chip.ts'
import type { Fidelities, PresentChip } from './present-chip.ts'

/** Why a chip cannot run a job now, whatever the condition of the job. */
export interface ChipProblem extends Pick<Problem, 'path' | 'params'> {
  /** `not_calibrated`, or that of a limit of the device. */
  code: string
  /** Part of a sentence. */
  reason: string
  remedy: string
}

const NOT_CALIBRATED = 'not_calibrated'

/** The limits of the device that a job passes, else the parts that it needs and that are not in use. */
export function chipProblems(chip: PresentChip, needs: JobChipNeeds): ChipProblem[] {
  const beyond = chip.beyond(needs.extents)
  if (beyond.length > 0 || !chip.flawed) return beyond
  return new ChipJudge(chip.flawed, needs).problems().map((each) => ({ code: NOT_CALIBRATED, ...each }))
}

/** Why a job cannot run on the chip of a QPU now; undefined when it can. */
export function unfitnessOf(
  chip: PresentChip,
  needs: JobChipNeeds,
  fidelities: Fidelities | undefined,
): Unfitness | undefined {
  const [first] = chipProblems(chip, needs)
  if (!first) return belowCondition(chip, needs, fidelities)
  const { code, reason } = first
  return { code: code === NOT_CALIBRATED ? code : 'beyond_limit', reason }
}

/**
 * What of a chip does not meet the condition of a job that needs it; undefined without a condition.
 * `fidelities`: read for a job with one.
 */
export function belowCondition(
  chip: PresentChip,
  needs: JobChipNeeds,
  fidelities: Fidelities = new Map(),
): Unfitness | undefined {
  const { require } = needs
  if (!require) return undefined
  const reason = reasonBelow(chip, needs, require, fidelities)
  return reason === undefined ? undefined : { code: 'below_quality', reason }
}

function reasonBelow(
  chip: PresentChip,
  needs: JobChipNeeds,
  require: NonNullable<JobChipNeeds['require']>,
  fidelities: Fidelities,
): string | undefined {
  const judged = chip.under(require, fidelities)
  if (!judged) return `${chip.qpu.name} does not describe the quality of its qubits`
  const joins = needs.chip.some(({ needs: { pairs, groups } }) => pairs.length > 0 || groups.length > 0)
  if (require.two_qubit_error !== undefined && joins && !judged.couplings)
    return `${chip.qpu.name} does not describe the errors of its pairs`
  return new ChipJudge(judged, needs).problems()[0]?.reason
}
