import { AppError, withTimeout } from '../../base/index.ts'
import type { ServerContext } from '../context.ts'

/** Seconds after which a refused request may succeed. */
const RETRY_AFTER_S = 5

/**
 * Waits until what was committed so far is on another machine, if changes are acknowledged only then.
 * @throws AppError `unavailable` (`not_replicated`) when the replicator does not confirm it in time: the
 *   change is stored here, and a request that is repeated with its idempotency key finds it.
 */
export async function replicated({
  db,
  clock,
  config,
}: Pick<ServerContext, 'db' | 'clock' | 'config'>): Promise<void> {
  const reached = db.files?.replicated()
  if (reached === undefined) return
  // It stays in line when its request has ended.
  reached.catch(() => undefined)
  await withTimeout(reached, {
    clock,
    ms: config.replicatorTimeout,
    onTimeout() {
      throw new AppError(
        'unavailable',
        `Stored here, but no other machine has confirmed it: ${db.files?.replicationFailure?.reason ?? 'no response'}. Repeat the request with the same Idempotency-Key`,
        { reason: 'not_replicated', retryAfter: RETRY_AFTER_S },
      )
    },
  })
}
