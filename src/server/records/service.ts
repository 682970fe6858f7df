import { AppError } from '../../base/index.ts'
import { type AnyCollection, COLLECTIONS, type Rules } from '../../db/index.ts'
import { createRecordQueries, type RecordQueries } from '../../db/query/index.ts'
import { users } from '../../db/store/accounts/index.ts'
import { quantumJobs } from '../../db/store/jobs/index.ts'
import { RATES } from '../admission/limits.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import type { AccountLinks } from '../auth/account-links.ts'
import type { Logins } from '../auth/logins.ts'
import type { Passwords } from '../auth/password.ts'
import type { Config } from '../config/settings.ts'
import type { ServerContext } from '../context.ts'
import { collectionIdOf } from '../http/response/present-record.ts'
import type { UserRemovals } from '../users/remove-user.ts'

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
  const queries = createRecordQueries({ db: context.db, rulesOf })
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

/** Settings that change rules. */
type RuleSettings = Pick<Config, 'jobsVisibility' | 'allowSignup' | 'disableEmailPasswordAuth'>

const OWN_JOBS = '@request.auth.id != "" && user_id = @request.auth.id'
const SIGN_UP = '@request.body.qpu_seconds:isset = false && @request.body.api_tokens:isset = false'

/** The rules in force: the declared ones, except where a setting overrides them. */
function rulesInForce(config: RuleSettings): (collection: AnyCollection) => Rules {
  const changed = new Map<string, Rules>()
  if (config.jobsVisibility === 'owner') {
    changed.set(quantumJobs.name, { ...quantumJobs.rules, list: OWN_JOBS, view: OWN_JOBS })
  }
  // Without password login, an account that has only a password would be unusable.
  if (config.allowSignup && !config.disableEmailPasswordAuth) {
    changed.set(users.name, { ...users.rules, create: SIGN_UP })
  }
  return (collection) => changed.get(collection.name) ?? collection.rules
}
