import type { Database } from '../../../db/index.ts'
import { listAttemptsOfOlderLeases, requeueLost, requeueUndelivered } from '../../../db/store/jobs/index.ts'
import { type EventPayload, resultId } from '../../../protocol/index.ts'
import type { Heartbeats } from './heartbeats.ts'

interface RequeueDependencies {
  db: Database
  heartbeats: Heartbeats
  config: { maxAttempts: number }
}

/** The driver that has reconnected, under its new lease. */
interface ReturningDriver {
  driver: string
  epoch: number
}

/**
 * Requeues the jobs that a returning driver neither runs nor has results for: it was killed, or the dispatch
 * never reached it. The driver refuses dispatches of older leases, so no job can start late and there is no
 * need to wait for the heartbeat time-out. Returns the number of jobs.
 */
export async function requeueAbandoned(
  { db, heartbeats, config }: RequeueDependencies,
  { driver, epoch }: ReturningDriver,
  { running, outbox }: Pick<EventPayload<'DriverHello'>, 'running' | 'outbox'>,
): Promise<number> {
  // A driver without an outbox does not report its results: its jobs wait for the heartbeat time-out.
  if (!outbox) return 0
  const known = new Set(running ? [...outbox, resultId(running.job, running.attempt)] : outbox)
  return db.write('requeue abandoned jobs', (tx) => {
    const abandoned = listAttemptsOfOlderLeases(tx, { driver, epoch }).filter(
      ({ job, attempt }) => !known.has(resultId(job, attempt)),
    )
    for (const { job, attempt, hasStarted } of abandoned) {
      const reason = 'the driver reconnected without it'
      const silentMs = heartbeats.silentMs({ job, attempt })
      if (hasStarted) requeueLost(tx, { job, attempt, driver, reason, silentMs }, config)
      else requeueUndelivered(tx, { job, attempt, driver, reason })
    }
    return abandoned.length
  })
}
