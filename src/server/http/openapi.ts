import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { nextTurn } from '../../base/index.ts'
import { CODINGS, type Coding, chooseCoding } from './coding/accept-encoding.ts'
import { compress } from './coding/compress.ts'
import { errorCodesOf, statusesOf } from './error-codes.ts'
import { JSON_BODY } from './media.ts'
import { defineRoute, type Route } from './route.ts'
import { described, shape } from './schema.ts'

type Json = Readonly<Record<string, unknown>>

/** What a status means on any route; the summary of the route adds the details. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  204: 'Success without a response body',
  303: 'See Other: continue with GET at the URL in Location',
  307: 'Temporary Redirect to the URL in Location',
  400: 'Invalid request; `data` describes each invalid field',
  401: 'Missing or expired credentials',
  403: 'Not allowed for this account',
  404: 'Not found, or not visible to the caller',
  405: 'Method not allowed',
  409: 'Conflicts with the current state',
  413: 'Request body or requested page is too large',
  415: 'The Content-Encoding of the body is not supported; Accept-Encoding names those that are',
  416: 'The requested range lies beyond the end of the file',
  422: 'Contradicts an earlier request with the same key',
  429: 'Too many requests',
  431: 'URL and headers exceed 16 KiB together; the response has no body',
  500: 'Internal error; the server log contains the cause under the request id',
  503: 'Temporarily unavailable',
  507: 'The disk of the server is full; nothing was stored',
}

const fieldError = shape('FieldError', {
  code: described(v.string(), 'Stable identifier for programs'),
  message: v.string(),
  params: v.optional(v.record(v.string(), v.unknown())),
})

/** Body of every response with a status of 400 or above; see `ErrorBody`. */
const errorSchema = v.object({
  status: v.pipe(v.number(), v.integer()),
  message: v.string(),
  code: described(v.string(), 'Stable identifier for programs: the reason, or the kind of error'),
  request_id: described(v.string(), 'The X-Request-Id of the response'),
  data: described(v.record(v.string(), fieldError), 'Invalid fields by their path'),
})

/** The named schemas that response and request bodies consist of, by title. */
export function shapesOf(routes: readonly Route[]): Record<string, v.GenericSchema> {
  return shapesIn(routes.flatMap(({ response, bodyForms }) => [response, bodyForms]))
}

function shapesIn(schemas: readonly (v.GenericSchema | undefined)[]): Record<string, v.GenericSchema> {
  const shapes: Record<string, v.GenericSchema> = {}
  const take = (schema: v.GenericSchema) => {
    const title = v.getTitle(schema)
    if (title !== undefined) shapes[title] = schema
    for (const part of partsOf(schema)) take(part)
  }
  for (const schema of schemas) if (schema) take(schema)
  return shapes
}

/** What objects, lists, maps, unions, and values that may be absent consist of. */
function partsOf({ entries, item, value, options, wrapped }: v.GenericSchema & SchemaParts) {
  const parts = [...Object.values(entries ?? {}), item, value, ...(options ?? []), wrapped]
  return parts.filter((part) => typeof part === 'object')
}

interface SchemaParts {
  readonly entries?: v.ObjectEntries
  readonly item?: v.GenericSchema
  readonly value?: v.GenericSchema
  readonly options?: readonly v.GenericSchema[]
  readonly wrapped?: v.GenericSchema
}

/**
 * The OpenAPI 3.1 description of `routes`, generated from the declarations that also validate their requests.
 */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const steps = documentSteps(routes, version)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** Describes one route per step, because all of them take 50 ms or more. */
function* documentSteps(routes: readonly Route[], version: string): Generator<undefined, Json, undefined> {
  const definitions = { Error: errorSchema, FieldError: fieldError, ...shapesOf(routes) }
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    const path = route.path.replace(PARAMETER, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, definitions) }
    yield
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version,
      description: 'Quantum job control service. Bodies are JSON unless stated otherwise.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: toJsonSchemaDefs(definitions, config('output')),
      responses: Object.fromEntries(
        Object.keys(STATUS_TEXTS)
          .map(Number)
          .filter((status) => status >= 400)
          .map((status) => [String(status), errorResponse(status)]),
      ),
      headers: {
        'X-Request-Id': {
          description:
            'Identifies the request in the log; clients may set it (at most 64 characters of A-Z a-z 0-9 _ -)',
          schema: { type: 'string' },
        },
        'Svc-Version': { description: 'Version of the server', schema: { type: 'string' } },
        'Retry-After': {
          description: 'Seconds to wait before the next attempt',
          schema: { type: 'integer' },
        },
      },
      securitySchemes: {
        login: {
          type: 'http',
          scheme: 'bearer',
          description: 'Login token, or API token of a user; the prefix `Bearer` is optional',
        },
        apiToken: { type: 'apiKey', in: 'header', name: 'X-API-Token', description: 'API token of a user' },
      },
    },
  }
}

/** A parameter in the path of a route, such as `:id`; a pattern for the router may follow in braces. */
const PARAMETER = /:(\w+)(?:\{[^/]*\})?/g

const SECURITY: Record<Route['access'], readonly Json[]> = {
  public: [],
  signed_in: [{ login: [] }, { apiToken: [] }],
  superuser: [{ login: [] }],
}

function operation(route: Route, definitions: Record<string, v.GenericSchema>): Json {
  const { method, path, access, summary } = route
  const body = route.bodyForms ?? route.body
  const parameters = parametersOf(route)
  return {
    operationId: operationId(method, path),
    summary,
    security: SECURITY[access],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(body, route.bodyMedia, definitions) }),
    responses: Object.fromEntries(
      statusesOf(route).map((status) => [
        String(status),
        status >= 400 ? failure(route, status) : success(route, status, definitions),
      ]),
    ),
    'x-error-codes': errorCodesOf(route),
  }
}

function requestBody(
  body: v.GenericSchema,
  media: readonly string[],
  definitions: Record<string, v.GenericSchema>,
): Json {
  const schema = schemaOf(body, 'input', definitions)
  return { required: true, content: Object.fromEntries(media.map((type) => [type, { schema }])) }
}

/** `getJobsById` for `GET /api/jobs/:id`: the name that client generators give the function. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api\//, '')
    .replace(PARAMETER, 'by_$1')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function parametersOf({ path, params, query, headers }: Route): Json[] {
  const declared: { properties?: Record<string, Json>; required?: string[] } = query
    ? schemaOf(query, 'input')
    : {}
  return [
    ...[...path.matchAll(PARAMETER)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: params[name] ? schemaOf(params[name], 'input') : { type: 'string' },
    })),
    ...Object.entries(declared.properties ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      required: declared.required?.includes(name) ?? false,
      schema,
    })),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    })),
  ]
}

function success(route: Route, status: number, definitions: Record<string, v.GenericSchema>): Json {
  const types = route.media === undefined ? [JSON_BODY, ...route.files] : [route.media]
  const json = () => ({ schema: responseSchema(route, definitions) })
  const content = Object.fromEntries(types.map((type) => [type, type === JSON_BODY ? json() : TEXT]))
  const hasBody = status !== 204 && status < 300
  return { description: STATUS_TEXTS[status] ?? 'Done', headers: REQUEST_ID, ...(hasBody && { content }) }
}

const TEXT: Json = { schema: { type: 'string' } }

/** On routes with the query parameter `fields` or `omit`, a response may be a part of its schema. */
function responseSchema({ response, query }: Route, definitions: Record<string, v.GenericSchema>): Json {
  if (!response) return {}
  const whole = schemaOf(response, 'output', definitions)
  const parameters = query !== undefined && 'entries' in query ? Object(query.entries) : {}
  const by = ['fields', 'omit'].filter((name) => name in parameters)
  const description = `The parts that ${by.map((name) => `\`${name}\``).join(' and ')} leave`
  return by.length > 0 ? { anyOf: [whole, { type: 'object', description }] } : whole
}

/** HTML pages show invalid input on the page itself; all other errors have the common JSON schema. */
function failure({ media }: Route, status: number): Json {
  if (media !== HTML || status !== 400) return { $ref: `#/components/responses/${status}` }
  const { content, ...rest } = errorResponse(status)
  return { ...rest, content: { ...content, [HTML]: { schema: { type: 'string' } } } }
}

const HTML = 'text/html'

const REQUEST_ID: Json = {
  'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
  'Svc-Version': { $ref: '#/components/headers/Svc-Version' },
}

function errorResponse(status: number) {
  const isRetryable = status === 429 || status === 503
  // The runtime refuses a request with an oversized head before the application receives it.
  if (status === 431) return { description: STATUS_TEXTS[status], headers: {}, content: {} }
  return {
    description: STATUS_TEXTS[status],
    headers: {
      ...REQUEST_ID,
      ...(isRetryable && { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }),
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

function config(typeMode: 'input' | 'output') {
  return {
    typeMode,
    target: 'draft-2020-12',
    // JSON Schema cannot express checks in code and transformations; only the enclosing schema is exported.
    errorMode: 'ignore',
    overrideRef: ({ referenceId }: { referenceId: string }) => `#/components/schemas/${referenceId}`,
  } as const
}

function schemaOf(
  schema: v.GenericSchema,
  typeMode: 'input' | 'output',
  definitions: Record<string, v.GenericSchema> = {},
): Json {
  // The library converts all that it is given, whether the schema refers to it or not.
  const used = Object.entries(shapesIn([schema])).filter(([title, shape]) => definitions[title] === shape)
  const { $schema, $defs, ...own } = toJsonSchema(schema, {
    ...config(typeMode),
    definitions: Object.fromEntries(used),
  })
  return own
}

/**
 * `GET /api/openapi.json`: describes itself and all `routes`; the list may still grow until the first
 * request.
 */
export function openApiRoute(routes: readonly Route[]): Route {
  let document: Promise<{ bytes: Uint8Array<ArrayBuffer>; etag: string }> | undefined
  const compressed = new Map<Coding, Uint8Array<ArrayBuffer>>()
  const encode = async (version: string) => {
    const steps = documentSteps(routes, version)
    let step = steps.next()
    for (; !step.done; step = steps.next()) await nextTurn()
    const bytes = new TextEncoder().encode(JSON.stringify(step.value))
    for (const coding of CODINGS) compressed.set(coding, await compress(bytes, coding))
    // Weak, because it is the same for all codings.
    return { bytes, etag: `W/"${Bun.hash(bytes).toString(36)}"` }
  }
  return defineRoute('GET /api/openapi.json', {
    access: 'public',
    summary: 'Retrieve the OpenAPI 3.1 description of this API',
    response: v.looseObject({ openapi: v.literal('3.1.0') }),
    async run({ version }, { request }) {
      document ??= encode(version)
      const { bytes, etag } = await document
      const vary = 'Accept-Encoding'
      const headers = { etag, vary, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
      if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
      const coding = chooseCoding(request.headers.get('accept-encoding'))
      const encoding = coding && { 'content-encoding': coding }
      const body = coding && request.method !== 'HEAD' ? compressed.get(coding) : undefined
      return new Response(body ?? bytes, {
        headers: { 'content-type': 'application/json', ...headers, ...(body && encoding) },
      })
    },
  })
}
