import { AppError, badField, notFound } from '../../../base/index.ts'
import { apiTokens, type TokenScope } from '../../collections/api_tokens.ts'
import { users } from '../../collections/users.ts'
import { type AuditEntry, appendAudit } from '../../journal/audit.ts'
import type { Database } from '../../records/database.ts'
import type { Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'
import { forgetAddresses } from './known-addresses.ts'

export type ApiToken = RecordOf<typeof apiTokens>

/** Updates `users.api_tokens` to the existing tokens. */
export function syncOwner(tx: Tx, user: string): void {
  const ids = tx.list(apiTokens, { where: { user }, sort: 'created' }).map((token) => token.id)
  tx.update(users, user, { api_tokens: ids })
}

/**
 * Removes every API token of the user that `ids` does not contain; returns their number.
 * @throws AppError `invalid` when `ids` contains a token that the user does not have.
 */
export function removeOtherApiTokens(tx: Tx, user: string, ids: readonly string[]): number {
  const tokens = tx.list(apiTokens, { where: { user } })
  const unknown = ids.find((id) => !tokens.some((token) => token.id === id))
  if (unknown !== undefined) {
    const message = `The user has no API token ${unknown}; name only existing ones.`
    throw badField('Failed to update record', 'api_tokens', message, {
      code: 'validation_missing_rel_records',
    })
  }
  const removed = tokens.filter((token) => !ids.includes(token.id))
  for (const token of removed) removeToken(tx, token)
  syncOwner(tx, user)
  return removed.length
}

function removeToken(tx: Tx, { id, user }: ApiToken): void {
  tx.remove(apiTokens, id)
  forgetAddresses(tx, `user:${user}`, id)
}

/** API tokens of one user. */
const MAX_TOKENS = 200

/**
 * Stores the SHA-256 of a new API token; audited.
 * @throws AppError `conflict` (`too_many_tokens`).
 */
export function createApiToken(
  db: Database,
  token: { user: string; name: string; expiresAt: string; scope: TokenScope; cluster?: string; hash: string },
  creation: Pick<AuditEntry, 'actor' | 'personal'>,
): Promise<ApiToken> {
  return db.write('create api token', (tx) => {
    const { count } = tx.one<{ count: number }>(
      'SELECT count(*) AS count FROM api_tokens WHERE "user" = $user',
      {
        user: token.user,
      },
    ) ?? { count: 0 }
    if (count >= MAX_TOKENS) {
      const message = `The account has ${count} API tokens, the limit is ${MAX_TOKENS}; delete one that is not used`
      throw new AppError('conflict', message, { reason: 'too_many_tokens' })
    }
    const row = tx.insert(apiTokens, {
      user: token.user,
      name: token.name,
      expires_at: token.expiresAt,
      scope: token.scope,
      cluster: token.cluster ?? '',
      token: token.hash,
    })
    syncOwner(tx, token.user)
    const { name, scope, cluster, expires_at } = row
    appendAudit(tx, {
      actor: creation.actor,
      action: 'token.create',
      subject: row.id,
      detail: { user: token.user, scope, ...(cluster !== '' && { cluster }), expires_at },
      personal: { ...creation.personal, name },
    })
    return row
  })
}

/** A user's tokens; `sort` refers to declared fields. */
export function listApiTokens(
  db: Database,
  user: string,
  page: { skip: number; limit: number; sort: string },
): Promise<ApiToken[]> {
  return db.read((tx) =>
    tx.list(apiTokens, { where: { user }, sort: page.sort, limit: page.limit, offset: page.skip }),
  )
}

function owned(token: ApiToken | undefined, user: string): ApiToken {
  // Other users' tokens are indistinguishable from missing ones.
  if (!token || token.user !== user) throw notFound()
  return token
}

/** @throws AppError `not_found`, also for tokens of others. */
export function findApiToken(db: Database, user: string, id: string): Promise<ApiToken> {
  return db.read((tx) => owned(tx.find(apiTokens, id), user))
}

/** Changes name or expiry. @throws AppError `not_found`. */
export function updateApiToken(
  db: Database,
  user: string,
  id: string,
  patch: { name?: string; expires_at?: string },
): Promise<ApiToken> {
  return db.write('update api token', (tx) => {
    const token = owned(tx.find(apiTokens, id), user)
    return tx.update(apiTokens, token.id, patch) ?? token
  })
}

/** Removes a token, effective immediately. @throws AppError `not_found`. */
export function removeApiToken(db: Database, user: string, id: string): Promise<void> {
  return db.write('remove api token', (tx) => {
    const token = owned(tx.find(apiTokens, id), user)
    removeToken(tx, token)
    syncOwner(tx, user)
  })
}
