import { AppError } from '../../../base/index.ts'
import { findResponse, type KeyedRequest, type Tx } from '../../../db/index.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** What a repeatable request consists of. */
interface Repeatable {
  /** Who asks: a user's id, or the caller's name. */
  user: string
  /** Method and path, such as `POST /api/jobs`. */
  route: string
  /** What is asked for, as JSON can hold it. */
  content: unknown
}

/**
 * A request under its `Idempotency-Key`; undefined when it has none.
 * @throws AppError `invalid` for a key of another form.
 */
export function keyedRequest(
  key: string | undefined,
  { user, route, content }: Repeatable,
): KeyedRequest | undefined {
  if (key === undefined) return undefined
  if (!KEY.test(key)) {
    throw new AppError(
      'invalid',
      'Idempotency-Key: expected 1 to 255 printable ASCII characters without blanks',
    )
  }
  const bodyHash = new Bun.CryptoHasher('sha256').update(JSON.stringify(content)).digest('hex')
  return { user, key, route, bodyHash }
}

/** Id of what the same request made before, if it did. */
export function earlierId(tx: Tx, request: KeyedRequest | undefined): string | undefined {
  const response = request && findResponse(tx, request)?.response
  const id = typeof response === 'object' && response !== null && 'id' in response ? response.id : undefined
  return typeof id === 'string' ? id : undefined
}
