import { Loop } from '../base/index.ts'
import { boundTimes } from '../db/store/maintenance/index.ts'
import { renewWaits } from '../db/store/sessions/index.ts'
import type { ServerContext } from './context.ts'

const INTERVAL_MS = 10_000
/** Smaller steps back are those of a clock that is kept right. */
const MAX_STEP_MS = 1_000

/** A loop that bounds stored times by now, at the start and after the clock was set back. */
export function createTimeBounds({ db, clock, log }: Pick<ServerContext, 'db' | 'clock' | 'log'>): Loop {
  let offset = Number.POSITIVE_INFINITY
  return new Loop({
    name: 'time bounds',
    summary: 'Bound stored times by now after the clock was set back',
    clock,
    log,
    intervalMs: INTERVAL_MS,
    async runOnce() {
      const present = clock.now() - clock.monotonic()
      const isBack = present < offset - MAX_STEP_MS
      if (isBack) {
        await db.write('bound times', (tx) => {
          boundTimes(tx)
          renewWaits(tx)
        })
      }
      offset = isBack ? present : Math.max(offset, present)
    },
  })
}
