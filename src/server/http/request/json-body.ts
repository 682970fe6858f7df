import { AppError } from '../../../base/index.ts'
import { BODY_LIMITS, type JsonLimits } from '../limits/json-shape.ts'
import { isLargeJson, parseJsonBytes, ReceivedJson } from './json-text.ts'
import { readBytes } from './read-bytes.ts'

/**
 * Reads a JSON body of at most `maxBytes`; an empty body is `undefined`.
 * @throws AppError `invalid` for malformed JSON and beyond `limits`, `too_large` (413) beyond `maxBytes`.
 */
export async function readJsonBody(request: Request, maxBytes: number, limits: JsonLimits): Promise<unknown> {
  return parseJsonBytes(await readBytes(request, maxBytes), limits)
}

/**
 * Like `readJsonBody` with the limits of `sender`, but returns a large body unparsed, for a thread that does
 * more with it than parsing.
 */
export async function receiveJsonBody(
  request: Request,
  maxBytes: number,
  sender: keyof typeof BODY_LIMITS,
): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes)
  return isLargeJson(bytes) ? new ReceivedJson(bytes, sender) : parseJsonBytes(bytes, BODY_LIMITS[sender])
}

/** The body as an object; an absent one is empty: the record-store SDK sends some requests without a body. */
export function objectOf(body: unknown = {}): Record<string, unknown> {
  // A copy of an object with thousands of keys would take longer than its parsing.
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  throw new AppError('invalid', 'body: expected a JSON object')
}
