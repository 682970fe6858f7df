import { type Clock, type Log, Loop, MINUTE_MS, TimeSlice } from '../../base/index.ts'
import { type Database, WRITE_SLICE_MS } from '../../db/index.ts'
import { hasUnsettledJobs, listOpenRecalls, settleJobs } from '../../db/store/recalls/index.ts'
import { inShortWrites } from '../short-writes.ts'

/**
 * A loop that refunds the jobs of recalls which have ended before this time, or deducts their charges again
 * after a recall was withdrawn, in short transactions, each with its place among the jobs: what a stop or a
 * crash interrupts goes on from there.
 */
export function createRefunds({ db, clock, log }: { db: Database; clock: Clock; log: Log }): Loop {
  return new Loop({
    name: 'refunds',
    summary: 'Refund the charges of recalled results, and inform their owners',
    clock,
    log,
    intervalMs: MINUTE_MS,
    async runOnce(signal) {
      const slice = new TimeSlice(clock, WRITE_SLICE_MS)
      for (const recall of await db.read(listOpenRecalls)) {
        if (signal.aborted) return
        // Most stay open for later jobs; without a job to settle, nothing is written.
        if (await db.read((tx) => hasUnsettledJobs(tx, recall)))
          await inShortWrites({ db, clock, signal, pauseMs: 5 }, 'refund recalled jobs', (tx) =>
            settleJobs(tx, recall),
          )
        if (slice.isOver) await slice.next()
      }
    },
  })
}
