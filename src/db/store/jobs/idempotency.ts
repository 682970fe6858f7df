import { AppError, DAY_MS, toTimestamp } from '../../../base/index.ts'
import { firstOf, mapped, type Query } from '../../engine/query.ts'
import type { SqlWriter } from '../../engine/sql.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'

/** A request that its sender may repeat safely. */
export interface KeyedRequest {
  user: string
  /** The sender's `Idempotency-Key`. */
  key: string
  /** Method and path, such as `POST /api/jobs`. */
  route: string
  /** SHA-256 (hex) of the body. */
  bodyHash: string
}

/** The response to a keyed request. */
interface StoredResponse {
  status: number
  response: unknown
}

/** Time in ms during which a repeated request gets the stored response. */
export const RESPONSE_TTL_MS = DAY_MS
/** Expired keys removed with each request, so that the table stays small without a loop of its own. */
const KEYS_PRUNED_PER_REQUEST = 10

/** What is stored under a key. */
interface StoredRow {
  route: string
  body_hash: string
  status: number
  response: string
}

/**
 * The stored response of the same request at `now`, or undefined when the key is new: then the caller handles
 * the request and calls `saveResponse` in the same transaction.
 * @throws AppError `unprocessable`, reason `idempotency_key_reused`, when the key was used for another
 *   request.
 */
export function responseOf(
  { user, key, route, bodyHash }: KeyedRequest,
  now: number,
): Query<StoredResponse | undefined> {
  return mapped(storedUnder({ user, key }, now), (known) => {
    if (!known) return undefined
    if (known.route !== route || known.body_hash !== bodyHash) throw keyReused()
    return { status: known.status, response: JSON.parse(known.response) }
  })
}

function storedUnder({ user, key }: Pick<KeyedRequest, 'user' | 'key'>, now: number) {
  return firstOf<StoredRow>(
    `SELECT route, body_hash, status, response FROM idempotency_keys
     WHERE "user" = $user AND key = $key AND at >= $expired`,
    { user, key, expired: toTimestamp(now - RESPONSE_TTL_MS) },
  )
}

function keyReused(): AppError {
  return new AppError(
    'unprocessable',
    'This Idempotency-Key was used for another request; use a new key for a new request',
    { reason: 'idempotency_key_reused' },
  )
}

/** The stored response to what a user has sent to `route` with this key, whatever its body. */
export function findResponseOfKey(tx: ReadTx, { user, key, route }: Omit<KeyedRequest, 'bodyHash'>): unknown {
  const known = tx.read(storedUnder({ user, key }, tx.now))
  return known?.route === route ? JSON.parse(known.response) : undefined
}

/** Stores the response to a keyed request, and removes some that have expired. */
export function saveResponse(tx: Tx, request: KeyedRequest, response: StoredResponse): void {
  const expired = toTimestamp(tx.now - RESPONSE_TTL_MS)
  tx.post(REMOVE_OLDEST, { before: expired, limit: KEYS_PRUNED_PER_REQUEST })
  tx.post(
    `INSERT INTO idempotency_keys ("user", key, route, body_hash, status, response, at)
     VALUES ($user, $key, $route, $bodyHash, $status, $response, $at)
     ON CONFLICT ("user", key) DO UPDATE SET route = excluded.route, body_hash = excluded.body_hash,
       status = excluded.status, response = excluded.response, at = excluded.at`,
    { ...request, status: response.status, response: JSON.stringify(response.response), at: tx.at },
  )
}

/** Removes up to `limit` responses older than `before` (stored text), oldest first; returns their number. */
export function removeResponses(tx: SqlWriter, before: string, limit: number): number {
  return tx.run(REMOVE_OLDEST, { before, limit })
}

const REMOVE_OLDEST = `DELETE FROM idempotency_keys WHERE ("user", key) IN
  (SELECT "user", key FROM idempotency_keys WHERE at < $before ORDER BY at LIMIT $limit)`
