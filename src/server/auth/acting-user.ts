import { AppError } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import { proxyUserOf } from '../../db/store/accounts/index.ts'
import type { Caller, User } from '../http/caller.ts'

/**
 * The user a signed-in caller acts as; superusers act as their proxy user.
 * @throws AppError `unauthorized` for guests.
 */
export async function actingUser(db: Database, caller: Caller): Promise<User> {
  if (caller.kind === 'user') return caller.user
  if (caller.kind === 'superuser') return proxyUserOf(db, caller.superuser)
  throw new AppError('unauthorized', 'Authentication required')
}
