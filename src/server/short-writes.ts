import { type Clock, TimeSlice } from '../base/index.ts'
import { type Database, type Tx, WRITE_SLICE_MS } from '../db/index.ts'

interface ShortWrites {
  db: Pick<Database, 'write'>
  clock: Clock
  /** Ends the work after the current transaction. */
  signal: AbortSignal
  /** Pause between two transactions, for other writers and the event loop; 10 ms by default. */
  pauseMs?: number
}

/** Repeats `step` in short transactions until it returns true; false if `signal` has ended it before. */
export async function inShortWrites(
  { db, clock, signal, pauseMs = 10 }: ShortWrites,
  name: string,
  step: (tx: Tx) => boolean,
): Promise<boolean> {
  const slice = new TimeSlice(clock, WRITE_SLICE_MS)
  while (!signal.aborted) {
    if (await db.write(name, (tx) => slice.fill(() => step(tx)))) return true
    await clock.sleep(pauseMs, signal).catch(() => undefined)
  }
  return false
}
