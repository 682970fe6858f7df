import { describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import * as v from 'valibot'
import { COLLECTIONS } from '../../../src/db/index.ts'
import { users } from '../../../src/db/store/accounts/index.ts'
import { errorCodesOf, statusesOf } from '../../../src/server/http/error-codes.ts'
import { openApiDocument, shapesOf } from '../../../src/server/http/openapi.ts'
import { recordResponse } from '../../../src/server/http/response/record-response.ts'
import { defineRoute } from '../../../src/server/http/route.ts'
import { assertDeclared, assertDescribed, routeOf } from '../../support/server/declared-responses.ts'
import { openTestServer, TestClient } from '../../support/server/server.ts'

const run = async () => undefined
const item = v.pipe(v.object({ id: v.string() }), v.title('Item'))
const routes = [
  defineRoute('GET /api/items/:id', {
    access: 'signed_in',
    summary: 'One item',
    query: v.object({ from: v.string(), to: v.optional(v.string()) }),
    headers: { 'X-Shape': 'How round' },
    response: item,
    run,
  }),
  defineRoute('PATCH /api/items/:id', {
    access: 'superuser',
    summary: 'Change an item',
    body: v.object({ name: v.string(), size: v.optional(v.pipe(v.number(), v.minValue(1)), 5) }),
    response: v.array(item),
    run,
  }),
  defineRoute('GET /api/text', {
    access: 'public',
    summary: 'Text',
    media: 'text/plain',
    run,
  }),
]

type Shape = { [key: string]: Shape } & { [key: number]: Shape }

describe('openApiDocument()', () => {
  // In the form in which it is sent.
  const document: Shape = JSON.parse(JSON.stringify(openApiDocument(routes, '2026.1.0')))

  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  test('names path, query and header parameters', () => {
    expect<unknown>(document['paths']?.['/api/items/{id}']?.['get']?.['parameters']).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'from', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'to', in: 'query', required: false, schema: { type: 'string' } },
      { name: 'X-Shape', in: 'header', description: 'How round', schema: { type: 'string' } },
    ])
  })

  test('describes bodies by the schema that validates them', () => {
    const operation = document['paths']?.['/api/items/{id}']?.['patch']
    expect<unknown>(operation?.['requestBody']?.['content']?.['application/json']?.['schema']).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, size: { type: 'number', minimum: 1, default: 5 } },
      required: ['name'],
    })
  })

  test('refers to named schemas, also inside lists', () => {
    const reference = { $ref: '#/components/schemas/Item' }
    const response = (method: string) =>
      document['paths']?.['/api/items/{id}']?.[method]?.['responses']?.['200']?.['content']?.[
        'application/json'
      ]?.['schema']
    expect<unknown>(response('get')).toEqual(reference)
    expect<unknown>(response('patch')).toEqual({ type: 'array', items: reference })
    expect(Object.keys(shapesOf(routes))).toEqual(['Item'])
  })

  test('describes which callers are allowed', () => {
    const path = document['paths']?.['/api/items/{id}']
    expect<unknown>(path?.['get']?.['security']).toEqual([{ login: [] }, { apiToken: [] }])
    expect<unknown>(path?.['patch']?.['security']).toEqual([{ login: [] }])
    expect<unknown>(document['paths']?.['/api/text']?.['get']?.['security']).toEqual([])
  })

  test('describes Retry-After with 429 and 503, and the request id with every status', () => {
    const responses = document['components']?.['responses'] ?? {}
    for (const [status, response] of Object.entries(responses)) {
      const headers = Object.keys(response['headers'] ?? {})
      // The runtime sends 431 before the application receives a request.
      expect(headers.includes('X-Request-Id')).toBe(status !== '431')
      expect(headers.includes('Retry-After')).toBe(status === '429' || status === '503')
    }
  })
})

test('assertDescribed() refuses a status that the document does not have', () => {
  const description = { paths: { '/api/items/{id}': { get: { responses: { 200: {} } } } } }
  const call = { method: 'GET', path: '/api/items/5?x=1', status: 200 }
  assertDescribed(description, call)
  expect(() => assertDescribed(description, { ...call, status: 201 })).toThrow('answered 201')
})

test('statusesOf() adds the statuses of the checks that precede a route', () => {
  expect(routes.map(statusesOf)).toEqual([
    [200, 400, 401, 404, 429, 431, 500, 503, 507],
    [200, 400, 401, 403, 404, 413, 415, 429, 431, 500, 503, 507],
    [200, 400, 429, 431, 500, 503, 507],
  ])
})

test('recordResponse() omits internal fields and makes e-mail addresses optional', () => {
  const { entries } = recordResponse('User', users)
  expect(Object.keys(entries)).not.toContain('password')
  expect(entries['email']?.type).toBe('optional')
  expect(entries['username']?.type).toBe('string')
})

describe('assertDeclared()', () => {
  const call = { method: 'GET', path: '/api/items/5?from=1', status: 200, body: { id: '5' } as unknown }
  test('accepts what is declared', () => assertDeclared(routes, call))
  test('refuses another status', () => {
    expect(() => assertDeclared(routes, { ...call, status: 409 })).toThrow('answered 409')
  })
  test('refuses a missing key', () => {
    expect(() => assertDeclared(routes, { ...call, body: {} })).toThrow('does not declare')
  })
  test('refuses an additional key', () => {
    expect(() => assertDeclared(routes, { ...call, body: { id: '5', more: 1 } })).toThrow('answered keys')
  })
  test('is what every call of a test client passes', async () => {
    await using server = await openTestServer()
    const [health] = server.server.routes
    if (!health) throw new Error('no routes')
    const client = (response: v.GenericSchema) => new TestClient(server.url, {}, [{ ...health, response }])
    expect((await client(v.looseObject({})).get('/api/health')).status).toBe(200)
    await expect(client(v.object({ message: v.literal('no') })).get('/api/health')).rejects.toThrow(
      'not declare',
    )
  })
  test('refuses an undeclared code of a declared status', () => {
    const refused = { ...call, status: 404 }
    assertDeclared(routes, { ...refused, body: { code: 'not_found' } })
    expect(() => assertDeclared(routes, { ...refused, body: { code: 'lost' } })).toThrow('answered 404 lost')
  })
  test('finds no route for another method', () => {
    expect(routeOf(routes, 'DELETE', '/api/items/5')).toBeUndefined()
    expect(routeOf(routes, 'HEAD', '/api/text')?.path).toBe('/api/text')
  })
})

describe('GET /api/openapi.json', () => {
  test('is public, valid, and has every route with all its statuses', async () => {
    await using server = await openTestServer()
    const { status, body } = await server.guest.get('/api/openapi.json')
    expect(status).toBe(200)
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(body)))
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    const { paths = {} } = body as Shape
    const ids: unknown[] = []
    for (const route of server.server.routes) {
      const operation = paths[route.path.replace(/:(\w+)(\{[^/]*\})?/g, '{$1}')]?.[route.method.toLowerCase()]
      expect(Object.keys(operation?.['responses'] ?? {}).map(Number)).toEqual(statusesOf(route))
      expect<unknown>(operation?.['x-error-codes']).toEqual(errorCodesOf(route))
      ids.push(operation?.['operationId'])
    }
    expect(new Set(ids).size).toBe(server.server.routes.length)
  })

  test('describes every field of a submission', async () => {
    await using server = await openTestServer()
    const { body } = await server.guest.get('/api/openapi.json')
    const submit = (body as Shape)['paths']?.['/api/jobs']?.['post']
    const schema = submit?.['requestBody']?.['content']?.['application/json']?.['schema']
    expect(Object.keys(schema?.['properties'] ?? {})).toEqual(
      expect.arrayContaining(['circuits', 'shots', 'meas_level', 'qpu_target', 'parameter_values', 'seed']),
    )
    expect<unknown>(submit?.['parameters']?.[1]?.['name']).toBe('Idempotency-Key')
  })

  test('describes the records of each collection under its configured name, in responses and requests', async () => {
    await using server = await openTestServer({ settings: { timeslotsCollection: 'bookings' } })
    const document = (await server.guest.get('/api/openapi.json')).body as Shape
    const {
      Record: record,
      TimeSlotsRecord: slot,
      TimeSlotsBody: body,
    } = document['components']?.['schemas'] ?? {}
    expect(Object(record?.['anyOf'])).toHaveLength(COLLECTIONS.length)
    expect<unknown>(slot?.['properties']?.['collectionName']).toEqual({ const: 'bookings' })
    expect<unknown>(body).toMatchObject({
      description: 'Required for a new record: start_time, end_time',
      properties: { start_time: { type: 'string' }, qpu: { description: "Id in qpus; '' = none" } },
    })
    const paths = document['paths']?.['/api/collections/{collection}/records']
    expect<unknown>(paths?.['get']?.['parameters']?.[0]?.['schema']?.['enum']).toContain('bookings')
    const listed = paths?.['get']?.['responses']?.['200']?.['content']
    expect(Object.keys(listed ?? {})).toEqual(['application/json', 'text/csv', 'application/jsonl'])
    const written = paths?.['post']?.['requestBody']?.['content'] ?? {}
    expect(Object.keys(written)).toEqual([
      ...['application/json', 'multipart/form-data', 'application/x-www-form-urlencoded'],
    ])
    for (const { schema } of Object.values(written)) {
      expect<unknown>(schema).toEqual({ $ref: '#/components/schemas/RecordBody' })
    }
  })
})
