import { AppError, messageOf } from '../../../base/index.ts'
import type { AnyCollection } from '../../../db/index.ts'
import type { Caller } from '../../http/caller.ts'
import { assertWithinJsonLimits, BODY_LIMITS } from '../../http/limits/json-shape.ts'
import { readBytes, readJsonBody } from '../../http/request/json-body.ts'
import type { Values } from '../behavior.ts'
import { plainName } from './modifiers.ts'

/** Maximum size of a request body, in bytes. */
export const MAX_BODY = 16 * 1024 * 1024
/**
 * The limit for guests, who can only create an account: their bodies are held in memory before any further
 * check.
 */
const MAX_GUEST_BODY = 1024 * 1024

const JSON_PART = '@jsonPayload'

/**
 * Reads a body: JSON, a multipart form or a URL-encoded form. In forms, repeated names form a list, and texts
 * are converted to the kind of their field. An absent body counts as an empty object.
 * @throws AppError `invalid` for malformed bodies and for files; `too_large`.
 */
export async function readBody(
  { request, caller }: { request: Request; caller: Pick<Caller, 'kind'> },
  collection: AnyCollection,
): Promise<Values> {
  const most = caller.kind === 'guest' ? MAX_GUEST_BODY : MAX_BODY
  const type = request.headers.get('content-type')?.toLowerCase() ?? ''
  const isForm =
    type.startsWith('multipart/form-data') || type.startsWith('application/x-www-form-urlencoded')
  return isForm ? readForm(request, most, collection) : objectOf(await readJsonBody(request, most))
}

function objectOf(body: unknown = {}): Values {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body }
  throw new AppError('invalid', 'body: expected a JSON object')
}

async function readForm(request: Request, most: number, collection: AnyCollection): Promise<Values> {
  const values = new Map<string, unknown>()
  const form = await formOf(request, most)
  for (const name of new Set(form.keys())) {
    const sent = form.getAll(name).map((part) => textOf(name, part))
    if (name === JSON_PART) {
      for (const text of sent)
        for (const [key, value] of Object.entries(jsonObject(text))) values.set(key, value)
      continue
    }
    const typed = sent.map((text) => typedText(collection, name, text))
    values.set(name, typed.length === 1 ? typed[0] : typed)
  }
  return Object.fromEntries(values)
}

async function formOf(request: Request, most: number): Promise<FormData> {
  const bytes = new Uint8Array(await readBytes(request, most))
  const type = request.headers.get('content-type') ?? ''
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw new AppError('invalid', `body: malformed form (${messageOf(cause)})`, { cause })
  }
}

function textOf(name: string, part: unknown): string {
  if (typeof part === 'string') return part
  const message = 'Files are not supported.'
  throw new AppError('invalid', `${name}: files are not supported`, {
    fields: { [name]: { code: 'validation_invalid_value', message } },
  })
}

function jsonObject(text: string): Values {
  assertWithinJsonLimits(text, BODY_LIMITS)
  try {
    return objectOf(JSON.parse(text))
  } catch (cause) {
    throw new AppError('invalid', `${JSON_PART}: malformed JSON (${messageOf(cause)})`, { cause })
  }
}

/** Converts text of a form to the kind of its field. */
function typedText(collection: AnyCollection, key: string, text: string): unknown {
  const name = plainName(key)
  const field = Object.hasOwn(collection.fields, name) ? collection.fields[name] : undefined
  return field ? field.kind.fromFormText(text, parseJson) : text
}

function parseJson(text: string): unknown {
  assertWithinJsonLimits(text, BODY_LIMITS)
  return JSON.parse(text)
}
