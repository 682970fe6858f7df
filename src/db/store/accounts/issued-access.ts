import { DAY_MS, newSecret, toTimestamp } from '../../../base/index.ts'
import { apiTokens } from '../../collections/api_tokens.ts'
import { sessions } from '../../collections/sessions/sessions.ts'
import { type Superuser, superusers } from '../../collections/superusers.ts'
import { users } from '../../collections/users.ts'
import { type AuditEntry, appendAudit } from '../../journal/audit.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { disableWebhooks } from '../webhooks/deliveries.ts'
import { findProxy } from './proxy-users.ts'
import { removeOtherApiTokens } from './tokens.ts'

/**
 * What an account has given out and the database stores. Logins and mailed links are signed with the key of
 * the account, and event streams follow the credentials that opened them. Linked accounts at providers never
 * end here: they may be the only way to sign in, so that their owner unlinks what is not theirs.
 */
export const ISSUED = [
  ...(['api_tokens', 'session_secrets', 'shares', 'calendar_feeds', 'webhooks'] as const),
  'linked_accounts',
] as const

/** How long the secret of a holder of a session still reads its jobs after the end of the holder. */
export const READABLE_MS = DAY_MS

/** The number of rows of each kind. */
export type IssuedAccess = Record<(typeof ISSUED)[number], number>

/**
 * What ends: `logins` are logins, mailed links and their event streams; `all` is that and everything stored;
 * `all_but_logins` is what is stored, where webhooks are disabled and linked accounts stay; `disabled` is
 * `all` but the API tokens, which are refused until the account is enabled.
 */
export type EndedAccess = 'logins' | 'all' | 'all_but_logins' | 'disabled'

type Act = Pick<AuditEntry, 'actor' | 'personal'>

/** Collections that hold accounts. */
export type AccountKind = 'users' | 'superusers'

interface AccountId {
  kind: AccountKind
  id: string
}

/**
 * Ends what an account has given out, and for a superuser what its proxy user has; audited. Returns the
 * number of ended rows.
 */
export function endAccess(tx: Tx, account: AccountId, which: EndedAccess, by: Act): IssuedAccess {
  const { kind, id } = account
  const user = ownerOf(tx, account)
  if (which !== 'all_but_logins') {
    if (kind === 'superusers') tx.update(superusers, id, { tokenKey: newSecret() })
    // A superuser can have issued logins of its proxy user.
    if (user !== undefined) tx.update(users, user, { tokenKey: newSecret() })
  }
  const ended: IssuedAccess = {
    api_tokens: 0,
    session_secrets: 0,
    shares: 0,
    calendar_feeds: 0,
    webhooks: 0,
    linked_accounts: 0,
  }
  if (which !== 'logins' && user !== undefined) {
    if (which !== 'disabled') ended.api_tokens = removeOtherApiTokens(tx, user, [])
    ended.session_secrets = endSecrets(tx, user)
    ended.shares = tx.run('DELETE FROM shares WHERE "user" = $user', { user })
    ended.calendar_feeds = tx.run('DELETE FROM calendar_feeds WHERE "user" = $user', { user })
    ended.webhooks = disableWebhooks(tx, user)
  }
  appendAudit(tx, { ...by, action: 'account.end_access', subject: id, detail: { which, ...ended } })
  return ended
}

/** Ends the secrets of sessions, and the sessions: without a holder they end when they are looked at. */
function endSecrets(tx: Tx, user: string): number {
  for (const { id } of tx.all<{ id: string }>(
    `SELECT id FROM sessions WHERE "user" = $user AND state <> 'closed'`,
    { user },
  ))
    tx.update(sessions, id, { holders_end: tx.at })
  return tx.run(
    `UPDATE session_holders SET revoked = 1, ended_at = CASE WHEN ended_at = '' THEN $at ELSE ended_at END
     WHERE "user" = $user AND revoked = 0`,
    { user, at: tx.at },
  )
}

/** Condition of a holder of a session whose secret is valid, if only to read. */
const VALID_SECRET = `revoked = 0 AND (ended_at = '' OR ended_at > $readable) AND (ends_at = '' OR ends_at > $readable)
  AND EXISTS (SELECT 1 FROM sessions WHERE sessions.id = session AND (state <> 'closed' OR stopped_at > $readable))`

/** What the account has given out and is still valid. */
export function countIssued(tx: ReadTx, account: AccountId): IssuedAccess {
  const user = ownerOf(tx, account)
  const count = (table: string, isValid: string, owner = '"user"') => {
    const sql = `SELECT count(*) AS n FROM ${table} WHERE ${owner} = $user AND $at <> '' AND $readable <> '' AND ${isValid}`
    const times = { at: tx.at, readable: toTimestamp(tx.now - READABLE_MS) }
    return user === undefined ? 0 : (tx.one<{ n: number }>(sql, { user, ...times })?.n ?? 0)
  }
  return {
    api_tokens: count(apiTokens.name, "(expires_at = '' OR expires_at > $at)"),
    session_secrets: count('session_holders', VALID_SECRET),
    shares: count('shares', 'expires_at > $at'),
    calendar_feeds: count('calendar_feeds', 'true'),
    webhooks: count('webhooks', 'enabled = 1'),
    linked_accounts: count('external_auths', 'true', '"recordRef"'),
  }
}

/** Disables the proxy user of a removed superuser. */
export function disableProxy(tx: Tx, superuser: Superuser, actor: string): void {
  const proxy = findProxy(tx, superuser)
  if (!proxy) return
  tx.update(users, proxy.id, { disabled: true })
  endAccess(tx, { kind: 'users', id: proxy.id }, 'all', { actor })
}

/** The id of the user in whose name the account gives out access; undefined for a superuser without one. */
function ownerOf(tx: ReadTx, { kind, id }: AccountId): string | undefined {
  if (kind === 'users') return id
  const superuser = tx.find(superusers, id)
  return superuser && findProxy(tx, superuser)?.id
}
