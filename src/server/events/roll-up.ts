import { Loop, MINUTE_MS } from '../../base/index.ts'
import { checkReadings, events, rollUpReadings } from '../../db/store/readings/index.ts'
import type { ServerContext } from '../context.ts'
import { inShortWrites } from '../short-writes.ts'
import { wakeOnChanges } from '../wake-on-changes.ts'

/** Events of one step; an event of a large cryostat takes 0.5 ms. */
const EVENTS = 10

/**
 * A loop that adds readings to the buckets of their series: those of a new event in the commit that stores
 * it, all but the first of a large event soon after it, and after a start those of imported events and of
 * events from versions without series, in small transactions. The transaction that adds the last reading of
 * an event compares its readings with the thresholds of their channels.
 */
export function createReadingRollUp({ db, clock, log }: Pick<ServerContext, 'db' | 'clock' | 'log'>): Loop {
  return new Loop({
    name: 'roll-up of readings',
    summary: 'Add readings of monitors to the buckets that charts read',
    clock,
    log,
    intervalMs: MINUTE_MS,
    wakeOnChanges: wakeOnChanges(db, events.name),
    runOnce: (signal) => rollUpOnce({ db, clock, signal }),
  })
}

/** Adds every reading that is not in the buckets yet. */
export async function rollUpOnce(work: Parameters<typeof inShortWrites>[0]): Promise<void> {
  await inShortWrites(work, 'roll up readings', (tx) => {
    const step = rollUpReadings(tx, EVENTS)
    if (step.events > 0) checkReadings(tx, step)
    return !step.isFull
  })
}
