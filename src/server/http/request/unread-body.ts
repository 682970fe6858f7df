import { KIB, MIB } from '../../../base/index.ts'

/** Bytes of a body that have certainly arrived together with the head of the request. */
const ARRIVED_BYTES = 16 * KIB

/**
 * Whether part of the body may still be in transit, unread: such a connection would delay the stop of the
 * server.
 */
export function hasUnreadBody(request: Request, response: Response): boolean {
  // First, because access to the body of a request creates a stream.
  if (request.bodyUsed && response.status !== 413) return false
  if (!request.body) return false
  const length = Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY)
  return response.status === 413 || (!request.bodyUsed && length > ARRIVED_BYTES)
}

/** Bytes that a trusted proxy may send in vain; beyond, its connection is closed. */
const MAX_DISCARDED_BYTES = 64 * MIB

/**
 * Reads the rest of a body and returns whether it ended. A proxy that is still sending when the connection
 * closes takes this for a failure of the server and loses the response.
 */
export async function discardBody({ body }: Request): Promise<boolean> {
  if (!body || body.locked) return false
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength
      if (bytes > MAX_DISCARDED_BYTES) return false
    }
    return true
  } catch {
    return false
  }
}
