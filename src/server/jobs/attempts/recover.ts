import { type Clock, formatDuration, type Log, Loop } from '../../../base/index.ts'
import type { Database } from '../../../db/index.ts'
import { listRunningAttempts, requeueLost } from '../../../db/store/jobs/index.ts'
import { cancelAbandoned, listJobsWithoutUser } from '../../../db/store/maintenance/index.ts'
import type { DriverHub } from '../../driver-hub.ts'
import type { Heartbeats } from './heartbeats.ts'

/** Jobs without user cancelled in one run: at most one runs on each QPU when its user is removed. */
const MAX_CANCELLED = 10

/** What `JobRecovery` works with. */
interface JobRecoveryDependencies {
  db: Database
  hub: Pick<DriverHub, 'disconnect' | 'isReceiving'>
  clock: Clock
  log: Log
  heartbeats: Heartbeats
  config: { recoveryInterval: number; jobTimeout: number; maxAttempts: number }
}

/**
 * Disconnects drivers that have sent no heartbeat of their job for `jobTimeout` and requeues the job: a live
 * driver reconnects in a moment and reports what it has, a dead one receives no more jobs. A message that is
 * still arriving counts as a heartbeat, because no other message can overtake a large result.
 */
export class JobRecovery {
  readonly loop: Loop
  readonly #dependencies: JobRecoveryDependencies

  constructor(dependencies: JobRecoveryDependencies) {
    this.#dependencies = dependencies
    this.loop = new Loop({
      name: 'recovery',
      summary: 'Requeue running jobs whose driver has been silent for too long',
      clock: dependencies.clock,
      log: dependencies.log,
      intervalMs: dependencies.config.recoveryInterval,
      runOnce: () => this.recoverOnce(),
    })
  }

  /** Checks all running attempts once, and cancels jobs that came back to the queue without their user. */
  async recoverOnce(): Promise<void> {
    const { db, hub, heartbeats, config, log } = this.#dependencies
    // Inside the snapshot: a job claimed in the meantime must not look like one that has ended.
    const { expired, abandoned } = await db.read((tx) => ({
      expired: heartbeats.findExpired(listRunningAttempts(tx)),
      abandoned: listJobsWithoutUser(tx, MAX_CANCELLED),
    }))
    for (const attempt of expired) {
      if (hub.isReceiving(attempt.driver)) {
        heartbeats.record(attempt)
        continue
      }
      const reason = `no heartbeat from the driver for ${formatDuration(config.jobTimeout)}`
      // First: the dispatcher wakes before the commit and would offer the pending job to this very driver.
      hub.disconnect(attempt.driver, reason)
      const status = await db.write('requeue lost job', (tx) =>
        requeueLost(tx, { ...attempt, reason }, config),
      )
      if (status) log.warn('job lost by its driver', { ...attempt, status })
    }
    if (abandoned.length > 0) await db.write('cancel abandoned', (tx) => cancelAbandoned(tx, abandoned))
  }
}
