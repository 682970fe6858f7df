import { existsSync, readFileSync } from 'node:fs'
import type { Log } from '../../../base/index.ts'
import { readDeviceFile } from '../../chip/device-file.ts'
import { StartupError } from '../../errors.ts'
import { type CouplerBias, milliamps } from './coupler-bias.ts'
import { CouplerCurrents } from './coupler-currents.ts'
import type { CurrentJournal, JournalEntry } from './journal.ts'
import { openSource, type SourceOptions } from './open-source.ts'

type Parked = NonNullable<JournalEntry['parked']>

/**
 * Restores the coupler currents that a former process left changed, with the fast ramp. A tuner calls this
 * before anything else at its start, and again before each run. It needs no device file: the journal names
 * the outputs. Only a coupler that a run had parked stays so where the device file already has its current,
 * because everything else in that file was measured there. Returns a note per edge for the next report.
 * @throws StartupError without a source for these outputs; CalibrationError that names every edge whose
 *   current is not back.
 */
export async function restoreLeftOver(
  journal: CurrentJournal,
  options: SourceOptions & { log: Log },
): Promise<string[]> {
  if (journal.entries.length === 0) return []
  for (const { edge, parked } of journal.entries)
    if (parked && isInFile(edge, parked)) journal.change(edge, { before: parked.held })
  const { entries } = journal
  const { log, clock } = options
  const couplers = entries.map(biasOf)
  const opened = await openSource(couplers, options)
  if (!opened.source) {
    const edges = entries.map(({ edge }) => edge).join(', ')
    throw new StartupError(
      `startup error: the currents of ${edges} are still changed by run ${entries[0]?.run} and cannot be restored: ${opened.reason}`,
    )
  }
  const currents = new CouplerCurrents({ couplers, source: opened.source, journal, clock, log })
  try {
    await currents.restore(currents.changed, { isEmergency: true })
  } finally {
    await currents.close()
  }
  const notes = entries.map(noteOf)
  for (const note of notes) log.warn(note)
  return notes
}

function biasOf({ edge, address, abortRate }: JournalEntry): CouplerBias {
  return { edge, address, ...(abortRate !== undefined && { abortRate }) }
}

/** Whether the device file was written before the process ended. */
function isInFile(edge: string, { file, current }: Parked): boolean {
  if (!existsSync(file)) return false
  const read = readDeviceFile(readFileSync(file, 'utf8'))
  if ('problems' in read) return false
  return read.chip.edges.find(({ name }) => name === edge)?.get('bias.parking_current') === current
}

function noteOf({ edge, before, parked, run, at }: JournalEntry): string {
  const ended = `coupler ${edge}: run ${run} of ${at} ended while the current was changed`
  if (parked?.held === before) return `${ended}; the device file has the new one, ${milliamps(before)}`
  return `${ended}; it is back at ${milliamps(before)}`
}
