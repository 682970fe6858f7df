import { AppError } from '../../../base/index.ts'
import { apiTokens } from '../../collections/api_tokens.ts'
import { users } from '../../collections/users.ts'
import type { Database } from '../../records/database.ts'
import type { Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'

export type ApiToken = RecordOf<typeof apiTokens>

/** Updates `users.api_tokens` to the existing tokens. */
export function syncOwner(tx: Tx, user: string): void {
  const ids = tx.list(apiTokens, { where: { user }, sort: 'created' }).map((token) => token.id)
  tx.update(users, user, { api_tokens: ids })
}

/**
 * Removes every API token of the user that `ids` does not contain.
 * @throws AppError `invalid` when `ids` contains a token that the user does not have.
 */
export function removeOtherApiTokens(tx: Tx, user: string, ids: readonly string[]): void {
  const tokens = tx.list(apiTokens, { where: { user } })
  const unknown = ids.find((id) => !tokens.some((token) => token.id === id))
  if (unknown !== undefined) {
    const message = `The user has no API token ${unknown}; name only existing ones.`
    throw new AppError('invalid', 'Failed to update record', {
      fields: { api_tokens: { code: 'validation_missing_rel_records', message } },
    })
  }
  for (const token of tokens) if (!ids.includes(token.id)) tx.remove(apiTokens, token.id)
  syncOwner(tx, user)
}

/** Stores the SHA-256 of a new API token. */
export function createApiToken(
  db: Database,
  token: { user: string; name: string; expiresAt: string; hash: string },
): Promise<ApiToken> {
  return db.write('create api token', (tx) => {
    const row = tx.insert(apiTokens, {
      user: token.user,
      name: token.name,
      expires_at: token.expiresAt,
      token: token.hash,
    })
    syncOwner(tx, token.user)
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
  if (!token || token.user !== user) throw new AppError('not_found', "The requested resource wasn't found")
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
    tx.remove(apiTokens, token.id)
    syncOwner(tx, user)
  })
}
