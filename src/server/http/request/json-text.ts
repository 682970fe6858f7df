import { AppError, defineWorker, KIB, messageOf, RequestThread, wholeBuffer } from '../../../base/index.ts'
import { assertWithinJsonLimits, type BODY_LIMITS, type JsonLimits } from '../limits/json-shape.ts'

interface JsonBytes {
  bytes: Uint8Array
  limits: JsonLimits
}

/** The value of a JSON text, or why it is refused. */
type ParsedJson = { value: unknown } | { refused: string }

/** Parses large JSON texts in their order. */
export const jsonWorker = defineWorker<JsonBytes, ParsedJson>('src/server/http/request/json-worker.ts')

const thread = new RequestThread(jsonWorker, { task: 'parses large bodies' })

/** Texts of at most this size are parsed on the event loop, within about 5 ms. */
const MAX_INLINE_BYTES = 256 * KIB

/**
 * Parses the JSON text of a body; an empty one is `undefined`. Large texts are parsed in a thread, so that
 * they do not block the event loop. The memory of `bytes` is freed; they must not be used again.
 * @throws AppError `invalid` for malformed JSON and for a text beyond `limits`.
 */
export async function parseJsonBytes(bytes: Uint8Array, limits: JsonLimits): Promise<unknown> {
  const text = { bytes, limits }
  const parsed = isLargeJson(bytes) ? await thread.request(text, wholeBuffer(bytes)) : parseJsonText(text)
  releaseMemory(bytes)
  if ('refused' in parsed) throw new AppError('invalid', parsed.refused)
  return parsed.value
}

/** A JSON body that was received and not parsed, because it is large. */
export class ReceivedJson {
  readonly bytes: Uint8Array
  /** The kind of caller, whose limits apply. */
  readonly sender: keyof typeof BODY_LIMITS

  constructor(bytes: Uint8Array, sender: keyof typeof BODY_LIMITS) {
    this.bytes = bytes
    this.sender = sender
  }
}

/** Whether a JSON text is too large to be parsed on the event loop. */
export function isLargeJson(bytes: Uint8Array): boolean {
  return bytes.byteLength > MAX_INLINE_BYTES
}

/** Parses a JSON text here. */
export function parseJsonText({ bytes, limits }: JsonBytes): ParsedJson {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    assertWithinJsonLimits(text, limits)
    return { value: text === '' ? undefined : parse(text, limits.subject) }
  } catch (error) {
    if (error instanceof AppError) return { refused: error.message }
    return { refused: `${limits.subject}: not valid UTF-8` }
  }
}

function parse(text: string, subject: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The beginning of a program, after its comments.
    const isProgram = /^(\s|\/\/.*\n|\/\*[\s\S]*?\*\/)*OPENQASM\s/.test(text.slice(0, 10 * KIB))
    const found = isProgram
      ? 'this is a bare OpenQASM program; send {"circuits": ["OPENQASM …"]}'
      : messageOf(error)
    throw new AppError('invalid', `${subject}: malformed JSON (${found})`)
  }
}

/**
 * Frees the memory of bytes immediately instead of at the next garbage collection; they must not be used
 * again.
 */
export function releaseMemory(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes
  // Small buffers may share their memory with others; those that have moved to a thread are empty.
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
