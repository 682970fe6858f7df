import { AppError, sha256 } from '../../../base/index.ts'
import { encodeJson, mapped, type ReadTx } from '../../../db/index.ts'
import { findResponseOfKey, type KeyedRequest, responseOf } from '../../../db/store/jobs/index.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** The parts of a request that identify a repetition. */
interface Repeatable {
  /** The caller: a user's id, or the name of the caller. */
  user: string
  /** Method and path, such as `POST /api/jobs`. */
  route: string
  /** Identifies the request itself, see `contentHash`. */
  bodyHash: string
}

/**
 * The request under its `Idempotency-Key`; undefined without a key.
 * @throws AppError `invalid` for a malformed key.
 */
export function keyedRequest(
  key: string | undefined,
  { user, route, bodyHash }: Repeatable,
): KeyedRequest | undefined {
  if (key === undefined) return undefined
  assertKey(key)
  return { user, key, route, bodyHash }
}

function assertKey(key: string): void {
  if (KEY.test(key)) return
  throw new AppError(
    'invalid',
    'Idempotency-Key: expected 1 to 255 printable ASCII characters without spaces',
  )
}

/** Identifies the content of a request, a JSON value. */
export function contentHash(content: unknown): string {
  return sha256(encodeJson(content))
}

/**
 * The id of the record that an earlier request with the same key has created, if any; nothing is read without
 * a key. @throws as `responseOf`.
 */
export function earlierId(request: KeyedRequest | undefined, now: number) {
  return request && mapped(responseOf(request, now), (found) => idOf(found?.response))
}

/**
 * The id of the record that a user has created at `route` with this key, if any.
 * @throws AppError `invalid` for a malformed key.
 */
export function idOfKey(
  tx: ReadTx,
  request: { user: string; key: string; route: string },
): string | undefined {
  assertKey(request.key)
  return idOf(findResponseOfKey(tx, request))
}

function idOf(response: unknown): string | undefined {
  const id = typeof response === 'object' && response !== null && 'id' in response ? response.id : undefined
  return typeof id === 'string' ? id : undefined
}
