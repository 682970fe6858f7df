import { AppError, badField, newId, newSecret } from '../../../base/index.ts'
import { apiTokens, type TokenScope } from '../../collections/api_tokens.ts'
import { type Superuser, superusers } from '../../collections/superusers.ts'
import { type User, users } from '../../collections/users.ts'
import type { SqlReader } from '../../engine/sql.ts'
import { appendAudit } from '../../journal/audit.ts'
import { readServiceValue, storeServiceValue } from '../../journal/service-values.ts'
import type { Database } from '../../records/database.ts'
import type { Tx } from '../../records/tx.ts'
import { type AccountKind, disableProxy } from './issued-access.ts'
import { postLedger } from './ledger.ts'
import { superuserOf } from './proxy-users.ts'
import { type ApiToken, removeOtherApiTokens } from './tokens.ts'

/** An account that can log in. */
export type Account = User | Superuser

/** The secret that signs the tokens of one kind of account; created once and stored in the database. */
export function accountSecret(db: Database, kind: AccountKind): Promise<string> {
  const key = `secret:${kind}`
  return db.write('account secret', (tx) => {
    const stored = readServiceValue(tx, key)
    if (stored !== undefined) return stored
    const value = newSecret()
    storeServiceValue(tx, key, value)
    return value
  })
}

/** The collection of one kind of account. */
export function accountCollection(kind: AccountKind): typeof users | typeof superusers {
  return kind === 'users' ? users : superusers
}

/** The account of this kind with this id. */
export function findAccount(db: Database, kind: AccountKind, id: string): Promise<Account | undefined> {
  return kind === 'users' ? findUser(db, id) : findSuperuser(db, id)
}

/** The account of this kind with this e-mail address, in any case; never a proxy user of a superuser. */
export async function findAccountByEmail(
  db: Database,
  kind: AccountKind,
  email: string,
): Promise<Account | undefined> {
  if (kind === 'superusers') return findSuperuserByEmail(db, email)
  if (email === '') return undefined
  const user = await db.read((tx) => tx.findBy(users, { email: stored(email) }))
  return user?.unlimited ? undefined : user
}

export function findUser(db: Database, id: string): Promise<User | undefined> {
  return db.read((tx) => tx.find(users, id))
}

export function findSuperuser(db: Database, id: string): Promise<Superuser | undefined> {
  return db.read((tx) => tx.find(superusers, id))
}

/** The fields that can identify a user at login. */
export type IdentityField = 'email' | 'username'

/**
 * The user with this e-mail address (in any case) or user name, or matched by one `field` only. An empty
 * identity matches no user.
 */
export function findUserByIdentity(
  db: Database,
  identity: string,
  field?: IdentityField,
): Promise<User | undefined> {
  if (identity === '') return Promise.resolve(undefined)
  return db.read((tx) => {
    const byEmail = field !== 'username' && tx.findBy(users, { email: stored(identity) })
    if (byEmail || field === 'email') return byEmail || undefined
    return tx.findBy(users, { username: identity })
  })
}

/** The superuser with this e-mail address, in any case. */
export function findSuperuserByEmail(db: Database, email: string): Promise<Superuser | undefined> {
  if (email === '') return Promise.resolve(undefined)
  return db.read((tx) => tx.findBy(superusers, { email: stored(email) }))
}

/** E-mail addresses are stored in lower case. */
function stored(email: string): string {
  return email.trim().toLowerCase()
}

/** An API token and its user, unless it is unknown or expired. `hash` is the token's SHA-256 in hex. */
export function findByApiToken(
  db: Database,
  hash: string,
): Promise<{ token: ApiToken; user: User; superuser?: Superuser | undefined } | undefined> {
  return db.read((tx) => {
    const token = tx.findBy(apiTokens, { token: hash })
    if (!token || (token.expires_at !== '' && token.expires_at <= tx.at)) return undefined
    const user = tx.find(users, token.user)
    if (!user) return undefined
    return { token, user, ...(isOfSuperuser(token.scope) && { superuser: superuserOf(tx, user) }) }
  })
}

function isOfSuperuser(scope: TokenScope): boolean {
  return scope === 'operate' || scope === 'session'
}

/** The new password of a superuser. */
interface SuperuserChange {
  email: string
  passwordHash: string
  mode: 'create' | 'update' | 'upsert'
  /** The actor, as in the audit log. */
  actor: string
}

/**
 * Creates a superuser, or sets a new password of an existing one, which also ends its sessions.
 * @throws AppError `conflict` if `mode` is `create` and it exists; `not_found` if `mode` is `update` and it
 *   does not.
 */
export function saveSuperuser(
  db: Database,
  { email, passwordHash, mode, actor }: SuperuserChange,
): Promise<Superuser> {
  return db.write('save superuser', (tx) => {
    const existing = tx.findBy(superusers, { email: stored(email) })
    if (existing && mode === 'create') throw new AppError('conflict', `Superuser ${email} already exists`)
    if (!existing && mode === 'update') throw new AppError('not_found', `There is no superuser ${email}`)
    const secret = { password: passwordHash, tokenKey: newSecret() }
    const saved = existing
      ? (tx.update(superusers, existing.id, secret) ?? existing)
      : tx.insert(superusers, { email, verified: true, ...secret })
    const action = existing ? 'superuser.password' : 'superuser.create'
    appendAudit(tx, { actor, action, subject: saved.id, personal: { email: saved.email } })
    return saved
  })
}

/** Every superuser, by e-mail address. */
export function listSuperusers(db: Database): Promise<Superuser[]> {
  return db.read((tx) => tx.list(superusers, { sort: 'email' }))
}

/** Id and e-mail address of every superuser, by address; for commands that run next to a running server. */
export function readSuperusers(tx: SqlReader): Pick<Superuser, 'id' | 'email'>[] {
  return tx.all<Pick<Superuser, 'id' | 'email'>>('SELECT id, email FROM superusers ORDER BY email')
}

/**
 * Removes a superuser. Its proxy user stays as the owner of its jobs, but is disabled.
 * @throws AppError `not_found`; `invalid` for the last superuser.
 */
export function removeSuperuser(
  db: Database,
  { email, actor }: Pick<SuperuserChange, 'email' | 'actor'>,
): Promise<void> {
  return db.write('remove superuser', (tx) => {
    const existing = tx.findBy(superusers, { email: stored(email) })
    if (!existing) throw new AppError('not_found', `There is no superuser ${email}`)
    tx.remove(superusers, existing.id)
    disableProxy(tx, existing, actor)
    const personal = { email: existing.email }
    appendAudit(tx, { actor, action: 'superuser.delete', subject: existing.id, personal })
  })
}

/** Changes that a superuser makes to a user's account; absent parts stay unchanged. */
interface AccountChange {
  /** The new balance, not a difference. */
  qpuSeconds?: number | undefined
  /** Ids of the API tokens to keep; the others are removed. */
  apiTokens?: readonly string[] | undefined
}

/**
 * Sets a user's balance by a ledger entry, and removes the API tokens not to be kept.
 * @throws AppError `not_found`; `invalid` for a token that the user does not have, and for the balance of a
 *   proxy user.
 */
export function changeUserAccount(
  db: Database,
  actor: string,
  id: string,
  change: AccountChange,
): Promise<User> {
  return db.write('change user account', (tx) => {
    const user = tx.find(users, id)
    if (!user) throw new AppError('not_found', `There is no user ${id}`)
    changeAccount(tx, actor, user, change)
    return tx.find(users, id) ?? user
  })
}

/** The same within a transaction. Throws as `changeUserAccount` does. */
export function changeAccount(
  tx: Tx,
  actor: string,
  user: User,
  { qpuSeconds, apiTokens }: AccountChange,
): void {
  if (apiTokens) removeOtherApiTokens(tx, user.id, apiTokens)
  if (qpuSeconds !== undefined) setBalance(tx, user, qpuSeconds)
  appendAudit(tx, {
    actor,
    action: 'user.account',
    subject: user.id,
    detail: {
      ...(qpuSeconds === undefined ? {} : { qpu_seconds: { from: user.qpu_seconds, to: qpuSeconds } }),
      ...(apiTokens ? { api_tokens: { from: user.api_tokens, to: apiTokens } } : {}),
    },
  })
}

function setBalance(tx: Tx, user: User, qpuSeconds: number): void {
  if (user.unlimited) {
    const message = 'Proxy user of a superuser, whose QPU time is unlimited.'
    throw badField('Failed to update record', 'qpu_seconds', message)
  }
  const deltaMs = Math.round(qpuSeconds * 1_000) - Math.round(user.qpu_seconds * 1_000)
  if (deltaMs !== 0) postLedger(tx, { user: user.id, kind: 'admin', sourceId: newId(tx.now), deltaMs })
}
