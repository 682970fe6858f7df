import { type Clock, type Log, Loop, MINUTE_MS, TimeSlice } from '../../base/index.ts'
import { type Database, type Tx, WRITE_SLICE_MS } from '../../db/index.ts'
import {
  calibrationResults,
  finishValues,
  listSpans,
  type Median,
  readMedian,
  readUnreadReport,
  storeMedians,
  storeValues,
  type UnreadReport,
} from '../../db/store/calibrations/index.ts'
import { wakeOnChanges } from '../wake-on-changes.ts'

/** Pause between two steps, for other writers and the event loop. */
const PAUSE_MS = 10
/** Values that one step stores. */
const VALUES = 10
const INTERVAL_MS = MINUTE_MS

interface ValueRecordingDependencies {
  db: Pick<Database, 'read' | 'write' | 'readApart' | 'changes' | 'dialect'>
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
  readonly #slice: TimeSlice
  readonly loop: Loop

  constructor(dependencies: ValueRecordingDependencies) {
    this.#dependencies = dependencies
    this.#slice = new TimeSlice(dependencies.clock, WRITE_SLICE_MS)
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
    const inSteps = async <T>(name: string, items: readonly T[], step: (tx: Tx, items: T[]) => boolean) => {
      let done = 0
      let isStored = true
      while (isStored && done < items.length && !signal.aborted) {
        await db.write(name, (tx) =>
          this.#slice.fill(() => {
            isStored = step(tx, items.slice(done, done + VALUES))
            done += VALUES
            return !isStored || done >= items.length
          }),
        )
        await clock.sleep(PAUSE_MS, signal).catch(() => undefined)
      }
      return isStored && !signal.aborted
    }
    const store = (tx: Tx, values: UnreadReport['values']) => storeValues(tx, report, values)
    if (!(await inSteps('store calibration values', report.values, store))) return
    const spans = await db.read((tx) => listSpans(tx, report))
    const record = (tx: Tx, some: typeof spans) => {
      for (const span of some) storeMedians(tx, report, span)
      return true
    }
    if (!(await inSteps('store medians', spans, record))) return
    const medians: Record<string, Median> = {}
    for (const parameter of new Set(report.values.map((value) => value.parameter))) {
      const median = await db.read((tx) => readMedian(tx, report.qpu, parameter))
      if (median) medians[parameter] = median
    }
    await db.write('finish calibration values', (tx) => finishValues(tx, report, medians))
  }
}
