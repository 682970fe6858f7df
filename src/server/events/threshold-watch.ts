import { Loop, MINUTE_MS } from '../../base/index.ts'
import { checkAges, hasThresholds } from '../../db/store/readings/index.ts'
import type { ServerContext } from '../context.ts'

const INTERVAL_MS = 5_000
/** After a larger step of the clock, times of before it say nothing about ages. */
const MAX_STEP_MS = MINUTE_MS

/**
 * A loop that checks the age of the newest readings. Other thresholds are checked where readings are stored;
 * see `createReadingRollUp`. A clock that was wrong and is set right raises no alarm.
 */
export function createThresholdWatch({ db, clock, log }: Pick<ServerContext, 'db' | 'clock' | 'log'>): Loop {
  let since: number | undefined
  let offset = clock.now() - clock.monotonic()
  return new Loop({
    name: 'threshold watch',
    summary: 'Check thresholds for channels without readings',
    clock,
    log,
    intervalMs: INTERVAL_MS,
    async runOnce() {
      const [now, before] = [clock.now(), offset]
      offset = now - clock.monotonic()
      if (since === undefined || Math.abs(offset - before) > MAX_STEP_MS) since = now
      const startedAt = since
      if (!(await db.read((tx) => hasThresholds(tx, 'age')))) return
      await db.write('check ages of readings', (tx) => checkAges(tx, startedAt))
    },
  })
}
