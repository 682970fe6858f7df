import { type Clock, type Log, Loop } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import { checkAges, hasThresholds } from '../../db/store/readings/index.ts'

const INTERVAL_MS = 5_000

interface WatchDependencies {
  db: Pick<Database, 'read' | 'write'>
  clock: Clock
  log: Log
}

/**
 * A loop that checks the age of the newest readings. Other thresholds are checked where readings are stored;
 * see `ReadingRollUp`.
 */
export function createThresholdWatch({ db, clock, log }: WatchDependencies): Loop {
  let startedAt: number | undefined
  return new Loop({
    name: 'threshold watch',
    summary: 'Check thresholds for channels without readings',
    clock,
    log,
    intervalMs: INTERVAL_MS,
    async runOnce() {
      // The clock may have been ahead at the start.
      startedAt = Math.min(startedAt ?? Number.POSITIVE_INFINITY, clock.now())
      const since = startedAt
      if (!(await db.read((tx) => hasThresholds(tx, 'age')))) return
      await db.write('check ages of readings', (tx) => checkAges(tx, since))
    },
  })
}
