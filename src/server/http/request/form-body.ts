import { AppError, badField, messageOf } from '../../../base/index.ts'
import { BODIES } from '../../admission/limits.ts'
import { assertWithinJsonLimits, type JsonLimits } from '../limits/json-shape.ts'
import { MULTIPART, URL_ENCODED } from '../media.ts'
import { objectOf } from './json-body.ts'
import { releaseMemory } from './json-text.ts'
import { readBytes } from './read-bytes.ts'

/** Fields of a form, and parameters of a query. */
const MAX_FIELDS = 1_000

/** A part of a form whose keys become fields of the body. */
const JSON_PART = '@jsonPayload'

/** Whether the body is a form, URL-encoded or multipart. */
export function isForm(request: Request): boolean {
  const type = mediaTypeOf(request)
  return type.startsWith(URL_ENCODED) || type.startsWith(MULTIPART)
}

function mediaTypeOf(request: Request): string {
  return request.headers.get('content-type')?.toLowerCase() ?? ''
}

/**
 * Reads the fields of a form, URL-encoded or multipart, with all values of each name. A body of another type
 * is read as URL-encoded.
 * @throws AppError `invalid` for a malformed form, more than 1,000 fields and files; `too_large`.
 */
async function readForm(request: Request, maxBytes: number): Promise<Map<string, string[]>> {
  const bytes = await readBytes(request, Math.min(maxBytes, BODIES.form.of({ kind: 'superuser' })))
  const isMultipart = mediaTypeOf(request).startsWith(MULTIPART)
  return isMultipart ? readParts(bytes, boundaryOf(request)) : readPairs(bytes)
}

/** Reads a form with one text per name; the last value of a repeated name wins. Throws like `readForm`. */
export async function readFormTexts(request: Request, maxBytes: number): Promise<Record<string, string>> {
  const form = await readForm(request, maxBytes)
  return Object.fromEntries([...form].map(([name, texts]) => [name, texts.at(-1) ?? '']))
}

/** How a route converts the fields of a form. */
interface FormOptions {
  maxBytes: number
  /** For JSON texts in fields. */
  limits: JsonLimits
  /** The value of a text, by the name of its field; the text itself by default. */
  convert?: (name: string, text: string) => unknown
}

/**
 * Reads a form as an object: repeated names form a list, and the keys of `@jsonPayload` are merged into it.
 * @throws AppError as `readForm`; `invalid` for malformed JSON in `@jsonPayload`.
 */
export async function readFormObject(
  request: Request,
  { maxBytes, limits, convert = (_, text) => text }: FormOptions,
): Promise<Record<string, unknown>> {
  const values = new Map<string, unknown>()
  for (const [name, texts] of await readForm(request, maxBytes)) {
    if (name === JSON_PART) {
      for (const text of texts)
        for (const [key, value] of Object.entries(jsonObject(text, limits))) values.set(key, value)
      continue
    }
    const typed = texts.map((text) => convert(name, text))
    values.set(name, typed.length === 1 ? typed[0] : typed)
  }
  return Object.fromEntries(values)
}

function jsonObject(text: string, limits: JsonLimits): Record<string, unknown> {
  assertWithinJsonLimits(text, limits)
  try {
    return objectOf(JSON.parse(text))
  } catch (cause) {
    throw new AppError('invalid', `${JSON_PART}: malformed JSON (${messageOf(cause)})`, { cause })
  }
}

/** The values of each name, collected in one pass: looking up a name in a form reads all of its fields. */
function grouped(fields: Iterable<[string, unknown]>): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const [name, part] of fields) {
    const text = textOf(name, part)
    const known = values.get(name)
    if (known) known.push(text)
    else values.set(name, [text])
  }
  return values
}

function textOf(name: string, part: unknown): string {
  if (typeof part === 'string') return part
  const message = 'Files are not supported.'
  throw badField(`${name}: files are not supported`, name, message)
}

function readPairs(bytes: Uint8Array): Map<string, string[]> {
  assertFieldCount('form', 1 + occurrences(bytes, '&'))
  return grouped(new URLSearchParams(decoded(bytes)))
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new AppError('invalid', 'body: not valid UTF-8')
  } finally {
    releaseMemory(bytes)
  }
}

const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'+.-]{1,70}))\s*(?:;|$)/i

function boundaryOf(request: Request): string {
  const [, quoted, plain] = BOUNDARY.exec(request.headers.get('content-type') ?? '') ?? []
  const boundary = quoted ?? plain
  if (boundary !== undefined) return boundary
  throw new AppError('invalid', 'body: malformed form (its content type has no valid boundary)')
}

async function readParts(bytes: Uint8Array, boundary: string): Promise<Map<string, string[]>> {
  // Each part begins with the boundary, and the form ends with one.
  assertFieldCount('form', occurrences(bytes, `--${boundary}`) - 1)
  // The runtime must look for the boundary that was counted.
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` }
  try {
    return grouped(await new Response(new Uint8Array(bytes), { headers }).formData())
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('invalid', 'body: malformed form; each part needs a name, and the last one its end', {
      cause,
    })
  }
}

/** How often `text` occurs in `bytes`; the count ends far above what is permitted. */
function occurrences(bytes: Uint8Array, text: string): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let count = 0
  for (let at = buffer.indexOf(text); at >= 0; at = buffer.indexOf(text, at + text.length)) count += 1
  return count
}

/**
 * Checks the number of parameters in the query of an address.
 * @throws AppError `invalid`.
 */
export function assertQuerySize(url: string): void {
  const start = url.indexOf('?')
  if (start >= 0) assertFieldCount('query', url.slice(start).split('&', MAX_FIELDS + 1).length)
}

function assertFieldCount(subject: 'form' | 'query', count: number): void {
  if (count <= MAX_FIELDS) return
  const given = subject === 'form' ? `${count} fields` : `more than ${MAX_FIELDS} parameters`
  const remedy = subject === 'form' ? 'send fewer fields, or a JSON body' : 'send fewer parameters'
  const limit = subject === 'form' ? `; the maximum is ${MAX_FIELDS}` : ''
  throw new AppError('invalid', `The ${subject} has ${given}${limit}; ${remedy}`, {
    reason: 'too_many_fields',
  })
}
