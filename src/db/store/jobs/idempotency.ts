import { AppError, DAY_MS, toTimestamp } from '../../../base/index.ts'
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

/**
 * Returns the stored response of the same request, or undefined when the key is new: then the caller handles
 * the request and calls `saveResponse` in the same transaction.
 * @throws AppError `unprocessable`, reason `idempotency_key_reused`, when the key was used for another
 *   request.
 */
export function findResponse(tx: Tx, request: KeyedRequest): StoredResponse | undefined {
  const expired = toTimestamp(tx.now - RESPONSE_TTL_MS)
  tx.post(REMOVE_OLDEST, { before: expired, limit: KEYS_PRUNED_PER_REQUEST })
  const known = tx.one<{ route: string; body_hash: string; status: number; response: string }>(
    `SELECT route, body_hash, status, response FROM idempotency_keys
     WHERE "user" = $user AND key = $key AND at >= $expired`,
    { user: request.user, key: request.key, expired },
  )
  if (!known) return undefined
  if (known.route !== request.route || known.body_hash !== request.bodyHash) {
    throw new AppError(
      'unprocessable',
      'This Idempotency-Key was used for another request; use a new key for a new request',
      { reason: 'idempotency_key_reused' },
    )
  }
  return { status: known.status, response: JSON.parse(known.response) }
}

/** The stored response to what a user has sent to `route` with this key, whatever its body. */
export function findResponseOfKey(tx: ReadTx, { user, key, route }: Omit<KeyedRequest, 'bodyHash'>): unknown {
  const known = tx.one<{ response: string }>(
    `SELECT response FROM idempotency_keys
     WHERE "user" = $user AND key = $key AND route = $route AND at >= $expired`,
    { user, key, route, expired: toTimestamp(tx.now - RESPONSE_TTL_MS) },
  )
  return known && JSON.parse(known.response)
}

/** Stores the response to a keyed request. */
export function saveResponse(tx: Tx, request: KeyedRequest, response: StoredResponse): void {
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
