import { type Clock, formatDuration, type Log, Loop } from '../../../base/index.ts'
import { type Database, listRunningAttempts, requeueLost } from '../../../db/index.ts'
import type { DriverHub } from '../../driver-hub.ts'
import type { Heartbeats } from './heartbeats.ts'

/** What recovery works with. */
export interface JobRecoveryDependencies {
  db: Database
  hub: Pick<DriverHub, 'disconnect' | 'isReceiving'>
  clock: Clock
  log: Log
  heartbeats: Heartbeats
  config: { recoveryInterval: number; jobTimeout: number; maxAttempts: number }
}

/**
 * Closes the connection of drivers that have given no sign of life of their job for `jobTimeout`, and puts the
 * job back into the queue: a live one is back in a moment and says what it holds, a dead one gets no more jobs.
 * A message that is still arriving is a sign of life: no other can overtake a large result.
 */
export class JobRecovery {
  readonly loop: Loop
  readonly #dependencies: JobRecoveryDependencies

  constructor(parts: JobRecoveryDependencies) {
    this.#dependencies = parts
    this.loop = new Loop({
      name: 'recovery',
      clock: parts.clock,
      log: parts.log,
      intervalMs: parts.config.recoveryInterval,
      runOnce: () => this.recoverOnce(),
    })
  }

  /** Looks at all running attempts once. */
  async recoverOnce(): Promise<void> {
    const { db, hub, heartbeats, config, log } = this.#dependencies
    // Inside the snapshot: a job claimed meanwhile must not look like one that is over.
    const expired = await db.read((tx) => heartbeats.findExpired(listRunningAttempts(tx)))
    for (const attempt of expired) {
      if (hub.isReceiving(attempt.driver)) {
        heartbeats.record(attempt)
        continue
      }
      const reason = `no sign of life from the driver for ${formatDuration(config.jobTimeout)}`
      // First: the dispatcher hears of the pending job before the commit, and would offer it to this very driver.
      hub.disconnect(attempt.driver, reason)
      const status = await db.write('requeue lost job', (tx) =>
        requeueLost(tx, { ...attempt, reason }, config),
      )
      if (status) log.warn('job lost by its driver', { ...attempt, status })
    }
  }
}
