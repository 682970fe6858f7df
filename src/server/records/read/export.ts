import { AppError } from '../../../base/index.ts'
import {
  type AnyCollection,
  largeFieldsOf,
  pickFields,
  type ReadTx,
  readPage,
  toCsv,
  toJsonLines,
} from '../../../db/index.ts'
import { readingOf } from '../../http/reading.ts'
import { textFile } from '../../http/response/text-file.ts'
import type { AnyRecord, Values } from '../behavior.ts'
import type { RecordService } from '../service.ts'
import type { RecordCall } from './list.ts'
import { presentRecords } from './present.ts'
import { requestDetailsOf, requestInfoOf } from './request-info.ts'

const FORMS = {
  csv: { type: 'text/csv; charset=utf-8', extension: 'csv' },
  jsonl: { type: 'application/jsonl; charset=utf-8', extension: 'jsonl' },
} as const
type Format = keyof typeof FORMS
/** Media types of the files, without their parameters. */
export const EXPORT_TYPES = Object.values(FORMS).map(({ type }) => type.replace(/;.*/, ''))

/** Records per page; fewer for collections with large fields. */
const PAGE = 200
const LARGE_PAGE = 8

/**
 * Streams all records that match the filter as a file, page by page in the order of their ids.
 * @throws AppError `forbidden` except for superusers; `invalid` for an invalid filter and for `sort`.
 */
export async function exportRecords(
  service: RecordService,
  collection: AnyCollection,
  format: Format,
  call: RecordCall,
): Promise<Response> {
  const { caller, query } = call
  if (caller.kind !== 'superuser') {
    throw new AppError('forbidden', 'Only superusers can perform this action')
  }
  if ((query['sort'] ?? '') !== '') {
    throw new AppError('invalid', 'sort cannot be combined with format: files are sorted by id', {
      reason: 'bad_parameter',
    })
  }
  const pages = await openPages(service, collection, call)
  const rows = rowsOf(pages)
  const text = format === 'csv' ? toCsv(columnsOf(collection, call), rows) : toJsonLines(rows)
  const { type, extension } = FORMS[format]
  return textFile(`${service.context.db.names.publicName(collection)}.${extension}`, type, text)
}

interface Pages {
  /** Read in advance, so that an invalid request is refused before the response begins. */
  readonly first: Shown
  next(after: string): Promise<Shown>
}
interface Shown {
  readonly rows: readonly Values[]
  /** Id of the last record when there may be more. */
  readonly last: string | undefined
}

async function openPages(
  service: RecordService,
  collection: AnyCollection,
  call: RecordCall,
): Promise<Pages> {
  const { filter = '' } = call.query
  const { db } = service.context
  const perPage = largeFieldsOf(collection).length > 0 ? LARGE_PAGE : PAGE
  const requestInfo = requestInfoOf(call.caller, requestDetailsOf(call.request, call.query))
  const read = async (text: string): Promise<Shown> => {
    const request = { page: 1, perPage, skipTotal: true, rule: null, requestInfo, filter: text, sort: 'id' }
    let found: readonly string[] = []
    const { items } = await readPage(db, {
      reading: readingOf(call.caller, call.address, { request: call.request }),
      plan: (tx) => service.queries.plan(tx, collection, request),
      records(tx, ids) {
        found = [...found, ...ids]
        const records = service.queries.records(tx, collection, ids, { rule: null, requestInfo })
        return shownRows(service, tx, collection, records, call)
      },
    })
    // Records that were deleted after their ids were read do not end the file.
    return { rows: items, last: found.length < perPage ? undefined : found.at(-1) }
  }
  return {
    // The caller's filter alone, so that unbalanced brackets are refused rather than completed by ours.
    first: await read(filter),
    next: (after) => {
      const own = filter === '' ? '' : `(${filter}\n) && `
      return read(`${own}id > ${JSON.stringify(after)}`)
    },
  }
}

function shownRows(
  service: RecordService,
  tx: ReadTx,
  collection: AnyCollection,
  records: readonly AnyRecord[],
  { caller, query }: RecordCall,
): Values[] {
  const view = { caller, requestInfo: requestInfoOf(caller), expand: '' }
  const { fields = '' } = query
  return presentRecords(service, tx, collection, records, view).map((row) =>
    recordOf(pickFields(row, fields)),
  )
}

function recordOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

async function* rowsOf({ first, next }: Pages): AsyncGenerator<Values, void, undefined> {
  for (let page = first; ; page = await next(page.last)) {
    yield* page.rows
    if (page.last === undefined) return
  }
}

/** All declared fields visible to superusers, in order, as selected by `fields`. */
function columnsOf(collection: AnyCollection, { query }: RecordCall): string[] {
  const visible = Object.entries(collection.fields).flatMap(([name, field]) => (field.internal ? [] : [name]))
  const all = Object.fromEntries(['id', ...visible, 'created', 'updated'].map((name) => [name, null]))
  return Object.keys(recordOf(pickFields(all, query['fields'] ?? '')))
}
