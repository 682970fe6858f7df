import * as v from 'valibot'
import { AppError } from '../../base/index.ts'
import { listLedger } from '../../db/store/accounts/index.ts'
import { actingUser } from '../auth/acting-user.ts'
import { whole } from '../http/request/list-query.ts'
import { defineRoute, type Route } from '../http/route.ts'

const MAX_ENTRIES = 200

const entry = v.pipe(
  v.object({
    at: v.string(),
    kind: v.pipe(
      v.picklist(['charge', 'grant', 'admin', 'opening']),
      v.description('A job; an approved request; a change by a superuser; the first balance'),
    ),
    name: v.pipe(v.string(), v.description('Name of the job; empty for others and without one')),
    source: v.pipe(v.string(), v.description('Id of the job, the request or the change')),
    seconds: v.pipe(v.number(), v.description('Negative for a deduction')),
  }),
  v.title('LedgerEntry'),
)

/** Every change of a balance; the balance is their sum. */
export const ledgerRoute: Route = defineRoute({
  method: 'GET',
  path: '/api/ledger',
  access: 'signed_in',
  summary: 'List the changes of the own balance of QPU time, newest first; superusers name a user',
  query: v.object({
    user: v.optional(v.pipe(v.string(), v.nonEmpty(), v.description('Id of a user'))),
    before: v.optional(v.pipe(whole(0, Number.MAX_SAFE_INTEGER), v.description('`next` of the page before'))),
    limit: v.optional(whole(1, MAX_ENTRIES), '50'),
  }),
  statuses: [200, 403],
  response: v.object({
    entries: v.array(entry),
    next: v.pipe(v.nullable(v.number()), v.description('For `before`; null on the last page')),
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
