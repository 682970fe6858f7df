import { type Clock, formatDuration, type Log, Loop } from '../../../base/index.ts'
import type { Database } from '../../../db/index.ts'
import {
  applyResult,
  capError,
  giveUp,
  listDueJobs,
  listRunningAttempts,
  remainingMs,
  requeueLost,
  resultReads,
} from '../../../db/store/jobs/index.ts'
import { cancelAbandoned, listJobsWithoutUser } from '../../../db/store/maintenance/index.ts'
import type { DriverHub } from '../../driver-hub.ts'
import type { Heartbeats } from './heartbeats.ts'

/** Jobs without user cancelled in one run: at most one runs on each QPU when its user is removed. */
const MAX_CANCELLED = 10

/** Jobs given up in one run: the next ones follow in the next run. */
const MAX_GIVEN_UP = 100

/** Time for the result of a job that its driver stops at the limit of the job, ms. */
const CAP_GRACE_MS = 30_000

/** What `JobRecovery` works with. */
interface JobRecoveryDependencies {
  db: Database
  hub: Pick<DriverHub, 'disconnect' | 'isReceiving' | 'send'>
  clock: Clock
  log: Log
  heartbeats: Heartbeats
  config: { recoveryInterval: number; jobTimeout: number; maxAttempts: number }
}

/**
 * Disconnects drivers that have sent no heartbeat of their job for `jobTimeout` and requeues the job: a live
 * driver reconnects in a moment and reports what it has, a dead one receives no more jobs. A message that is
 * still arriving counts as a heartbeat, because no other message can overtake a large result. Jobs that their
 * drivers do not stop at their `max_seconds` end here, and those that have waited too long.
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
    const { expired, abandoned, overdue, due } = await db.read((tx) => {
      const running = listRunningAttempts(tx)
      const expired = heartbeats.findExpired(running)
      const overdue = running.filter((each) => {
        const leftMs = remainingMs(tx, each, each.maxMs)
        return leftMs !== undefined && heartbeats.seenMs(each) >= leftMs + CAP_GRACE_MS
      })
      const due = listDueJobs(tx, MAX_GIVEN_UP)
      return { expired, abandoned: listJobsWithoutUser(tx, MAX_CANCELLED), overdue, due }
    })
    for (const job of due) await db.write('give up job', (tx) => giveUp(tx, job))
    for (const attempt of overdue) await this.#stopAtLimit(attempt)
    for (const { maxMs: _, ...attempt } of expired) {
      if (hub.isReceiving(attempt.driver)) {
        heartbeats.extend(attempt)
        continue
      }
      const reason = `no heartbeat from the driver for ${formatDuration(config.jobTimeout)}`
      // First: the dispatcher wakes before the commit and would offer the pending job to this very driver.
      hub.disconnect(attempt.driver, reason)
      const lost = { ...attempt, reason, silentMs: heartbeats.silentMs(attempt), mayDeliver: true }
      const status = await db.write('requeue lost job', (tx) => requeueLost(tx, lost, config))
      if (status) log.warn('job lost by its driver', { ...attempt, status })
    }
    if (abandoned.length > 0) await db.write('cancel abandoned', (tx) => cancelAbandoned(tx, abandoned))
  }

  /** Ends a job whose driver has not stopped it at the limit of the job. */
  async #stopAtLimit({ maxMs, ...attempt }: ReturnType<typeof listRunningAttempts>[number]): Promise<void> {
    const { db, hub, heartbeats, config, log } = this.#dependencies
    const { job, driver } = attempt
    const ms = heartbeats.seenMs(attempt)
    const outcome = { kind: 'failed', class: 'user', results: capError(maxMs) } as const
    const end = { ...attempt, executionMs: ms, elapsedMs: ms, outcome }
    const { kind } = await db.write('stop job at its limit', (tx) =>
      applyResult(tx, end, config, tx.read(resultReads(end))),
    )
    if (kind !== 'applied') return
    hub.send(driver, { type: 'StopJob', job, attempt: attempt.attempt })
    log.warn('job stopped at its max_seconds, which its driver did not do', { ...attempt, maxMs })
  }
}
