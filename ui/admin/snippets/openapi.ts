import * as v from 'valibot'

const schemaObject = v.looseObject({})
const parameter = v.object({
  name: v.string(),
  in: v.string(),
  required: v.optional(v.boolean(), false),
  description: v.optional(v.string(), ''),
  schema: v.optional(schemaObject, {}),
})
const operation = v.object({
  summary: v.optional(v.string(), ''),
  security: v.optional(v.array(v.record(v.string(), v.unknown())), []),
  parameters: v.optional(v.array(parameter), []),
  requestBody: v.optional(v.object({ content: v.record(v.string(), v.object({ schema: schemaObject })) })),
  responses: v.optional(v.record(v.string(), v.unknown()), {}),
})

/** The parts of the OpenAPI document that the API pages show. */
export const openApi = v.object({
  info: v.object({ version: v.string() }),
  paths: v.record(v.string(), v.record(v.string(), operation)),
  components: v.object({ schemas: v.optional(v.record(v.string(), schemaObject), {}) }),
})
type OpenApi = v.InferOutput<typeof openApi>
type Schema = Readonly<Record<string, unknown>>

/** A parameter or a field of a body, ready to be shown. */
export interface Part {
  name: string
  /** `path`, `query`, `header` or `body`. */
  place: string
  required: boolean
  type: string
  description: string
}

/** A route as the API pages show it. */
export interface Operation {
  method: string
  path: string
  summary: string
  access: 'public' | 'signed_in' | 'superuser'
  parts: Part[]
  /** Example of a body; undefined without one. */
  body?: unknown
  statuses: string[]
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete'])
const MAX_DEPTH = 4
/** Fields of an example without required ones. */
const MAX_OPTIONAL = 4

/** All routes of the document, in its order. */
export function operationsOf(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, { summary, security, parameters, requestBody, responses }]): Operation => {
        const schema = requestBody?.content['application/json']?.schema
        return {
          method: method.toUpperCase(),
          path,
          summary,
          access: accessOf(security),
          parts: [
            ...parameters.map((each) => ({
              name: each.name,
              place: each.in,
              required: each.required,
              type: typeOf(document, each.schema),
              description: each.description || textOf(each.schema['description']),
            })),
            ...(schema ? bodyParts(document, schema) : []),
          ],
          ...(schema && { body: exampleOf(document, schema) }),
          statuses: Object.keys(responses),
        }
      }),
  )
}

/** Routes that only superusers may call take no API tokens. */
function accessOf(security: readonly Record<string, unknown>[]): Operation['access'] {
  if (security.length === 0) return 'public'
  return security.some((each) => 'apiToken' in each) ? 'signed_in' : 'superuser'
}

function bodyParts(document: OpenApi, schema: Schema): Part[] {
  const { properties, required } = resolve(document, schema)
  const names = Array.isArray(required) ? required : []
  return Object.entries(asObject(properties)).map(([name, value]) => {
    const each = asObject(value)
    return {
      name,
      place: 'body',
      required: names.includes(name),
      type: typeOf(document, each),
      description: textOf(each['description']),
    }
  })
}

/** The type of a value in few words. */
export function typeOf(document: OpenApi, schema: Schema, depth = 0): string {
  const { type, enum: values, anyOf, items, const: fixed } = resolve(document, schema)
  if (fixed !== undefined) return JSON.stringify(fixed)
  if (Array.isArray(values)) return values.map((each) => JSON.stringify(each)).join(' | ')
  if (Array.isArray(anyOf) && depth < MAX_DEPTH) {
    return [...new Set(anyOf.map((each) => typeOf(document, asObject(each), depth + 1)))].join(' or ')
  }
  if (type === 'array' && depth < MAX_DEPTH) return `list of ${typeOf(document, asObject(items), depth + 1)}`
  return typeof type === 'string' ? type : 'any'
}

/** A value that fits a schema: required parts, or the first ones when none is required. */
function exampleOf(document: OpenApi, schema: Schema, depth = 0): unknown {
  const resolved = resolve(document, schema)
  const { type, enum: values, anyOf, items, const: fixed, default: usual } = resolved
  if (fixed !== undefined) return fixed
  if (usual !== undefined) return usual
  if (Array.isArray(values)) return values.find((each) => each !== '') ?? values[0]
  const below = (each: unknown) => (depth > MAX_DEPTH ? null : exampleOf(document, asObject(each), depth + 1))
  if (Array.isArray(anyOf)) return below(anyOf[0])
  if (type === 'array') return depth > MAX_DEPTH ? [] : [below(items)]
  if (type === 'object') return objectExample(resolved, below)
  return plainExample(resolved)
}

function objectExample({ properties, required }: Schema, below: (each: unknown) => unknown): unknown {
  const all = Object.entries(asObject(properties))
  const needed = Array.isArray(required) && required.length > 0 ? required : undefined
  const wanted = needed ? all.filter(([name]) => needed.includes(name)) : all.slice(0, MAX_OPTIONAL)
  return Object.fromEntries(wanted.map(([name, each]) => [name, below(each)]))
}

function plainExample({ type, minimum }: Schema): unknown {
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? Math.max(0, minimum) : 0
  if (type === 'boolean') return true
  return type === 'string' ? '…' : null
}

/** Follows references within the document, as far as they lead somewhere. */
function resolve(document: OpenApi, schema: Schema): Schema {
  let found = schema
  for (let hops = 0; hops < MAX_DEPTH; hops += 1) {
    const name = /^#\/components\/schemas\/(.+)$/.exec(textOf(found['$ref']))?.[1]
    const next = name === undefined ? undefined : document.components.schemas[name]
    if (!next) return found
    found = next
  }
  return found
}

function asObject(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
