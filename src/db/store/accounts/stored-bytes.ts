import { AppError, describeBytes } from '../../../base/index.ts'
import { firstOf, mapped, type Query } from '../../engine/query.ts'

/** The bytes of the stored jobs of a user. */
export function storedBytesOf(user: string): Query<number> {
  const row = firstOf<{ bytes: number }>('SELECT job_bytes AS bytes FROM users WHERE id = $user', { user })
  return mapped(row, (stored) => stored?.bytes ?? 0)
}

/** The bytes of the stored jobs of all users. */
export const storedBytesOfAll: Query<number> = mapped(
  firstOf<{ bytes: number }>('SELECT coalesce(sum(job_bytes), 0) AS bytes FROM users'),
  (stored) => stored?.bytes ?? 0,
)

/** What the limit of a user depends on, as in a row or in a record. */
interface Storer {
  readonly unlimited: boolean | 0 | 1
  readonly max_bytes: number
}

/** The most bytes that a user may store; 0 = no limit. `maxUserBytes` is the setting. */
export function storedBytesLimit({ unlimited, max_bytes }: Storer, maxUserBytes: number): number {
  if (unlimited) return 0
  return max_bytes > 0 ? max_bytes : maxUserBytes
}

/**
 * Why a user who has stored `used` bytes may not store `bytes` more: `too_large` when they exceed the whole
 * limit, `over_quota` when they exceed the rest.
 */
export function refusalToStore(
  user: Storer,
  { used, bytes, maxUserBytes }: { used: number; bytes: number; maxUserBytes: number },
): AppError | undefined {
  const limit = storedBytesLimit(user, maxUserBytes)
  if (limit === 0 || used + bytes <= limit) return undefined
  const most = describeBytes(limit)
  if (bytes > limit) {
    return new AppError(
      'too_large',
      `The job takes ${describeBytes(bytes)}, more than the ${most} that you may store; submit a smaller one`,
      { reason: 'larger_than_quota' },
    )
  }
  return new AppError(
    'over_quota',
    `Your jobs take ${describeBytes(used)} of the ${most} that you may store, and this one ${describeBytes(bytes)}; ` +
      'cancelled jobs release their programs after a day, and an administrator can delete jobs or raise your limit',
    { reason: 'quota_used_up' },
  )
}
