import { AppError, KIB } from '../../../base/index.ts'
import { releaseMemory } from './json-text.ts'

/** Announced bodies of at most this size are read in one piece, without the stream that larger ones need. */
const MAX_AT_ONCE_BYTES = 64 * KIB

/**
 * Reads a body of at most `maxBytes`.
 * @throws AppError `too_large` (413) beyond the limit, `invalid` when the body is truncated.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > maxBytes) throw tooLarge(maxBytes)
  try {
    // The runtime ends the body at the announced length and refuses a request that is also chunked.
    if (announced > 0 && announced <= MAX_AT_ONCE_BYTES) return await request.bytes()
    if (!request.body) return new Uint8Array()
    return await collected(request.body, { announced, maxBytes })
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('invalid', 'body: truncated', { cause })
  }
}

/** Copies each chunk as it arrives: joining all of a large body at its end would block the event loop. */
async function collected(
  body: ReadableStream<Uint8Array>,
  { announced, maxBytes }: { announced: number; maxBytes: number },
): Promise<Uint8Array> {
  let bytes = new Uint8Array(0)
  let total = 0
  for await (const chunk of body) {
    const end = total + chunk.byteLength
    if (end > maxBytes) throw tooLarge(maxBytes)
    if (total === 0 && end === announced) return chunk
    if (end > bytes.length) bytes = grown(bytes, Math.max(end, Math.min(maxBytes, announced || 2 * end)))
    bytes.set(chunk, total)
    releaseMemory(chunk)
    total = end
  }
  return bytes.subarray(0, total)
}

function grown(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length)
  larger.set(bytes)
  releaseMemory(bytes)
  return larger
}

function tooLarge(maxBytes: number): AppError {
  return new AppError(
    'too_large',
    `The request body is larger than ${maxBytes} bytes; send less data or split the request`,
  )
}
