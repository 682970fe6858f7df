import type { AnyCollection } from '../../../db/index.ts'
import { quantumJobs } from '../../../db/store/jobs/index.ts'
import { BODIES } from '../../admission/limits.ts'
import type { Caller } from '../../http/caller.ts'
import { assertWithinJsonLimits, BODY_LIMITS, type JsonLimits } from '../../http/limits/json-shape.ts'
import { isForm, readFormObject } from '../../http/request/form-body.ts'
import { objectOf, readJsonBody, receiveJsonBody } from '../../http/request/json-body.ts'
import { ReceivedJson } from '../../http/request/json-text.ts'
import type { Values } from '../behavior.ts'
import { plainName } from './modifiers.ts'

/**
 * Reads a body: JSON, a multipart form or a URL-encoded form. In forms, repeated names form a list, and texts
 * are converted to the kind of their field. An absent body counts as an empty object. `receive` reads a large
 * JSON body.
 * @throws AppError `invalid` for malformed bodies and for files; `too_large`.
 */
export async function readBody(
  { request, caller }: { request: Request; caller: Pick<Caller, 'kind'> },
  collection: AnyCollection,
  receive?: (body: ReceivedJson) => Promise<Values>,
): Promise<Values> {
  // Users write large values in jobs only.
  const maxBytes = (collection.name === quantumJobs.name ? BODIES.job : BODIES.record).of(caller)
  const limits = BODY_LIMITS[caller.kind]
  if (!isForm(request)) {
    if (!receive) return objectOf(await readJsonBody(request, maxBytes, limits))
    const body = await receiveJsonBody(request, maxBytes, caller.kind)
    return body instanceof ReceivedJson ? receive(body) : objectOf(body)
  }
  const convert = (name: string, text: string) => typedText(collection, name, text, limits)
  return readFormObject(request, { maxBytes, limits, convert })
}

/** Converts text of a form to the kind of its field. */
function typedText(collection: AnyCollection, key: string, text: string, limits: JsonLimits): unknown {
  const name = plainName(key)
  const field = Object.hasOwn(collection.fields, name) ? collection.fields[name] : undefined
  const parseJson = (json: string): unknown => {
    assertWithinJsonLimits(json, limits)
    return JSON.parse(json)
  }
  return field ? field.kind.fromFormText(text, parseJson) : text
}
