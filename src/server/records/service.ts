import { AppError } from '../../base/index.ts'
import {
  type AnyCollection,
  COLLECTIONS,
  createRecordQueries,
  type RecordQueries,
  type Rules,
} from '../../db/index.ts'
import type { AccountLinks } from '../auth/account-links.ts'
import type { Passwords } from '../auth/password.ts'
import type { ServerContext } from '../context.ts'
import { RateLimiter } from '../http/limits/rate-limit.ts'
import { collectionIdOf } from '../http/response/present-record.ts'
import { rulesInForce } from './rules.ts'

/** What the record routes work with; built once. */
export interface RecordService {
  readonly context: ServerContext
  readonly queries: RecordQueries
  readonly passwords: Passwords
  /** Submissions of jobs, however they come in, are counted together. */
  readonly submissions: RateLimiter
  /** Accounts that people made for themselves, by the address of the peer. */
  readonly signUps: RateLimiter
  /** Filtered lists that showed nothing, by the address of the peer and collection. */
  readonly emptyLists: RateLimiter
  readonly links: Pick<AccountLinks, 'request'>
  rulesOf(collection: AnyCollection): Rules
}

/** Beyond these, empty answers to filters come late (`list.ts`). */
const EMPTY_LISTS = { perSecond: 1, burst: 3 }

/** The record service of a server. */
export function createRecordService(
  context: ServerContext,
  dependencies: Pick<RecordService, 'passwords' | 'submissions' | 'links'>,
): RecordService {
  const rulesOf = rulesInForce(context.config)
  const queries = createRecordQueries({ names: context.db.names, rulesOf })
  const signUps = new RateLimiter(() => context.live.current.signupRate, context.clock)
  const emptyLists = new RateLimiter(EMPTY_LISTS, context.clock)
  return { context, queries, rulesOf, signUps, emptyLists, ...dependencies }
}

const BY_ID = new Map<string, AnyCollection>(COLLECTIONS.map((each) => [collectionIdOf(each), each]))

/**
 * The collection that callers know by this name or id.
 * @throws AppError `not_found`.
 */
export function collectionOf({ context }: RecordService, nameOrId: string): AnyCollection {
  const found = context.db.names.byPublicName(nameOrId) ?? BY_ID.get(nameOrId)
  if (!found) throw new AppError('not_found', 'Missing collection context')
  return found
}

/** The answer to a rule that says no about a record, and to a record that does not exist. */
export function notFound(): AppError {
  return new AppError('not_found', "The requested resource wasn't found")
}
