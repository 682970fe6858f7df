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

/** What the secret of a session opens. */
export interface HolderAccess {
  /** Id of the holder of the session that has the secret. */
  readonly id: string
  /** Id of the session, and of its QPU. */
  readonly session: string
  readonly qpu: string
  /** Whether it may submit: later it only reads its jobs. */
  readonly isOpen: boolean
}

/** Who makes a request. A request with expired or unknown credentials is treated as a guest. */
export type Caller =
  | { kind: 'guest' }
  | { kind: 'user'; user: User; via: 'login'; login: Login }
  | { kind: 'user'; user: User; via: 'api_token'; token: ApiToken }
  | { kind: 'user'; user: User; via: 'session'; holder: HolderAccess }
  | { kind: 'superuser'; superuser: Superuser; login: Login; token?: ApiToken }

/** Identifies the caller in logs, limits and the audit: `user:<id>`, `superuser:<id>` or `guest`. */
export function callerName(caller: Caller): string {
  if (caller.kind === 'user') return `user:${caller.user.id}`
  if (caller.kind === 'superuser') return `superuser:${caller.superuser.id}`
  return 'guest'
}

/** The holder of a session whose secret a caller has. */
export function holderOf(caller: Caller): HolderAccess | undefined {
  return 'holder' in caller ? caller.holder : undefined
}

/**
 * The caller of a route that the secret of a session may call for what `allowed` says; where it may not,
 * whoever has it is a guest.
 * @throws AppError `forbidden` (`session_ended`): it changes something only as long as it lasts.
 */
export function callerInSession(caller: Caller, allowed: 'read' | 'submit' | undefined): Caller {
  const holder = holderOf(caller)
  if (!holder) return caller
  if (allowed === undefined) return { kind: 'guest' }
  if (allowed === 'read' || holder.isOpen) return caller
  throw new AppError('forbidden', 'The session has ended; start another one', { reason: 'session_ended' })
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

/** The cluster of an API token of the scope `session`, which opens sessions for its accounts. */
export function clusterOf(caller: Caller): string | undefined {
  const token = apiTokenOf(caller)
  return token?.scope === 'session' ? token.cluster : undefined
}

/** What of a route the scope of an API token decides on: a step of the ladder, or a scope that names it. */
interface ScopeNeeds {
  readonly scope: TokenScope
  /** Whether `operate` allows it. */
  readonly isOperation?: boolean
  /** Whether `session` allows it. */
  readonly isForClusters?: boolean
}

/**
 * Checks the scope of an API token; other callers have no scope.
 * @throws AppError `forbidden` (`insufficient_scope`).
 */
export function assertScope(caller: Caller, needs: ScopeNeeds): void {
  const scope = apiTokenOf(caller)?.scope
  if (scope === undefined || isEnough(scope, needs)) return
  const isStep = (SCOPE_LADDER as readonly TokenScope[]).includes(scope)
  const remedy = isStep
    ? `this request needs ${needs.scope}; use another token or log in`
    : 'which does not allow this request; use another token or log in'
  throw new AppError('forbidden', `The API token has the scope ${scope}, ${remedy}`, {
    reason: 'insufficient_scope',
  })
}

function isEnough(scope: TokenScope, { scope: needed, isOperation, isForClusters }: ScopeNeeds): boolean {
  if (scope === 'operate') return isOperation === true
  if (scope === 'session') return isForClusters === true
  const steps: readonly TokenScope[] = SCOPE_LADDER
  return steps.indexOf(scope) >= steps.indexOf(needed)
}

/** The login that a superuser issued for the account; undefined for all other callers. */
export function impersonationOf(caller: Caller): Login | undefined {
  if (caller.kind === 'guest' || (caller.kind === 'user' && caller.via !== 'login')) return undefined
  return caller.login.refreshable ? undefined : caller.login
}
