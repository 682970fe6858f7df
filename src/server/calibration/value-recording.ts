import { Loop, MINUTE_MS } from '../../base/index.ts'
import type { Tx } from '../../db/index.ts'
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
import type { ServerContext } from '../context.ts'
import { inShortWrites } from '../short-writes.ts'
import { wakeOnChanges } from '../wake-on-changes.ts'

/** Values that one step stores. */
const VALUES = 10

/**
 * A loop that stores the values of each report for the history of parameters, in small transactions after the
 * report itself: a large report has tens of thousands. After a start it continues, also with reports of
 * versions that did not store values.
 */
export function createValueRecording({ db, clock, log }: Pick<ServerContext, 'db' | 'clock' | 'log'>): Loop {
  return new Loop({
    name: 'calibration values',
    summary: 'Store the values of calibration reports for the history of parameters',
    clock,
    log,
    intervalMs: MINUTE_MS,
    wakeOnChanges: wakeOnChanges({ upcoming: db.changes }, calibrationResults.name),
    async runOnce(signal) {
      while (!signal.aborted) {
        const report = await readUnreadReport(db)
        if (!report) return
        await recordValues({ db, clock, signal }, report)
      }
    },
  })
}

type Recording = Pick<ServerContext, 'db' | 'clock'> & { signal: AbortSignal }

async function recordValues(work: Recording, report: UnreadReport): Promise<void> {
  const { db } = work
  const inSteps = async <T>(name: string, items: readonly T[], step: (tx: Tx, items: T[]) => boolean) => {
    let done = 0
    let isStored = true
    if (items.length === 0) return true
    const isOver = await inShortWrites(work, name, (tx) => {
      isStored = step(tx, items.slice(done, done + VALUES))
      done += VALUES
      return !isStored || done >= items.length
    })
    return isOver && isStored
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
