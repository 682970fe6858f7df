import type { ReadTx } from '../../../db/index.ts'
import type { Qpu } from '../../../db/store/qpus/index.ts'
import { readChip } from './described-chip.ts'
import type { JobChipNeeds } from './job-chip-needs.ts'
import { ChipJudge } from './judge-chip.ts'

/** Why a pending job does not fit the chip of a QPU any more; undefined when it does. */
export function reasonUnfit(
  tx: ReadTx,
  needs: JobChipNeeds,
  qpu: Pick<Qpu, 'id' | 'name'>,
): string | undefined {
  const chip = readChip(tx, qpu)
  return chip && new ChipJudge(chip, needs).problems()[0]?.reason
}
