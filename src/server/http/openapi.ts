import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { defineRoute, JSON_BODY, type Route } from './route.ts'

type Json = Readonly<Record<string, unknown>>

/** What a status means on any route; a route's summary says the rest. */
const MEANINGS: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  204: 'Done; no body',
  303: 'Go on with GET at Location',
  307: 'Go on at Location',
  400: 'Something in the request is not valid; `data` names each field',
  401: 'No credentials, or dead ones',
  403: 'The wrong kind of account, or not allowed to it',
  404: 'There is nothing at this address that the caller may see',
  405: 'The address has no such method',
  409: 'The state of things forbids it',
  413: 'The body is too large',
  422: 'The request contradicts an earlier one',
  429: 'Too many requests',
  431: 'Address and headers are longer than 16 KiB together; no body',
  500: 'The server failed; its log has the cause under the request id',
  503: 'Not at this time',
  507: 'The disk of the server is full; nothing was stored',
}

const fieldError = v.object({
  code: v.pipe(v.string(), v.description('Stable word for programs')),
  message: v.string(),
  params: v.optional(v.record(v.string(), v.unknown())),
})

/** Body of every answer with a status of 400 or above; see `ErrorBody`. */
const errorBody = v.object({
  status: v.pipe(v.number(), v.integer()),
  message: v.string(),
  code: v.pipe(v.string(), v.description('Stable word for programs: the reason, or the kind of error')),
  request_id: v.pipe(v.string(), v.description('The X-Request-Id of the answer')),
  data: v.pipe(v.record(v.string(), fieldError), v.description('Refused fields by their path')),
})

/** Every status a route may answer: its own, and those of the border before it, in ascending order. */
export function statusesOf({ access, body, query, statuses }: Route): number[] {
  const border = [429, 431, 500, 503, 507]
  if (body) border.push(400, 413)
  if (query) border.push(400)
  if (access !== 'public') border.push(401)
  if (access === 'superuser') border.push(403)
  return [...new Set([...statuses, ...border])].sort((one, other) => one - other)
}

/** The named shapes that answers and bodies consist of, by their titles. */
export function shapesOf(routes: readonly Route[]): Record<string, v.GenericSchema> {
  const shapes: Record<string, v.GenericSchema> = {}
  const take = (schema: v.GenericSchema) => {
    const title = v.getTitle(schema)
    if (title !== undefined) shapes[title] = schema
    if (isArray(schema)) take(schema.item)
    if (isObject(schema)) for (const entry of Object.values(schema.entries)) take(entry)
    if (isUnion(schema)) for (const option of schema.options) take(option)
  }
  for (const { response, bodyForms } of routes) {
    if (response) take(response)
    if (bodyForms) take(bodyForms)
  }
  return shapes
}

function isArray(schema: v.GenericSchema): schema is v.ArraySchema<v.GenericSchema, undefined> {
  return schema.type === 'array'
}

function isObject(schema: v.GenericSchema): schema is v.ObjectSchema<v.ObjectEntries, undefined> {
  return schema.type === 'object'
}

function isUnion(schema: v.GenericSchema): schema is v.UnionSchema<v.GenericSchema[], undefined> {
  return schema.type === 'union'
}

/** The OpenAPI 3.1 description of `routes`, made from the declarations that validate their requests. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const definitions = { Error: errorBody, ...shapesOf(routes) }
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    const path = route.path.replace(PARAMETER, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, definitions) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version,
      description: 'Quantum job control service. Bodies are JSON unless said otherwise.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: toJsonSchemaDefs(definitions, config('output')),
      responses: Object.fromEntries(
        Object.keys(MEANINGS)
          .map(Number)
          .filter((status) => status >= 400)
          .map((status) => [String(status), errorResponse(status)]),
      ),
      headers: {
        'X-Request-Id': {
          description:
            'Names the request in the log; the caller may choose it (at most 64 of A-Z a-z 0-9 _ -)',
          schema: { type: 'string' },
        },
        'Retry-After': {
          description: 'Seconds after which another try makes sense',
          schema: { type: 'integer' },
        },
      },
      securitySchemes: {
        login: {
          type: 'http',
          scheme: 'bearer',
          description: 'Login token, or API token of a user; `Bearer` may be left out',
        },
        apiToken: { type: 'apiKey', in: 'header', name: 'X-API-Token', description: 'API token of a user' },
      },
    },
  }
}

/** A parameter in a route's path, such as `:id`; the router may have a pattern behind it in braces. */
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

/** `getJobsById` of `GET /api/jobs/:id`: what generators name the function. */
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
      ...{ name, in: 'path', required: true },
      schema: params[name] ? schemaOf(params[name], 'input') : { type: 'string' },
    })),
    ...Object.entries(declared.properties ?? {}).map(([name, schema]) => ({
      ...{ name, in: 'query', required: declared.required?.includes(name) ?? false },
      schema,
    })),
    ...Object.entries(headers).map(([name, description]) => ({
      ...{ name, in: 'header', description },
      schema: { type: 'string' },
    })),
  ]
}

function success(route: Route, status: number, definitions: Record<string, v.GenericSchema>): Json {
  const types = route.media === undefined ? [JSON_BODY, ...route.files] : [route.media]
  const json = () => ({ schema: responseSchema(route, definitions) })
  const content = Object.fromEntries(types.map((type) => [type, type === JSON_BODY ? json() : TEXT]))
  const hasBody = status !== 204 && status < 300
  return { description: MEANINGS[status] ?? 'Done', headers: REQUEST_ID, ...(hasBody && { content }) }
}

const TEXT: Json = { schema: { type: 'string' } }

/** Where callers choose with `fields`, an answer may be any part of its shape. */
function responseSchema({ response, query }: Route, definitions: Record<string, v.GenericSchema>): Json {
  if (!response) return {}
  const whole = schemaOf(response, 'output', definitions)
  const mayChoose = query !== undefined && 'entries' in query && 'fields' in Object(query.entries)
  return mayChoose ? { anyOf: [whole, { type: 'object', description: 'What `fields` keeps' }] } : whole
}

/** Pages show what the person did wrong on the page; everything else answers in the one shape of errors. */
function failure({ media }: Route, status: number): Json {
  if (media !== HTML || status !== 400) return { $ref: `#/components/responses/${status}` }
  const { content, ...rest } = errorResponse(status)
  return { ...rest, content: { ...content, [HTML]: { schema: { type: 'string' } } } }
}

const HTML = 'text/html'

const REQUEST_ID: Json = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } }

function errorResponse(status: number) {
  const mayWait = status === 429 || status === 503
  // Of a request whose head is too long the application never hears.
  if (status === 431) return { description: MEANINGS[status], headers: {}, content: {} }
  return {
    description: MEANINGS[status],
    headers: {
      ...REQUEST_ID,
      ...(mayWait && { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }),
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

function config(typeMode: 'input' | 'output') {
  return {
    typeMode,
    target: 'draft-2020-12',
    // Checks in code and transformations have no form in JSON Schema; the schema around them has.
    errorMode: 'ignore',
    overrideRef: ({ referenceId }: { referenceId: string }) => `#/components/schemas/${referenceId}`,
  } as const
}

function schemaOf(
  schema: v.GenericSchema,
  typeMode: 'input' | 'output',
  definitions: Record<string, v.GenericSchema> = {},
): Json {
  const { $schema, $defs, ...own } = toJsonSchema(schema, { ...config(typeMode), definitions })
  return own
}

/** `GET /api/openapi.json`: describes all `routes`, which may still grow, and itself. */
export function openApiRoute(routes: readonly Route[]): Route {
  let text: string | undefined
  return defineRoute({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'public',
    summary: 'This API in OpenAPI 3.1',
    response: v.looseObject({ openapi: v.literal('3.1.0') }),
    async run({ version }) {
      text ??= JSON.stringify(openApiDocument(routes, version))
      return new Response(text, {
        headers: {
          'content-type': 'application/json',
          'cache-control': 'no-cache',
          'x-content-type-options': 'nosniff',
        },
      })
    },
  })
}
