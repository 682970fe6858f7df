import { join } from 'node:path'
import type { Log } from '../../../base/index.ts'
import type { Edge } from '../../chip/elements/element.ts'
import { CouplerCurrents } from './coupler-currents.ts'
import { couplersOf } from './couplers-of-chip.ts'
import { CurrentJournal } from './journal.ts'
import { openSource, type SourceOptions } from './open-source.ts'
import { restoreLeftOver } from './restore-left-over.ts'

const JOURNAL = 'bias.journal.json'

interface CouplerOptions extends SourceOptions {
  /** Data folder of the driver, which holds the journal. */
  dataDir: string
  log: Log
}

interface OpenedCouplers {
  /** Undefined when nothing can hold a current; `notes` says why. */
  currents: CouplerCurrents | undefined
  /** What was restored, and what keeps currents from being moved, for the report. */
  notes: string[]
}

/**
 * Restores what a former run left changed. A tuner does this at its start before anything else; it needs no
 * device file.
 * @throws StartupError, CalibrationError as `restoreLeftOver`.
 */
export function restoreCouplers(options: CouplerOptions): Promise<string[]> {
  return restoreLeftOver(new CurrentJournal(join(options.dataDir, JOURNAL)), options)
}

/**
 * Opens the currents of the couplers of a chip for one run, after restoring what a former run left changed.
 * To be closed after the run.
 * @throws StartupError, CalibrationError as `restoreLeftOver` and `openSource`.
 */
export async function openCouplers(edges: readonly Edge[], options: CouplerOptions): Promise<OpenedCouplers> {
  const { dataDir, clock, log, simulated } = options
  const restored = await restoreCouplers(options)
  const { couplers, notes } = couplersOf(edges, { isSimulated: simulated !== undefined })
  const opened = await openSource(couplers, options)
  if (!opened.source) {
    // A chip without biased couplers is no remark.
    const reasons = couplers.length > 0 ? [`no source can hold a parking current: ${opened.reason}`] : []
    return { currents: undefined, notes: [...restored, ...notes, ...reasons] }
  }
  const journal = new CurrentJournal(join(dataDir, JOURNAL))
  const currents = new CouplerCurrents({ couplers, source: opened.source, journal, clock, log })
  return { currents, notes: [...restored, ...notes] }
}
