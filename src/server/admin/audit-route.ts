import * as v from 'valibot'
import { type Clock, toTimestamp } from '../../base/index.ts'
import { type AuditFilter, type ListedAudit, readAuditPage, toCsv } from '../../db/index.ts'
import { moment, whole } from '../http/request/list-query.ts'
import { textFile } from '../http/response/text-file.ts'
import { defineRoute } from '../http/route.ts'

/** Entries examined for one response; a rarer filter takes several requests. */
const MAX_EXAMINED = 20_000
const MAX_LIMIT = 1_000
/** Entries examined at once, which takes about 5 ms; other requests run in the pause after it. */
const STEP = 2_000
const PAUSE_MS = 1
/** Entries of one read of a file. */
const FILE_PAGE = 500
const CSV = 'text/csv'
const COLUMNS = ['seq', 'at', 'actor', 'email', 'action', 'subject', 'detail']
/** Seconds after which a client that does not read is disconnected. */
const LONG_SECONDS = 120

const exactly = (what: string) => v.optional(v.pipe(v.string(), v.maxLength(200), v.description(what)))

const entry = v.object({
  seq: v.pipe(v.number(), v.description('Position; later entries have larger ones')),
  at: v.string(),
  actor: v.pipe(v.string(), v.description('`superuser:ID`, `user:ID`, `driver:ID`, `cli` or `guest`')),
  email: v.pipe(v.string(), v.description('Of the account; empty for others and removed accounts')),
  action: v.string(),
  subject: v.pipe(v.string(), v.description('Id of what was changed')),
  detail: v.record(v.string(), v.unknown()),
})

/** The audit log. */
export const auditRoute = defineRoute({
  method: 'GET',
  path: '/api/op/audit',
  access: 'superuser',
  summary: 'List the audit log, newest first, or write it to a file, filtered',
  query: v.object({
    actor: exactly('`superuser:ID`, `user:ID`, an e-mail address, `cli` or `guest`'),
    action: exactly('This action or all below it: `job` lists `job.hold` too'),
    subject: exactly('Id of what was changed'),
    address: exactly('Remote address'),
    from: v.optional(moment),
    to: v.optional(moment),
    before: v.optional(
      v.pipe(whole(1, Number.MAX_SAFE_INTEGER), v.description('Only older ones: `next` of a response')),
    ),
    limit: v.optional(whole(1, MAX_LIMIT), '100'),
    format: v.optional(v.picklist(['json', 'csv']), 'json'),
  }),
  statuses: [200, 400, 401, 403],
  response: v.object({
    entries: v.array(entry),
    next: v.pipe(
      v.nullable(v.number()),
      v.description(
        `Continue with before=; null at the end. A page may be short, because a request examines ${MAX_EXAMINED} entries`,
      ),
    ),
  }),
  files: [CSV],
  async run({ db, clock }, { query, setIdleTimeout }) {
    const { actor, action, subject, address, from, to, before, limit, format } = query
    const filter: AuditFilter = {
      ...{ actor, subject, address, act: action },
      since: from === undefined ? undefined : toTimestamp(from),
      until: to === undefined ? undefined : toTimestamp(to),
    }
    const step = (next: number | undefined, most: number) =>
      db.read((tx) => readAuditPage(tx, filter, { before: next, limit: most, examine: STEP }))
    if (format === 'json') return readEntries(step, { before, limit, clock })
    setIdleTimeout(LONG_SECONDS)
    return textFile('audit.csv', `${CSV}; charset=utf-8`, toCsv(COLUMNS, allEntries(step, before, clock)))
  },
})

type Step = (before: number | undefined, limit: number) => Promise<ReturnType<typeof readAuditPage>>

interface Reading {
  before: number | undefined
  limit: number
  clock: Clock
}

async function readEntries(step: Step, { before, limit, clock }: Reading) {
  const entries: ListedAudit[] = []
  let next = before
  for (let examined = 0; examined < MAX_EXAMINED && entries.length < limit; examined += STEP) {
    if (examined > 0) await clock.sleep(PAUSE_MS)
    const page = await step(next, limit - entries.length)
    entries.push(...page.entries)
    next = page.next
    if (next === undefined) break
  }
  return { entries: entries.map(presentEntry), next: next ?? null }
}

async function* allEntries(step: Step, before: number | undefined, clock: Clock) {
  let next = before
  do {
    const page = await step(next, FILE_PAGE)
    yield* page.entries.map(presentEntry)
    next = page.next
    await clock.sleep(PAUSE_MS)
  } while (next !== undefined)
}

function presentEntry({ act, ...rest }: ListedAudit) {
  return { ...rest, action: act }
}
