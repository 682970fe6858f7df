import { type Clock, type Log, Loop, MINUTE_MS, TimeSlice } from '../../base/index.ts'
import { type Database, WRITE_SLICE_MS } from '../../db/index.ts'
import { checkReadings, events, rollUpReadings } from '../../db/store/readings/index.ts'
import { wakeOnChanges } from '../wake-on-changes.ts'

/** Pause between two steps, for other writers and the event loop. */
const PAUSE_MS = 10
/** Events of one step; an event of a large cryostat takes 0.5 ms. */
const EVENTS = 10
const INTERVAL_MS = MINUTE_MS

interface RollUpDependencies {
  db: Pick<Database, 'write' | 'upcoming'>
  clock: Clock
  log: Log
}

/**
 * Adds readings to the buckets of their series: those of a new event in the commit that stores it, all but
 * the first of a large event soon after it, and after a start those of imported events and of events from
 * versions without series, in small transactions. The transaction that adds the last reading of an event
 * compares its readings with the thresholds of their channels.
 */
export class ReadingRollUp {
  readonly #dependencies: RollUpDependencies
  readonly name = 'roll-up of readings'
  readonly loop: Loop
  readonly #stop = new AbortController()
  readonly #slice: TimeSlice

  constructor(dependencies: RollUpDependencies) {
    this.#dependencies = dependencies
    this.#slice = new TimeSlice(dependencies.clock, WRITE_SLICE_MS)
    this.loop = new Loop({
      name: 'roll-up of readings',
      summary: 'Add readings of monitors to the buckets that charts read',
      clock: dependencies.clock,
      log: dependencies.log,
      intervalMs: INTERVAL_MS,
      wakeOnChanges: wakeOnChanges(dependencies.db, events.name),
      runOnce: () => this.rollUpOnce(),
    })
  }

  start(): void {
    this.loop.start()
  }

  /** Stops after the current transaction; the remaining readings are added after the next start. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.loop.stop()
  }

  /** Adds every reading that is not in the buckets yet. */
  async rollUpOnce(): Promise<void> {
    const { db, clock } = this.#dependencies
    const { signal } = this.#stop
    while (!signal.aborted) {
      const isDone = await db.write('roll up readings', (tx) =>
        this.#slice.fill(() => {
          const step = rollUpReadings(tx, EVENTS)
          if (step.events > 0) checkReadings(tx, step)
          return !step.isFull
        }),
      )
      if (isDone) return
      await clock.sleep(PAUSE_MS, signal).catch(() => undefined)
    }
  }
}
