import { AppError } from '../../base/index.ts'
import type { RecordOf } from '../../db/index.ts'
import {
  type ApiToken,
  SCOPE_LADDER,
  type superusers,
  type TokenScope,
  type users,
} from '../../db/store/accounts/index.ts'

export type User = RecordOf<typeof users>
export type Superuser = RecordOf<typeof superusers>

/** A login token of a caller. */
export interface Login {
  /** False for a login that a superuser issued for the account: it cannot be prolonged in any way. */
  readonly refreshable: boolean
  /** When it expires, ms since the epoch. */
  readonly expiresAt: number
  /** The superusers who issued it by impersonation. */
  readonly by?: readonly string[]
}

/** Who makes a request. A request with expired or unknown credentials is treated as a guest. */
export type Caller =
  | { kind: 'guest' }
  | { kind: 'user'; user: User; via: 'login'; login: Login }
  | { kind: 'user'; user: User; via: 'api_token'; token: ApiToken }
  | { kind: 'superuser'; superuser: Superuser; login: Login; token?: ApiToken }

/** Identifies the caller in logs, limits and the audit: `user:<id>`, `superuser:<id>` or `guest`. */
export function callerName(caller: Caller): string {
  if (caller.kind === 'user') return `user:${caller.user.id}`
  if (caller.kind === 'superuser') return `superuser:${caller.superuser.id}`
  return 'guest'
}

/** The account of a caller; undefined for a guest. */
export function accountOf(caller: Caller): User | Superuser | undefined {
  if (caller.kind === 'guest') return undefined
  return caller.kind === 'user' ? caller.user : caller.superuser
}

/** The API token of a caller. */
export function apiTokenOf(caller: Caller): ApiToken | undefined {
  return 'token' in caller ? caller.token : undefined
}

/**
 * Checks the scope of an API token; other callers have no scope. `isOperation`: whether `operate` allows it.
 * @throws AppError `forbidden` (`insufficient_scope`).
 */
export function assertScope(caller: Caller, needed: TokenScope, isOperation: boolean): void {
  const scope = apiTokenOf(caller)?.scope
  if (scope === undefined) return
  const steps: readonly TokenScope[] = SCOPE_LADDER
  if (scope === 'operate' ? isOperation : steps.indexOf(scope) >= steps.indexOf(needed)) return
  const remedy =
    scope === 'operate'
      ? 'log in as a superuser'
      : `this request needs ${needed}; use another token or log in`
  throw new AppError(
    'forbidden',
    `The API token has the scope ${scope}${scope === 'operate' ? ', which does not allow this request; ' : ', '}${remedy}`,
    {
      reason: 'insufficient_scope',
    },
  )
}

/** The login that a superuser issued for the account; undefined for all other callers. */
export function impersonationOf(caller: Caller): Login | undefined {
  if (caller.kind === 'guest' || (caller.kind === 'user' && caller.via === 'api_token')) return undefined
  return caller.login.refreshable ? undefined : caller.login
}
