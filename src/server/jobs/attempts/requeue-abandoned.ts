import {
  type Database,
  listAttemptsOfOlderLeases,
  requeueLost,
  requeueUndelivered,
} from '../../../db/index.ts'
import { type EventPayload, resultId } from '../../../protocol/index.ts'

interface RequeueDependencies {
  db: Database
  config: { maxAttempts: number }
}

/** The driver that has come back, under its new lease. */
interface ReturningDriver {
  driver: string
  epoch: number
}

/**
 * Puts the jobs back that a returning driver neither runs nor has results for: it was killed, or the dispatch never
 * reached it. Nothing can run them any more, because the driver refuses dispatches of older leases; so there is no
 * need to wait for the deadline. Returns how many.
 */
export async function requeueAbandoned(
  { db, config }: RequeueDependencies,
  { driver, epoch }: ReturningDriver,
  { running, outbox }: Pick<EventPayload<'DriverHello'>, 'running' | 'outbox'>,
): Promise<number> {
  // A driver without an outbox cannot say what it holds: its jobs wait for their deadline.
  if (!outbox) return 0
  const held = new Set(running ? [...outbox, resultId(running.job, running.attempt)] : outbox)
  return db.write('requeue abandoned jobs', (tx) => {
    const abandoned = listAttemptsOfOlderLeases(tx, { driver, epoch }).filter(
      ({ job, attempt }) => !held.has(resultId(job, attempt)),
    )
    for (const { job, attempt, hasStarted } of abandoned) {
      const reason = 'the driver came back without it'
      if (hasStarted) requeueLost(tx, { job, attempt, driver, reason }, config)
      else requeueUndelivered(tx, { job, attempt, driver, reason })
    }
    return abandoned.length
  })
}
