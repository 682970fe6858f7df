import { join } from 'node:path'
import type { Clock } from '../../../base/index.ts'
import { newSeed } from '../../../simulator/index.ts'
import type { Chip } from '../../chip/device-file.ts'
import { StartupError } from '../../errors.ts'
import { createSimulatedChip, type SimulatedChip } from './simulated-chip.ts'
import { designOf } from './truth/design.ts'
import { drawChip } from './truth/draw-chip.ts'
import type { BringUp } from './truth/draw-qubit.ts'
import { loadTruth, TRUTH_FILE } from './truth/store.ts'

interface OpenOptions {
  /** The elements of the device file, around whose values the truth is drawn. */
  chip: Chip
  /** The data folder of the driver, which keeps the truth. */
  dataDir: string
  clock: Clock
  /** The seed of a chip that has no file yet; a random one when absent. */
  seed?: number
  bringUp?: BringUp
}

/**
 * The simulated chip of a data folder: drawn and stored at the first start, the same one later.
 * @throws StartupError when the stored chip is invalid or lacks an element of the device file.
 */
export async function openSimulatedChip(options: OpenOptions): Promise<SimulatedChip> {
  const { chip, dataDir, clock, seed = newSeed(), bringUp = 'normal' } = options
  const epoch = new Date(clock.now()).toISOString()
  const draw = () => drawChip(designOf(chip), { seed, epoch, bringUp })
  const truth = await loadTruth(join(dataDir, TRUTH_FILE), draw)
  const missing = [...chip.qubits, ...chip.edges].filter(
    ({ name }) => !(name in truth.qubits) && !(name in truth.edges),
  )
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    throw new StartupError(
      `${TRUTH_FILE}: the simulated chip has no ${names}; delete the file to draw another`,
    )
  }
  // A source holds its currents while nothing runs: those that the last calibration wrote.
  const parked = chip.edges.flatMap((edge): [string, number][] => {
    const current = edge.get('bias.parking_current')
    return current !== undefined && Number.isFinite(current) ? [[edge.name, current]] : []
  })
  return createSimulatedChip({ truth, clock, initialCurrents: new Map(parked) })
}
