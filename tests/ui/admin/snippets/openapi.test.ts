import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { openApi, operationsOf } from '../../../../ui/admin/snippets/openapi.ts'

const document = v.parse(openApi, {
  info: { version: '1' },
  paths: {
    '/api/lamps/{id}': {
      get: { summary: 'See a lamp', responses: { 200: {} } },
      post: {
        summary: 'Switch a lamp',
        security: [{ login: [] }],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Switch' } } } },
        responses: { 200: {}, 409: {} },
      },
    },
    '/api/mine': { get: { security: [{ login: [] }, { apiToken: [] }] } },
  },
  components: {
    schemas: {
      Switch: {
        type: 'object',
        required: ['on', 'color'],
        properties: {
          on: { type: 'boolean', description: 'Whether it shines' },
          color: { enum: ['', 'red'] },
          tags: { type: 'array', items: { $ref: '#/components/schemas/Switch' } },
        },
      },
    },
  },
})

test('routes are listed with access, parameters, fields and an example', () => {
  const operations = operationsOf(document)
  expect(operations.map(({ method, path, access }) => `${method} ${path} ${access}`)).toEqual([
    'GET /api/lamps/{id} public',
    'POST /api/lamps/{id} superuser',
    'GET /api/mine signed_in',
  ])
  const post = operations[1]
  expect(post?.body).toEqual({ on: true, color: 'red' })
  expect(post?.statuses).toEqual(['200', '409'])
  expect(post?.parts.map(({ name, place, required, type }) => [name, place, required, type])).toEqual([
    ['id', 'path', true, 'string'],
    ['on', 'body', true, 'boolean'],
    ['color', 'body', true, '"" | "red"'],
    ['tags', 'body', false, 'list of object'],
  ])
})
