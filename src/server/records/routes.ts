import * as v from 'valibot'
import { AppError } from '../../base/index.ts'
import { COLLECTIONS } from '../../db/index.ts'
import { readPaging } from '../../db/query/index.ts'
import { FORM_OR_JSON } from '../http/media.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { CREATE_ERRORS, LIST_ERRORS, READ_ERRORS, REMOVE_ERRORS, UPDATE_ERRORS } from './errors.ts'
import { EXPORT_TYPES, exportRecords } from './read/export.ts'
import { listRecords, viewRecord } from './read/list.ts'
import { collectionOf, type RecordService } from './service.ts'
import { presentCollection } from './shape/metadata.ts'
import { collectionResponse, listQuery, pageOf, recordQuery } from './shape/responses.ts'
import { recordShapes } from './shape/shapes.ts'
import { createRecord } from './write/create.ts'
import { removeRecord } from './write/remove.ts'
import { updateRecord } from './write/update.ts'

const COLLECTION = '/api/collections/:collection'
const RECORDS = `${COLLECTION}/records`
const RECORD = `${RECORDS}/:id`

/** The removal of a user may take as long. */
const LONG_SECONDS = 120

/** The routes of the record-store pattern, the same for every collection. */
export function recordRoutes(service: RecordService): Route[] {
  const requested = (params: { collection: string }) => collectionOf(service, params.collection)
  const shapes = recordShapes(service.context.db.names)
  const parameters = { collection: shapes.collection }
  const write = { bodyForms: shapes.body, bodyMedia: FORM_OR_JSON }
  return [
    defineRoute(`GET ${RECORDS}`, {
      params: parameters,
      access: 'public',
      summary: 'List the records of a collection that are visible to the caller by its list rule',
      query: listQuery,
      statuses: [200, 403],
      errors: LIST_ERRORS,
      response: pageOf(shapes.record),
      files: EXPORT_TYPES,
      run: async (_, { params, query, ...call }) => {
        const { format = 'json', ...plain } = query
        const collection = requested(params)
        const request = { ...call, query: texts(plain) }
        return format === 'json'
          ? listRecords(service, collection, request)
          : exportRecords(service, collection, format, request)
      },
    }),
    defineRoute(`GET ${RECORD}`, {
      params: parameters,
      access: 'public',
      summary: 'Retrieve a record, if it is visible to the caller by the view rule of its collection',
      query: recordQuery,
      statuses: [200, 403],
      errors: READ_ERRORS,
      response: shapes.record,
      run: async (_, { params, query, ...call }) =>
        viewRecord(service, requested(params), params.id, { ...call, query: texts(query) }),
    }),
    defineRoute(`POST ${RECORDS}`, {
      params: parameters,
      access: 'public',
      scope: 'submit',
      summary: 'Create a record, if the create rule of the collection allows it',
      query: recordQuery,
      ...write,
      statuses: [200, 401],
      errors: CREATE_ERRORS,
      response: shapes.record,
      run: async (_, { params, query, ...call }) =>
        createRecord(service, requested(params), { ...call, query: texts(query) }),
    }),
    defineRoute(`PATCH ${RECORD}`, {
      params: parameters,
      access: 'public',
      summary: 'Change a record, if the update rule of its collection allows it',
      query: recordQuery,
      ...write,
      errors: UPDATE_ERRORS,
      response: shapes.record,
      run: async (_, { params, query, ...call }) =>
        updateRecord(service, requested(params), params.id, { ...call, query: texts(query) }),
    }),
    defineRoute(`DELETE ${RECORD}`, {
      params: parameters,
      access: 'public',
      summary: 'Delete a record, if the delete rule of its collection allows it',
      statuses: [204],
      errors: REMOVE_ERRORS,
      async run(_, { params, ...call }) {
        call.setIdleTimeout(LONG_SECONDS)
        await removeRecord(service, requested(params), params.id, { ...call, query: {} })
        return new Reply(204)
      },
    }),
    ...collectionRoutes(service),
    defineRoute('POST /api/batch', {
      access: 'public',
      summary: 'Refused: batch requests are not supported',
      statuses: [403],
      async run() {
        throw new AppError('forbidden', 'Batch requests are not allowed')
      },
    }),
  ]
}

/**
 * Routes that describe collections for generic clients; collections are declared in the code and cannot be
 * changed.
 */
function collectionRoutes(service: RecordService): Route[] {
  const refused = {
    access: 'superuser',
    summary: 'Refused: collections cannot be changed',
    statuses: [403],
  } as const
  const run = async () => {
    throw new AppError('forbidden', 'Collections are part of the program and cannot be changed')
  }
  return [
    defineRoute('GET /api/collections', {
      access: 'superuser',
      summary: 'List the collections with their fields and rules',
      query: v.objectWithRest({}, v.string()),
      response: pageOf(collectionResponse),
      async run(_, { query }) {
        const { page, perPage } = readPaging(query)
        const all = COLLECTIONS.map((each) => presentCollection(service, each))
        const items = all.slice((page - 1) * perPage, page * perPage)
        const totalItems = all.length
        const totalPages = Math.ceil(totalItems / perPage)
        return { page, perPage, totalItems, totalPages, items }
      },
    }),
    defineRoute(`GET ${COLLECTION}`, {
      access: 'superuser',
      summary: 'Retrieve a collection with its fields and rules',
      response: collectionResponse,
      run: async (_, { params }) => presentCollection(service, collectionOf(service, params.collection)),
    }),
    defineRoute('POST /api/collections', { ...refused, run }),
    defineRoute(`PATCH ${COLLECTION}`, { ...refused, run }),
    defineRoute(`DELETE ${COLLECTION}`, { ...refused, run }),
  ]
}

/** The parameters that are present. */
function texts(query: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}
