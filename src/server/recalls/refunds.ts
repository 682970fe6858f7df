import { type Clock, type Log, Loop, MINUTE_MS, TimeSlice } from '../../base/index.ts'
import { type Database, WRITE_SLICE_MS } from '../../db/index.ts'
import { hasUnsettledJobs, listOpenRecalls, settleJobs } from '../../db/store/recalls/index.ts'

/** Pause between two steps, for other writers and the event loop. */
const PAUSE_MS = 5

interface RefundsDependencies {
  db: Database
  clock: Clock
  log: Log
}

/**
 * Refunds the jobs of recalls, or deducts their charges again after a recall was withdrawn, in short
 * transactions, each with its place among the jobs: what a stop or a crash interrupts goes on from there.
 */
export class Refunds {
  readonly #dependencies: RefundsDependencies
  readonly #stop = new AbortController()
  readonly #slice: TimeSlice
  readonly loop: Loop

  constructor(dependencies: RefundsDependencies) {
    this.#dependencies = dependencies
    this.#slice = new TimeSlice(dependencies.clock, WRITE_SLICE_MS)
    this.loop = new Loop({
      name: 'refunds',
      summary: 'Refund the charges of recalled results, and inform their owners',
      clock: dependencies.clock,
      log: dependencies.log,
      intervalMs: MINUTE_MS,
      runOnce: () => this.refundOnce(),
    })
  }

  /** Stops after the current transaction. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.loop.stop()
  }

  /** Settles every job that has ended before this time. */
  async refundOnce(): Promise<void> {
    const { db } = this.#dependencies
    for (const recall of await db.read(listOpenRecalls)) {
      if (this.#stop.signal.aborted) return
      // Most stay open for later jobs; without a job to settle, nothing is written.
      if (await db.read((tx) => hasUnsettledJobs(tx, recall))) await this.#refund(recall)
      if (this.#slice.isOver) await this.#slice.next()
    }
  }

  async #refund(recall: string): Promise<void> {
    const { db, clock } = this.#dependencies
    const { signal } = this.#stop
    while (!signal.aborted) {
      const isDone = await db.write('refund recalled jobs', (tx) =>
        this.#slice.fill(() => settleJobs(tx, recall)),
      )
      if (isDone) return
      await clock.sleep(PAUSE_MS, signal).catch(() => undefined)
    }
  }
}
