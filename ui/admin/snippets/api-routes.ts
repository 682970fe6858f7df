import type { Collection, Field } from '../collections/model.ts'
import type { Example } from './clients.ts'
import type { Operation } from './openapi.ts'
import type { RecordCall } from './record-calls.ts'

/** A route to show, with the path of its collection filled in. */
export interface ApiRoute {
  operation: Operation
  path: string
  record?: RecordCall
  /** Example of a body in place of that of the document. */
  body?: unknown
}

const RECORDS = '/api/collections/{collection}/records'
const ID = 'RECORD_ID'

/** The routes of the records of a collection, with bodies of its own fields. */
export function collectionRoutes(operations: readonly Operation[], collection: Collection): ApiRoute[] {
  const of = (method: string, path: string) =>
    operations.find((each) => each.method === method && each.path === path)
  const { name } = collection
  const written = writableExample(collection)
  const calls: [string, string, RecordCall, unknown?][] = [
    ['GET', RECORDS, { action: 'list', collection: name, filter: 'created > @todayStart', sort: '-created' }],
    ['GET', `${RECORDS}/{id}`, { action: 'view', collection: name, id: ID }],
    ['POST', RECORDS, { action: 'create', collection: name }, written],
    ['PATCH', `${RECORDS}/{id}`, { action: 'update', collection: name, id: ID }, firstOf(written)],
    ['DELETE', `${RECORDS}/{id}`, { action: 'delete', collection: name, id: ID }],
  ]
  return calls.flatMap(([method, path, record, body]) => {
    const found = of(method, path)
    if (!found) return []
    const { body: _, ...operation } = found
    const access = ruleFor(collection, record.action)
    return [
      {
        operation: {
          ...operation,
          access: access === null ? 'superuser' : access === '' ? 'public' : 'signed_in',
          // The fields of the body depend on the collection; the document lists those of all.
          parts: operation.parts.filter(({ name: part, place }) => place !== 'body' && part !== 'collection'),
        },
        path: path.replace('{collection}', name),
        record,
        ...(body !== undefined && { body }),
      },
    ]
  })
}

function ruleFor(collection: Collection, action: RecordCall['action']): string | null {
  const rules = {
    list: collection.listRule,
    view: collection.viewRule,
    create: collection.createRule,
    update: collection.updateRule,
    delete: collection.deleteRule,
  }
  return rules[action]
}

/** All routes that are not those of records. */
export function otherRoutes(operations: readonly Operation[]): ApiRoute[] {
  return operations
    .filter(({ path }) => !path.startsWith(RECORDS))
    .map((operation) => ({ operation, path: operation.path }))
}

/** The request that the examples write. */
export function exampleFor({ operation, path, record, body = operation.body }: ApiRoute): Example {
  const query =
    record?.action === 'list'
      ? `?${new URLSearchParams({ filter: record.filter ?? '', sort: record.sort ?? '' })}`
      : ''
  return {
    method: operation.method,
    path:
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'id' ? ID : name.toUpperCase())) + query,
    needsLogin: operation.access !== 'public',
    ...(body !== undefined && { body }),
    record,
  }
}

/** A body with the fields that have to be given, or else the first ones that may be. */
function writableExample({ type: kind, fields }: Collection): Record<string, unknown> {
  const writable = fields.filter(
    ({ type, readOnly, name }) => type !== 'autodate' && !readOnly && name !== 'id',
  )
  const required = writable.filter((field) => field.required || (kind === 'auth' && field.name === 'email'))
  const chosen = required.length > 0 ? required : writable.slice(0, 3)
  const body = Object.fromEntries(chosen.map((field) => [field.name, valueFor(field)]))
  return 'password' in body ? { ...body, passwordConfirm: body['password'] } : body
}

function firstOf(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !name.startsWith('password'))
      .slice(0, 1),
  )
}

function valueFor({ type, values, maxSelect }: Field): unknown {
  switch (type) {
    case 'number':
      return 0
    case 'bool':
      return true
    case 'select':
      return values[0]
    case 'date':
      return '2026-01-31 09:05:00.000Z'
    case 'json':
      return {}
    case 'relation':
      return (maxSelect ?? 1) > 1 ? [ID] : ID
    case 'email':
      return 'you@example.org'
    case 'password':
      return 'a new password'
    default:
      return '…'
  }
}
