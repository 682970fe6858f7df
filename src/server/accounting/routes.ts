import * as v from 'valibot'
import { AppError } from '../../base/index.ts'
import type { ReadTx } from '../../db/index.ts'
import {
  DIRECTION_MARKS,
  listLedger,
  USAGE_GROUPS,
  USAGE_ORDERS,
  type Usage,
  type UsageQuery,
  usageStatement,
} from '../../db/store/accounts/index.ts'
import { findQpu } from '../../db/store/qpus/index.ts'
import { csvHead, csvLine } from '../../db/transfer/index.ts'
import { actingUser } from '../auth/acting-user.ts'
import type { ServerContext } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { readingOf } from '../http/reading.ts'
import { badQuery, whole } from '../http/request/list-query.ts'
import { type FilePage, TextFile } from '../http/response/text-file.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'

const DEFAULT_MONTHS = 12
const MAX_MONTHS = 120
const MAX_ROWS = 1_000

const month = described(
  v.pipe(
    v.string(),
    v.check((text) => /^\d{4}-(0[1-9]|1[0-2])$/.test(text), 'Expected a month such as 2026-11'),
  ),
  'A month (UTC) such as 2026-11',
)
const usageResponse = shape('Usage', {
  month: described(v.string(), "UTC; '' = all months"),
  user: described(v.string(), "Id in users; '' = all users"),
  username: described(v.string(), "'' for a removed user, or one without"),
  email: described(v.string(), "'' for a removed user"),
  qpu: described(v.string(), "Id in qpus; '' = all QPUs"),
  qpu_name: described(v.string(), "'' for a removed QPU"),
  jobs: described(v.number(), 'Jobs that ran, completed or failed'),
  qpu_seconds: described(v.number(), 'Execution time'),
  charged_seconds: described(v.number(), 'Deducted from the balance, less refunds; 0 for superusers'),
})
const COLUMNS = Object.keys(usageResponse.entries)

/** QPU time and jobs by user, QPU and month: for superusers of everybody, for users their own. */
export const accountingRoutes: Route[] = [
  defineRoute('GET /api/accounting', {
    access: 'signed_in',
    summary: 'List QPU time and jobs by month, user and QPU: the own ones, for superusers those of everybody',
    query: v.object({
      from: v.optional(month),
      to: v.optional(month),
      user: v.optional(described(v.pipe(v.string(), v.nonEmpty()), 'Id of a user')),
      qpu: v.optional(described(v.pipe(v.string(), v.nonEmpty()), 'Name or id of a QPU')),
      by: described(
        v.optional(v.picklist(USAGE_GROUPS), 'month,user,qpu'),
        "What each row is for; the others are added up and ''",
      ),
      sort: described(
        v.optional(v.picklist(USAGE_ORDERS)),
        'The figure by which rows are sorted, with - the largest first; by default the newest month first. Files are not',
      ),
      skip: v.optional(whole(0, Number.MAX_SAFE_INTEGER), '0'),
      limit: v.optional(whole(1, MAX_ROWS), '100'),
      format: v.optional(
        described(v.picklist(['json', 'csv']), 'csv: all rows as a file, without skip and limit'),
        'json',
      ),
    }),
    files: ['text/csv'],
    statuses: [200, 403, 404],
    response: v.object({ from: v.string(), to: v.string(), items: v.array(usageResponse) }),
    async run({ db, clock }, { query, ...call }) {
      const { caller, address, request } = call
      const { by, skip, limit, format, sort } = query
      const range = rangeOf(query, clock.now())
      const user = await userOf({ db }, caller, query.user)
      const qpu = query.qpu === undefined ? undefined : await db.read((tx) => qpuId(tx, query.qpu ?? ''))
      const reading = readingOf(caller, address, format === 'json' ? call : { request })
      const read = async (page: Pick<UsageQuery, 'skip' | 'limit' | 'after' | 'sort'>): Promise<Usage[]> => {
        const rows = usageStatement(db, { ...range, user, qpu, by, ...page })
        // The rows of everybody grow with users and QPUs; those of one user are found by an index.
        if (user !== undefined) return db.read((tx) => tx.all<Usage>(rows.sql, rows.params))
        return (await db.select({ rows }, reading)).rows as unknown as Usage[]
      }
      if (format === 'json') {
        return { ...range, items: (await read({ skip, limit, sort })).map(presentUsage) }
      }
      const name = `accounting-${range.from}-${range.to}.csv`
      return new TextFile(name, 'text/csv; charset=utf-8', pagesOf(read))
    },
  }),
]

/** Whose usage the caller reads; undefined = everybody's. @throws AppError `forbidden`. */
async function userOf(
  { db }: Pick<ServerContext, 'db'>,
  caller: Caller,
  requested: string | undefined,
): Promise<string | undefined> {
  if (caller.kind === 'superuser') return requested
  const { id } = await actingUser(db, caller)
  if (requested === undefined || requested === id) return id
  throw new AppError('forbidden', 'Only superusers read the usage of others; omit user')
}

function qpuId(tx: ReadTx, nameOrId: string): string {
  // The usage of a removed QPU is found by its id.
  return findQpu(tx, nameOrId)?.id ?? nameOrId
}

function rangeOf(query: { from?: string | undefined; to?: string | undefined }, now: number) {
  const to = query.to ?? new Date(now).toISOString().slice(0, 7)
  const from = query.from ?? monthAfter(to, 1 - DEFAULT_MONTHS)
  if (from > to) throw badQuery('from', `Must not be after to, which is ${to}.`)
  if (from < monthAfter(to, 1 - MAX_MONTHS)) {
    throw badQuery(
      'from',
      `Must be ${monthAfter(to, 1 - MAX_MONTHS)} or later: a range has at most ${MAX_MONTHS} months.`,
    )
  }
  return { from, to }
}

function monthAfter(month: string, months: number): string {
  const date = new Date(`${month}-01T00:00:00Z`)
  date.setUTCMonth(date.getUTCMonth() + months)
  return date.toISOString().slice(0, 7)
}

function presentUsage({ month, user, username, email, qpu, qpuName, jobs, usedMs, chargedMs }: Usage) {
  return {
    month,
    user,
    username,
    email,
    qpu,
    qpu_name: qpuName,
    jobs,
    qpu_seconds: usedMs / 1_000,
    charged_seconds: chargedMs / 1_000,
  }
}

async function* pagesOf(
  read: (page: Pick<UsageQuery, 'limit' | 'after'>) => Promise<Usage[]>,
): AsyncGenerator<FilePage, void, undefined> {
  yield [csvHead(COLUMNS)]
  let after: Usage | undefined
  do {
    const rows = await read({ limit: MAX_ROWS, after })
    yield linesOf(rows)
    after = rows.length < MAX_ROWS ? undefined : rows.at(-1)
  } while (after)
}

function* linesOf(rows: readonly Usage[]): Generator<string, void, undefined> {
  for (const row of rows) yield csvLine(COLUMNS, plainRow(presentUsage(row)))
}

/** The row of a file: without marks that change the direction of text, which would disguise a name. */
function plainRow(row: ReturnType<typeof presentUsage>) {
  const plain = (text: string) => text.replaceAll(DIRECTION_MARKS, '')
  return { ...row, username: plain(row.username), email: plain(row.email), qpu_name: plain(row.qpu_name) }
}

const MAX_ENTRIES = 200

const entry = shape('LedgerEntry', {
  at: v.string(),
  kind: described(
    v.picklist(['charge', 'grant', 'admin', 'opening', 'refund', 'session']),
    'A job; an approved request; a change by a superuser; the first balance; the charge of a job whose result was recalled; up to a minute of a session',
  ),
  name: described(v.string(), 'Name of the job; empty for others and without one'),
  source: described(v.string(), 'Id of the job, the request, the change or the session'),
  seconds: described(v.number(), 'Negative for a deduction'),
})

/** Every change of a balance; the balance is their sum. */
export const ledgerRoute: Route = defineRoute('GET /api/ledger', {
  access: 'signed_in',
  summary: 'List the changes of the own balance of QPU time, newest first; superusers name a user',
  query: v.object({
    user: v.optional(described(v.pipe(v.string(), v.nonEmpty()), 'Id of a user')),
    before: v.optional(described(whole(0, Number.MAX_SAFE_INTEGER), '`next` of the page before')),
    limit: v.optional(whole(1, MAX_ENTRIES), '50'),
  }),
  statuses: [200, 403],
  response: v.object({
    entries: v.array(entry),
    next: described(v.nullable(v.number()), 'For `before`; null on the last page'),
  }),
  async run({ db }, { caller, query }) {
    const { before = Number.MAX_SAFE_INTEGER, limit } = query
    const own = await actingUser(db, caller)
    const user = query.user ?? own.id
    if (user !== own.id && caller.kind !== 'superuser') {
      throw new AppError('forbidden', 'Only superusers read the ledger of others; omit user')
    }
    const rows = await db.read((tx) => listLedger(tx, { user, before, limit }))
    return {
      entries: rows.map(({ at, kind, source, name, deltaMs }) => ({
        at,
        kind,
        source,
        name,
        seconds: deltaMs / 1_000,
      })),
      next: rows.length < limit ? null : (rows.at(-1)?.position ?? null),
    }
  },
})
