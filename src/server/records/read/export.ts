import { AppError, type Clock } from '../../../base/index.ts'
import { type AnyCollection, unreadFields } from '../../../db/index.ts'
import type { ExportedPage, ExportPage, Reading } from '../../../db/query/index.ts'
import { csvHead } from '../../../db/transfer/index.ts'
import { readingOf } from '../../http/reading.ts'
import { type FilePage, TextFile } from '../../http/response/text-file.ts'
import { behaviorOf } from '../behaviors/index.ts'
import type { RecordService } from '../service.ts'
import { pickedRecord } from './encode-record.ts'
import type { RecordCall } from './list.ts'
import { requestDetailsOf, requestInfoOf } from './request-info.ts'

const FORMS = {
  csv: { type: 'text/csv; charset=utf-8', extension: 'csv' },
  jsonl: { type: 'application/jsonl; charset=utf-8', extension: 'jsonl' },
} as const
type Format = keyof typeof FORMS
/** Media types of the files, without their parameters. */
export const EXPORT_TYPES = Object.values(FORMS).map(({ type }) => type.replace(/;.*/, ''))

/** Records of a page at most; it ends before when its text is long enough. */
const PAGE = 500
/** Attempts to read a page while the machine is busy. */
const TRIES = 5

/**
 * All records that match the filter as a file, page by page in the order of their ids: each record that
 * exists from beginning to end is in it once, in its state when its page was read; of those that are created
 * or deleted meanwhile some are.
 * @throws AppError `forbidden` except for superusers; `invalid` for an invalid filter and for `sort`.
 */
export async function exportRecords(
  service: RecordService,
  collection: AnyCollection,
  format: Format,
  call: RecordCall,
): Promise<TextFile> {
  const { caller, query } = call
  if (caller.kind !== 'superuser') {
    throw new AppError('forbidden', 'Only superusers can perform this action')
  }
  if ((query['sort'] ?? '') !== '') {
    throw new AppError('invalid', 'sort cannot be combined with format: files are sorted by id', {
      reason: 'bad_parameter',
    })
  }
  const { type, extension } = FORMS[format]
  const { clock, db } = service.context
  const reading = readingOf(caller, call.address, { request: call.request })
  const publicName = db.names.publicName(collection)
  const { fields = '' } = query
  const form = {
    collection: collection.name,
    publicName,
    format,
    fields,
    without: unreadFields(collection, fields, behaviorOf(collection).computedFrom),
    columns: format === 'csv' ? columnsOf(collection, fields) : [],
  }
  const plan = planner(service, collection, call)
  const first = { ...form, ...(await plan()) }
  const next = async (after: string) => ({ ...form, ...(await plan(after)) })
  return new TextFile(
    `${publicName}.${extension}`,
    type,
    pagesOf(first, next, (page) => readBusy(() => db.exportPage(page, reading), { clock, reading })),
  )
}

async function* pagesOf(
  first: ExportPage,
  next: (after: string) => Promise<ExportPage>,
  read: (page: ExportPage) => Promise<ExportedPage>,
): AsyncGenerator<FilePage, void, undefined> {
  if (first.format === 'csv') yield [csvHead(first.columns)]
  let { text, last } = await read(first)
  yield text
  while (last !== undefined) {
    ;({ text, last } = await read(await next(last)))
    yield text
  }
}

/** How to read the page that begins after a record, or the first one. */
function planner(service: RecordService, collection: AnyCollection, call: RecordCall) {
  const { filter = '' } = call.query
  const requestInfo = requestInfoOf(call.caller, requestDetailsOf(call.request, call.query))
  const request = { page: 1, perPage: PAGE, skipTotal: true, rule: null, requestInfo, sort: 'id' }
  return (after?: string): Promise<Pick<ExportPage, 'ids'>> => {
    // The caller's filter alone at first, so that unbalanced brackets are refused, not completed by ours.
    const own = filter === '' ? '' : `(${filter}\n) && `
    const text = after === undefined ? filter : `${own}id > ${JSON.stringify(after)}`
    return service.context.db.read((tx) => {
      const { ids } = service.queries.plan(tx, collection, { ...request, filter: text })
      return { ids }
    })
  }
}

/** Reads again as long as the machine is too busy: the file must not end in the middle for that. */
async function readBusy(
  read: () => Promise<ExportedPage>,
  { clock, reading }: { clock: Clock; reading: Reading },
): Promise<ExportedPage> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      const seconds = error instanceof AppError ? error.retryAfter : undefined
      if (seconds === undefined || attempt >= TRIES) throw error
      await clock.sleep(seconds * 1_000, reading.signal)
    }
  }
}

/** All declared fields visible to superusers, in order, as selected by `fields`. */
function columnsOf(collection: AnyCollection, fields: string): string[] {
  const visible = Object.entries(collection.fields).flatMap(([name, field]) => (field.internal ? [] : [name]))
  const all = Object.fromEntries(['id', ...visible, 'created', 'updated'].map((name) => [name, null]))
  return Object.keys(pickedRecord(all, fields))
}
