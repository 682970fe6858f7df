import { type Clock, type Log, Loop } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import {
  calibrationResults,
  finishValues,
  type Median,
  readMedian,
  readUnreadReport,
  storeValues,
  type UnreadReport,
} from '../../db/store/calibrations/index.ts'
import { AdaptiveBatchSize } from '../adaptive-batch-size.ts'
import { wakeOnChanges } from '../wake-on-changes.ts'

/** Pause between two steps, for other writers and the event loop. */
const PAUSE_MS = 10
const INTERVAL_MS = 60_000

interface ValueRecordingDependencies {
  db: Pick<Database, 'read' | 'write' | 'readApart' | 'changes'>
  clock: Clock
  log: Log
}

/**
 * Stores the values of each report for the history of parameters, in small transactions after the report
 * itself: a large report has tens of thousands. After a start it continues, also with reports of versions
 * that did not store values.
 */
export class ValueRecording {
  readonly #dependencies: ValueRecordingDependencies
  readonly #stop = new AbortController()
  readonly #batch: AdaptiveBatchSize
  readonly loop: Loop

  constructor(dependencies: ValueRecordingDependencies) {
    this.#dependencies = dependencies
    this.#batch = new AdaptiveBatchSize(dependencies.clock)
    this.loop = new Loop({
      name: 'calibration values',
      summary: 'Store the values of calibration reports for the history of parameters',
      clock: dependencies.clock,
      log: dependencies.log,
      intervalMs: INTERVAL_MS,
      wakeOnChanges: wakeOnChanges({ upcoming: dependencies.db.changes }, calibrationResults.name),
      runOnce: () => this.recordOnce(),
    })
  }

  /** Stops after the current transaction. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.loop.stop()
  }

  /** Stores the values of every report that has not been read yet. */
  async recordOnce(): Promise<void> {
    for (;;) {
      const report = this.#stop.signal.aborted ? undefined : await readUnreadReport(this.#dependencies.db)
      if (!report) return
      await this.#record(report)
    }
  }

  async #record(report: UnreadReport): Promise<void> {
    const { db, clock } = this.#dependencies
    const { signal } = this.#stop
    for (let done = 0; done < report.values.length; ) {
      if (signal.aborted) return
      done += await db.write('store calibration values', (tx) =>
        this.#batch.run((most) => {
          const part = report.values.slice(done, done + most)
          storeValues(tx, report, part)
          return part.length
        }),
      )
      await clock.sleep(PAUSE_MS, signal).catch(() => undefined)
    }
    const medians: Record<string, Median> = {}
    for (const parameter of new Set(report.values.map((value) => value.parameter))) {
      const median = await db.read((tx) => readMedian(tx, report.qpu, parameter))
      if (median) medians[parameter] = median
    }
    await db.write('finish calibration values', (tx) => finishValues(tx, report, medians))
  }
}
