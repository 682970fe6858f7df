import { AppError } from '../../base/index.ts'
import { type AnyCollection, COLLECTIONS, type Rules } from '../../db/index.ts'
import { createRecordQueries, type RecordQueries } from '../../db/query/index.ts'
import { RATES } from '../admission/limits.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import type { AccountLinks } from '../auth/account-links.ts'
import type { Logins } from '../auth/logins.ts'
import type { Passwords } from '../auth/password.ts'
import type { ServerContext } from '../context.ts'
import { collectionIdOf } from '../http/response/present-record.ts'
import type { UserRemovals } from '../users/remove-user.ts'
import { rulesInForce } from './rules.ts'

/** The services that the record routes use; created once. */
export interface RecordService {
  readonly context: ServerContext
  readonly queries: RecordQueries
  readonly passwords: Passwords
  readonly logins: Pick<Logins, 'verifyPassword'>
  /** Limits submissions of jobs, counted together for all routes. */
  readonly submissions: RateLimiter
  /** Limits sign-ups per remote address. */
  readonly signUps: RateLimiter
  /** Limits filtered lists without a result, per remote address and collection. */
  readonly emptyLists: RateLimiter
  /** Limits the slots that each user books and moves. */
  readonly slots: RateLimiter
  readonly removals: Pick<UserRemovals, 'remove'>
  readonly links: Pick<AccountLinks, 'request'>
  rulesOf(collection: AnyCollection): Rules
}

/** Creates the record service. */
export function createRecordService(
  context: ServerContext,
  dependencies: Pick<RecordService, 'passwords' | 'logins' | 'removals' | 'submissions' | 'links'>,
): RecordService {
  const rulesOf = rulesInForce(context.config)
  const queries = createRecordQueries({ names: context.db.names, rulesOf })
  const signUps = new RateLimiter(
    RATES.signUps.from(() => context.live.current.signupRate),
    context.clock,
  )
  const slots = new RateLimiter(RATES.slots, context.clock)
  const emptyLists = new RateLimiter(RATES.emptyLists, context.clock)
  return { context, queries, rulesOf, signUps, slots, emptyLists, ...dependencies }
}

const BY_ID = new Map<string, AnyCollection>(COLLECTIONS.map((each) => [collectionIdOf(each), each]))

/**
 * The collection with this public name or id.
 * @throws AppError `not_found`.
 */
export function collectionOf({ context }: RecordService, nameOrId: string): AnyCollection {
  const found = context.db.names.byPublicName(nameOrId) ?? BY_ID.get(nameOrId)
  if (!found) throw new AppError('not_found', 'Missing collection context')
  return found
}
