import { type Clock, formatDuration, type Log, Loop, MINUTE_MS } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import {
  endLostCalibration,
  endOwnRun,
  listOwnRuns,
  listRunningCalibrations,
} from '../../db/store/calibrations/index.ts'
import type { DriverHub } from '../driver-hub.ts'

/** What `CalibrationRecovery` works with. */
interface CalibrationRecoveryDependencies {
  db: Database
  hub: Pick<DriverHub, 'attachedEpoch'>
  clock: Clock
  log: Log
  config: { recoveryInterval: number }
}

/**
 * How long the tuner of a running calibration may be disconnected: a restart takes seconds, a full run hours.
 */
const AWAY_TIMEOUT_MS = 10 * MINUTE_MS

/**
 * Ends calibrations, requested or started by the tuner, whose tuner stays disconnected for 10 min. The time
 * counts on the monotonic clock and from the start of this process, so that neither a stop of the server nor
 * a clock jump ends one.
 */
export class CalibrationRecovery {
  readonly loop: Loop
  readonly #dependencies: CalibrationRecoveryDependencies
  /** Monotonic ms since which the tuner of each run is disconnected. */
  readonly #awaySince = new Map<string, number>()

  constructor(dependencies: CalibrationRecoveryDependencies) {
    this.#dependencies = dependencies
    this.loop = new Loop({
      name: 'calibration recovery',
      summary: 'End calibrations whose tuner does not come back',
      clock: dependencies.clock,
      log: dependencies.log,
      intervalMs: dependencies.config.recoveryInterval,
      runOnce: () => this.recoverOnce(),
    })
  }

  /** Checks all running calibrations once. */
  async recoverOnce(): Promise<void> {
    const { db, hub, clock, log } = this.#dependencies
    const now = clock.monotonic()
    const running = await db.read((tx) => [
      ...listRunningCalibrations(tx).map((run) => ({ run, isOwn: false })),
      ...listOwnRuns(tx).map((run) => ({ run, isOwn: true })),
    ])
    const away = running.filter(({ run }) => hub.attachedEpoch(run.driver) === undefined)
    const runs = new Set(away.map(({ run }) => run.run))
    for (const run of this.#awaySince.keys()) if (!runs.has(run)) this.#awaySince.delete(run)
    for (const run of runs) if (!this.#awaySince.has(run)) this.#awaySince.set(run, now)
    for (const { run, isOwn } of away) {
      if (now - (this.#awaySince.get(run.run) ?? now) < AWAY_TIMEOUT_MS) continue
      const reason = `The tuner was disconnected for ${formatDuration(AWAY_TIMEOUT_MS)}`
      const status = await db.write('lose calibration', (tx) => {
        if (isOwn) return endOwnRun(tx, run) ? ('failed' as const) : undefined
        return endLostCalibration(tx, run, reason)
      })
      if (status) log.warn('calibration lost by its tuner', { ...run, status })
    }
  }
}
