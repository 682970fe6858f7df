import * as v from 'valibot'
import { toTimestamp } from '../../base/index.ts'
import { type AuditFilter, type ListedAudit, planAuditPage } from '../../db/journal/index.ts'
import { csvHead, csvLine } from '../../db/transfer/index.ts'
import { readingOf } from '../http/reading.ts'
import { moment, whole } from '../http/request/list-query.ts'
import { type FilePage, TextFile } from '../http/response/text-file.ts'
import { defineRoute } from '../http/route.ts'
import { described } from '../http/schema.ts'

/** Entries examined for one response; a rarer filter takes several requests. */
const MAX_EXAMINED = 20_000
const MAX_LIMIT = 1_000
/** Entries of one read of a file. */
const FILE_PAGE = 500
const CSV = 'text/csv'
const COLUMNS = ['seq', 'at', 'actor', 'email', 'action', 'subject', 'detail']

const exactly = (what: string) => v.optional(described(v.pipe(v.string(), v.maxLength(200)), what))

const entry = v.object({
  seq: described(v.number(), 'Position; later entries have larger ones'),
  at: v.string(),
  actor: described(v.string(), '`superuser:ID`, `user:ID`, `driver:ID`, `cli` or `guest`'),
  email: described(v.string(), 'Address of the account; empty for others and removed accounts'),
  action: v.string(),
  subject: described(v.string(), 'Id of what was changed'),
  detail: v.record(v.string(), v.unknown()),
})

/** The audit log. */
export const auditRoute = defineRoute('GET /api/op/audit', {
  access: 'superuser',
  summary: 'List the audit log, newest first, or write it to a file, filtered',
  query: v.object({
    actor: exactly('`superuser:ID`, `user:ID`, an e-mail address, `cli` or `guest`'),
    action: exactly('This action or all below it: `job` lists `job.hold` too'),
    subject: exactly('Id of what was changed'),
    address: exactly('Remote address'),
    from: v.optional(moment),
    to: v.optional(moment),
    before: v.optional(described(whole(1, Number.MAX_SAFE_INTEGER), 'Only older ones: `next` of a response')),
    limit: v.optional(whole(1, MAX_LIMIT), '100'),
    format: v.optional(v.picklist(['json', 'csv']), 'json'),
  }),
  response: v.object({
    entries: v.array(entry),
    next: described(
      v.nullable(v.number()),
      `Continue with before=; null at the end. A page may be short, because a request examines ${MAX_EXAMINED} entries`,
    ),
  }),
  files: [CSV],
  async run({ db }, { query, ...call }) {
    const { actor, action, subject, address, from, to, before, limit, format } = query
    const filter: AuditFilter = {
      actor,
      subject,
      address,
      act: action,
      since: from === undefined ? undefined : toTimestamp(from),
      until: to === undefined ? undefined : toTimestamp(to),
    }
    const isFile = format === 'csv'
    const reading = readingOf(call.caller, call.address, isFile ? { request: call.request } : call)
    const read: ReadPage = async (next, most) => {
      const paging = { before: next, limit: most, examine: MAX_EXAMINED }
      const { rows, pageOf } = await db.read((tx) => planAuditPage(tx, filter, paging))
      return pageOf((await db.select({ rows }, reading)).rows)
    }
    if (isFile) return new TextFile('audit.csv', `${CSV}; charset=utf-8`, pagesOf(read, before))
    const { entries, next } = await read(before, limit)
    return { entries: entries.map(presentEntry), next: next ?? null }
  },
})

type ReadPage = (
  before: number | undefined,
  limit: number,
) => Promise<{ entries: ListedAudit[]; next: number | undefined }>

async function* pagesOf(
  read: ReadPage,
  before: number | undefined,
): AsyncGenerator<FilePage, void, undefined> {
  yield [csvHead(COLUMNS)]
  let next = before
  do {
    const page = await read(next, FILE_PAGE)
    yield linesOf(page.entries)
    next = page.next
  } while (next !== undefined)
}

function* linesOf(entries: readonly ListedAudit[]): Generator<string, void, undefined> {
  for (const entry of entries) yield csvLine(COLUMNS, presentEntry(entry))
}

function presentEntry({ act, ...rest }: ListedAudit) {
  return { ...rest, action: act }
}
