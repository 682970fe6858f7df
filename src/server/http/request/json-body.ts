import { AppError, messageOf } from '../../../base/index.ts'
import { assertWithinJsonLimits, BODY_LIMITS } from '../limits/json-shape.ts'

/**
 * Reads a JSON body of at most `maxBytes`; an empty body is `undefined`.
 * @throws AppError `invalid` for malformed JSON, `too_large` (413) beyond the limit.
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  const text = await readText(request, maxBytes)
  if (text === '') return undefined
  assertWithinJsonLimits(text, BODY_LIMITS)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('invalid', `body: malformed JSON (${messageOf(error)})`)
  }
}

/**
 * Reads the values of a posted form (`application/x-www-form-urlencoded`); the last value of a repeated name
 * wins.
 */
export async function readFormBody(request: Request, maxBytes: number): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await readText(request, maxBytes)))
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const bytes = await readBytes(request, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new AppError('invalid', 'body: not valid UTF-8')
  } finally {
    releaseMemory(bytes)
  }
}

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

/**
 * Frees the memory of bytes at once instead of at the next garbage collection; they must not be used again.
 */
function releaseMemory(bytes: Uint8Array): void {
  const { buffer } = bytes
  // Small buffers may share their memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0)
}

function tooLarge(maxBytes: number): AppError {
  return new AppError(
    'too_large',
    `The request body is larger than ${maxBytes} bytes; send less data or split the request`,
  )
}
