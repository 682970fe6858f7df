import { AppError, messageOf } from '../../../base/index.ts'
import { releaseMemory } from './json-text.ts'

/**
 * Reads a body of at most `maxBytes`.
 * @throws AppError `too_large` (413) beyond the limit, `invalid` when the body is truncated.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > maxBytes) throw tooLarge(maxBytes)
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let total = 0
  try {
    for await (const chunk of request.body) {
      total += chunk.byteLength
      if (total > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('invalid', `body: truncated (${messageOf(cause)})`, { cause })
  }
  if (chunks.length === 1 && chunks[0]) return chunks[0]
  const bytes = Buffer.concat(chunks)
  for (const chunk of chunks) releaseMemory(chunk)
  return bytes
}

function tooLarge(maxBytes: number): AppError {
  return new AppError(
    'too_large',
    `The request body is larger than ${maxBytes} bytes; send less data or split the request`,
  )
}
