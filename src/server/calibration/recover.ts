import { type Clock, formatDuration, type Log, Loop } from '../../base/index.ts'
import { type Database, endLostCalibration, listRunningCalibrations } from '../../db/index.ts'
import type { DriverHub } from '../driver-hub.ts'

/** What recovery works with. */
export interface CalibrationRecoveryDependencies {
  db: Database
  hub: Pick<DriverHub, 'attachedEpoch'>
  clock: Clock
  log: Log
  config: { recoveryInterval: number }
}

/** How long the tuner of a running calibration may be away; a full one takes hours, a new start seconds. */
const AWAY_TIMEOUT_MS = 10 * 60_000

/**
 * Gives up running calibrations whose tuner stays away for 10 min. Counted by a clock that only grows and from the
 * start of this process at the earliest: a stop of the server or a clock that was set ends none.
 */
export class CalibrationRecovery {
  readonly loop: Loop
  readonly #dependencies: CalibrationRecoveryDependencies
  /** By run: since when its tuner is away, in ms of `clock.monotonic()`. */
  readonly #awaySince = new Map<string, number>()

  constructor(parts: CalibrationRecoveryDependencies) {
    this.#dependencies = parts
    this.loop = new Loop({
      name: 'calibration recovery',
      clock: parts.clock,
      log: parts.log,
      intervalMs: parts.config.recoveryInterval,
      runOnce: () => this.recoverOnce(),
    })
  }

  /** Looks at all running calibrations once. */
  async recoverOnce(): Promise<void> {
    const { db, hub, clock, log } = this.#dependencies
    const now = clock.monotonic()
    const away = (await db.read(listRunningCalibrations)).filter(
      ({ driver }) => hub.attachedEpoch(driver) === undefined,
    )
    const runs = new Set(away.map(({ run }) => run))
    for (const run of this.#awaySince.keys()) if (!runs.has(run)) this.#awaySince.delete(run)
    for (const run of runs) if (!this.#awaySince.has(run)) this.#awaySince.set(run, now)
    for (const run of away) {
      if (now - (this.#awaySince.get(run.run) ?? now) < AWAY_TIMEOUT_MS) continue
      const reason = `The tuner was away for ${formatDuration(AWAY_TIMEOUT_MS)}`
      const status = await db.write('lose calibration', (tx) => endLostCalibration(tx, run, reason))
      if (status) log.warn('calibration lost by its tuner', { ...run, status })
    }
  }
}
