import type { Unfitness } from '../../../db/store/qpus/index.ts'
import type { ChipReading } from './chip-reading.ts'
import type { JobChipNeeds } from './job-chip-needs.ts'
import { ChipJudge } from './judge-chip.ts'

/** Why a pending job does not fit the chip of a QPU now; undefined when it does. */
export function unfitnessOf(chip: ChipReading, needs: JobChipNeeds): Unfitness | undefined {
  const [beyond] = chip.beyond(needs.extents)
  if (beyond) return { code: 'beyond_limit', reason: beyond.reason }
  const { flawed } = chip
  const reason = flawed && new ChipJudge(flawed, needs).problems()[0]?.reason
  return reason === undefined ? belowQuality(chip, needs) : { code: 'not_calibrated', reason }
}

/** What of a chip does not meet the condition of a job that needs it; undefined without a condition. */
export function belowQuality(chip: ChipReading, needs: JobChipNeeds): Unfitness | undefined {
  const { require } = needs
  if (!require) return undefined
  const reason = reasonBelow(chip, needs, require)
  return reason === undefined ? undefined : { code: 'below_quality', reason }
}

function reasonBelow(
  chip: ChipReading,
  needs: JobChipNeeds,
  require: NonNullable<JobChipNeeds['require']>,
): string | undefined {
  const judged = chip.under(require)
  if (!judged) return `${chip.name} does not describe the quality of its qubits`
  const joins = needs.chip.some(({ needs: { pairs, groups } }) => pairs.length > 0 || groups.length > 0)
  if (require.two_qubit_error !== undefined && joins && !judged.couplings)
    return `${chip.name} does not describe the errors of its pairs`
  return new ChipJudge(judged, needs).problems()[0]?.reason
}
