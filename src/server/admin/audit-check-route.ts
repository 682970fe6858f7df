import * as v from 'valibot'
import { AppError } from '../../base/index.ts'
import { auditChainAt, continueAuditChain, lastAuditSeq } from '../../db/journal/index.ts'
import { whole } from '../http/request/list-query.ts'
import { defineRoute } from '../http/route.ts'
import { described } from '../http/schema.ts'

/** Entries checked for one response; the client continues, so that it can show the progress. */
const MAX_CHECKED = 20_000
/** Entries checked at a time, which takes about 6 ms; other requests run in the pause after it. */
const STEP = 1_000
const PAUSE_MS = 1

const hash = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/, 'Expected 64 hexadecimal digits'),
  v.description('A head of an earlier check; `has_expected_head` states whether its entry is still there'),
)

/** The check that no entry of the audit log was changed or removed, in parts. */
export const auditCheckRoute = defineRoute('GET /api/op/audit/verify', {
  access: 'superuser',
  summary:
    'Check that no entry of the audit log was changed or removed, in parts; see docs/how-to/operate.md',
  query: v.object({
    after: v.optional(
      described(whole(0, Number.MAX_SAFE_INTEGER), 'Continue behind this entry: `next` of a response'),
      '0',
    ),
    head: v.optional(hash),
  }),
  errors: { no_entry: 404 },
  response: v.object({
    entries: described(v.number(), `Entries that this part checked, at most ${MAX_CHECKED}`),
    erased: described(v.number(), 'Those whose personal details were erased with their account'),
    first_broken_entry: described(
      v.nullable(v.number()),
      'This entry, or one before it, was changed or removed; null if this part is intact',
    ),
    head: described(
      v.string(),
      'Hash of the last entry of this part; after the last part, store it on another machine',
    ),
    has_expected_head: described(
      v.boolean(),
      'Whether this part contains the entry with the hash `head`; true without `head`',
    ),
    last: described(v.number(), 'Position of the newest entry, for the progress'),
    next: described(v.nullable(v.number()), 'Continue with after=; null after the last part'),
  }),
  async run({ db, clock }, { query: { after, head = '' } }) {
    const chain = (await db.read((tx) => auditChainAt(tx, after, head))) ?? missing(after)
    let next: number | null = null
    for (let checked = 0; checked < MAX_CHECKED; checked += STEP) {
      if (checked > 0) await clock.sleep(PAUSE_MS)
      const hasMore = await db.read((tx) => continueAuditChain(tx, chain, { expected: head, limit: STEP }))
      next = hasMore ? chain.last : null
      if (!hasMore) break
    }
    const { entries, erased, broken, hasExpected } = chain
    return {
      entries,
      erased,
      first_broken_entry: broken ?? null,
      head: chain.head,
      has_expected_head: hasExpected,
      last: await db.read(lastAuditSeq),
      next,
    }
  },
})

function missing(after: number): never {
  throw new AppError(
    'not_found',
    `The audit log has no entry ${after}; begin the check again without after`,
    {
      reason: 'no_entry',
    },
  )
}
