import { type Clock, formatDuration, type Log, Loop } from '../../base/index.ts'
import { type Database, listRunning, requeueLost } from '../../db/index.ts'
import type { DriverHub } from '../drivers/hub-contract.ts'
import type { Deadlines } from './deadlines.ts'

/** What recovery works with. */
export interface RecoveryParts {
  db: Database
  hub: Pick<DriverHub, 'drop'>
  clock: Clock
  log: Log
  deadlines: Deadlines
  config: { recoveryInterval: number; jobTimeout: number; maxAttempts: number }
}

/**
 * Puts running jobs back into the queue when their driver has given no sign of life for `jobTimeout`, and closes
 * that driver's connection: a live one is back in a moment and says what it holds, a dead one gets no more jobs.
 */
export class Recovery {
  readonly #parts: RecoveryParts
  readonly #loop: Loop

  constructor(parts: RecoveryParts) {
    this.#parts = parts
    this.#loop = new Loop({
      name: 'recovery',
      clock: parts.clock,
      log: parts.log,
      intervalMs: parts.config.recoveryInterval,
      runOnce: () => this.recoverOnce(),
    })
  }

  /** Starts to watch; the attempts found now have their full time. */
  start(): void {
    this.#loop.start()
  }

  /** Safe to call twice. */
  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  /** Looks at all running attempts once. */
  async recoverOnce(): Promise<void> {
    const { db, hub, deadlines, config, log } = this.#parts
    // Inside the snapshot: a job claimed meanwhile must not look like one that is over.
    const overdue = await db.read((tx) => deadlines.overdue(listRunning(tx)))
    for (const attempt of overdue) {
      const reason = `no sign of life from the driver for ${formatDuration(config.jobTimeout)}`
      const status = await db.write('requeue lost job', (tx) =>
        requeueLost(tx, { ...attempt, reason }, config),
      )
      if (!status) continue
      log.warn('job lost by its driver', { ...attempt, status })
      hub.drop(attempt.driver, reason)
    }
  }
}
