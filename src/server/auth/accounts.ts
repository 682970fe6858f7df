import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Clock, fromTimestamp } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import {
  type Account,
  type AccountKind,
  accountSecret,
  findAccount,
  findByApiToken,
  findSuperuser,
  findUser,
  superusers,
  users,
} from '../../db/store/accounts/index.ts'
import { readHolder } from '../../db/store/sessions/index.ts'
import { hashToken } from '../access-token.ts'
import type { Caller, Login } from '../http/caller.ts'
import { collectionIdOf } from '../http/response/present-record.ts'
import {
  checkLinkToken,
  issueLinkToken,
  issueToken,
  type LinkPurpose,
  LoginTokens,
  readLinkClaims,
  TOKEN_SECONDS,
} from './jwt.ts'

const COLLECTION_IDS = { users: collectionIdOf(users), superusers: collectionIdOf(superusers) }

const KINDS = ['users', 'superusers'] as const

/** How secrets of sessions begin; the id of the holder follows. */
const SESSION_PREFIX = 'svcs_'
const ID_LENGTH = 15

interface AccountsDependencies {
  db: Database
  clock: Clock
  secrets: Record<AccountKind, string>
}

/** A verified link: its holder can read the mail of the account. */
export interface ProvenLink {
  kind: AccountKind
  account: Account
  /** Address of the account when the link was created. */
  email: string
  /** The new address; '' unless the link is for a change of address. */
  newEmail: string
}

/** Deviations of a login token from the defaults. */
export interface IssueOptions {
  seconds?: number
  refreshable?: boolean
  /** The superusers who issue it by impersonation: it ends with their logins, too. */
  by?: readonly string[]
}

/** Issues login tokens and identifies callers by the credentials of their requests. */
export class Accounts {
  readonly #dependencies: AccountsDependencies
  readonly #tokens = new LoginTokens()

  private constructor(dependencies: AccountsDependencies) {
    this.#dependencies = dependencies
  }

  /** Loads the signing secrets, or creates them at the first start. */
  static async open(db: Database, clock: Clock): Promise<Accounts> {
    const secrets = {
      users: await accountSecret(db, 'users'),
      superusers: await accountSecret(db, 'superusers'),
    }
    return new Accounts({ db, clock, secrets })
  }

  /** Issues a login token; it becomes invalid when the `tokenKey` of the account or of an issuer changes. */
  async issue(
    kind: AccountKind,
    account: Account,
    { seconds, refreshable = true, by = [] }: IssueOptions = {},
  ): Promise<string> {
    return issueToken({
      id: account.id,
      collectionId: COLLECTION_IDS[kind],
      key: account.tokenKey + this.#dependencies.secrets[kind] + ((await this.#keysOf(by)) ?? ''),
      nowMs: this.#dependencies.clock.now(),
      seconds: seconds ?? (kind === 'users' ? TOKEN_SECONDS.users : TOKEN_SECONDS._superusers),
      refreshable,
      by,
    })
  }

  /** Issues the token of a mailed link; it becomes invalid when the `tokenKey` of the account changes. */
  issueLink(kind: AccountKind, account: Account, purpose: LinkPurpose, newEmail?: string): Promise<string> {
    const { id, email } = account
    return issueLinkToken(
      { id, type: purpose, collectionId: COLLECTION_IDS[kind], email, ...(newEmail ? { newEmail } : {}) },
      this.#linkKey(kind, account, purpose),
      this.#dependencies.clock.now(),
    )
  }

  /**
   * Verifies the token of a link; undefined when it is forged, expired, used or issued for another purpose.
   */
  async checkLink(purpose: LinkPurpose, token: string): Promise<ProvenLink | undefined> {
    const claims = readLinkClaims(token)
    const kind = KINDS.find((each) => COLLECTION_IDS[each] === claims?.collectionId)
    if (!claims || !kind || claims.type !== purpose) return undefined
    const account = await findAccount(this.#dependencies.db, kind, claims.id)
    if (!account || ('disabled' in account && account.disabled)) return undefined
    try {
      const key = this.#linkKey(kind, account, purpose)
      const { email, newEmail = '' } = checkLinkToken(token, key, this.#dependencies.clock.now())
      return { kind, account, email, newEmail }
    } catch {
      return undefined
    }
  }

  /** The signing key differs for each purpose, so that a token cannot be used for another one. */
  #linkKey(kind: AccountKind, account: Account, purpose: LinkPurpose): string {
    return `${account.tokenKey}${this.#dependencies.secrets[kind]}:${purpose}`
  }

  /**
   * The caller of a request whose login token was valid before, as `callerName` has it. Whoever sends others
   * cannot appear as many callers.
   */
  knownCaller(request: Request): string | undefined {
    const claims = this.#tokens.remembered(authorizationOf(request) ?? '')
    const kind = KINDS.find((each) => COLLECTION_IDS[each] === claims?.collectionId)
    return claims && kind && `${kind === 'users' ? 'user' : 'superuser'}:${claims.id}`
  }

  /** Identifies the caller by the headers of a request; invalid credentials make the caller a guest. */
  async identify(request: Request): Promise<Caller> {
    const authorization = authorizationOf(request)
    const byLogin = authorization ? await this.#byLogin(authorization) : undefined
    if (byLogin) return byLogin
    const apiToken = request.headers.get('x-api-token') ?? authorization
    if (apiToken?.startsWith(SESSION_PREFIX)) return this.#bySession(apiToken)
    const found = apiToken ? await findByApiToken(this.#dependencies.db, hashToken(apiToken)) : undefined
    if (!found || found.user.disabled) return { kind: 'guest' }
    const { token, user, superuser } = found
    // One of a cluster acts for nobody but the accounts that its requests name; it ends with its superuser.
    if (token.scope === 'session' && !superuser) return { kind: 'guest' }
    if (token.scope !== 'operate') return { kind: 'user', token, user, via: 'api_token' }
    const expiresAt = fromTimestamp(token.expires_at)
    if (!superuser || expiresAt === undefined) return { kind: 'guest' }
    return { kind: 'superuser', superuser, token, login: { refreshable: false, expiresAt } }
  }

  /** The secret of a holder of a session: always the same, so that a repeated request returns it again. */
  sessionSecret(holder: string): string {
    const key = `${this.#dependencies.secrets.users}:session`
    return `${SESSION_PREFIX}${holder}${createHmac('sha256', key).update(holder).digest('base64url')}`
  }

  async #bySession(secret: string): Promise<Caller> {
    const id = secret.slice(SESSION_PREFIX.length, SESSION_PREFIX.length + ID_LENGTH)
    const { db, clock } = this.#dependencies
    const held = await db.read((tx) => readHolder(tx, id))
    const user = held && (await findUser(db, held.user))
    if (!held || !user || user.disabled || clock.now() > held.readableUntil) return { kind: 'guest' }
    const [sent, right] = [Buffer.from(secret), Buffer.from(this.sessionSecret(id))]
    if (sent.length !== right.length || !timingSafeEqual(sent, right)) return { kind: 'guest' }
    const { session, qpu, isOpen } = held
    return { kind: 'user', user, via: 'session', holder: { id, session, qpu, isOpen } }
  }

  async #byLogin(token: string): Promise<Caller | undefined> {
    const claims = this.#tokens.readClaims(token)
    if (!claims) return undefined
    const { db, secrets } = this.#dependencies
    if (claims.collectionId === COLLECTION_IDS.superusers) {
      const superuser = await findSuperuser(db, claims.id)
      const login = await this.#loginOf(token, superuser, secrets.superusers, claims.by)
      return superuser && login && { kind: 'superuser', superuser, login }
    }
    if (claims.collectionId !== COLLECTION_IDS.users) return undefined
    const user = await findUser(db, claims.id)
    const login = await this.#loginOf(token, user, secrets.users, claims.by)
    if (!user || user.disabled || !login) return undefined
    return { kind: 'user', user, via: 'login', login }
  }

  /** What a valid token of this account states; undefined when the token is not valid. */
  async #loginOf(
    token: string,
    account: Account | undefined,
    secret: string,
    by: readonly string[] = [],
  ): Promise<Login | undefined> {
    const issuers = await this.#keysOf(by)
    if (!account || issuers === undefined) return undefined
    try {
      const key = account.tokenKey + secret + issuers
      const { refreshable, exp } = this.#tokens.check(token, key, this.#dependencies.clock.now())
      return { refreshable, expiresAt: exp * 1_000, by }
    } catch {
      return undefined
    }
  }

  /** The `tokenKey`s of the issuers, joined; undefined when one of them does not exist any more. */
  async #keysOf(by: readonly string[]): Promise<string | undefined> {
    const issuers = await Promise.all(by.map((id) => findSuperuser(this.#dependencies.db, id)))
    const keys = issuers.flatMap((issuer) => (issuer ? [issuer.tokenKey] : []))
    return keys.length === by.length ? keys.join('') : undefined
  }
}

function authorizationOf(request: Request): string | undefined {
  return request.headers
    .get('authorization')
    ?.replace(/^Bearer\s+/i, '')
    .trim()
}
