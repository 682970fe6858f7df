import { AppError, messageOf } from '../../base/index.ts'

/** Nesting and size that a request body may have; enough for every route, far from exhausting the process. */
const MAX_DEPTH = 32
const MAX_NODES = 2_000_000

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/**
 * Checks nesting and node count of JSON text without building it: parsing hostile text first could take
 * a hundred times its size in memory.
 * @throws AppError `invalid` naming the limit.
 */
export function checkJsonShape(text: string): void {
  let depth = 0
  let nodes = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        nodes += 1
        depth += 1
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1
        break
      case COMMA:
        nodes += 1
    }
    if (depth > MAX_DEPTH) throw new AppError('invalid', `body: nested deeper than ${MAX_DEPTH} levels`)
    if (nodes > MAX_NODES) throw new AppError('invalid', `body: more than ${MAX_NODES} values`)
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1
  return (at - first) % 2 === 1
}

/**
 * Reads a JSON body of at most `maxBytes`; an empty body is `undefined`.
 * @throws AppError `invalid` for malformed JSON, `too_large` (413) beyond the limit.
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  const text = await readText(request, maxBytes)
  if (text === '') return undefined
  checkJsonShape(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('invalid', `body: malformed JSON (${messageOf(error)})`)
  }
}

/** Reads the values of a posted form (`application/x-www-form-urlencoded`); of repeated names the last. */
export async function readFormBody(request: Request, maxBytes: number): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await readText(request, maxBytes)))
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const bytes = await readBytes(request, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new AppError('invalid', 'body: not valid UTF-8')
  }
}

/**
 * Reads a body of at most `maxBytes`.
 * @throws AppError `too_large` (413) beyond the limit, `invalid` when it ends early.
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
    throw new AppError('invalid', `body: ended early (${messageOf(cause)})`, { cause })
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too_large', `request body is larger than ${maxBytes} bytes; send less or split it`)
}
