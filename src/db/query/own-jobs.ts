import { quantumJobs } from '../collections/quantum_jobs.ts'
import type { SqlReader } from '../sqlite/sql.ts'
import { quoted } from '../sqlite/sql.ts'
import type { ListPlan } from './list-plan.ts'

/** Jobs that are counted, sorted or skipped on the event loop at most: a few ms. */
const MAX_JOBS_AT_ONCE = 5_000

/**
 * How to read the ids of a page of a user's jobs. `sort` is a declared field, descending with a leading `-`;
 * `created` is the order of submission.
 */
export function planOwnJobs(
  user: string,
  { skip, limit, sort }: { skip: number; limit: number; sort: string },
): ListPlan {
  const field = sort.replace(/^-/, '')
  const direction = sort.startsWith('-') ? ' DESC' : ''
  // `seq` is the order of submission, like `created`, but it is unaffected by clock jumps.
  const isBySubmission = field === 'created'
  if (!isBySubmission && !Object.hasOwn(quantumJobs.fields, field) && field !== 'updated') {
    throw new TypeError(`${quantumJobs.name} has no field "${field}"`)
  }
  const order = isBySubmission ? '' : `${quoted(field)}${direction}, `
  const params = { user }
  return {
    collection: quantumJobs,
    ...{ page: 1, perPage: limit, skipTotal: true },
    ids: {
      sql: `SELECT "id" FROM quantum_jobs WHERE user_id = $user
        ORDER BY ${order}"seq"${direction} LIMIT $page_limit OFFSET $page_offset`,
      params: { ...params, page_limit: limit, page_offset: skip },
      perPage: limit,
      offset: skip,
    },
    joins: undefined,
    count: undefined,
    isCostly: (tx) =>
      isBySubmission ? skip + limit > MAX_JOBS_AT_ONCE : countUpTo(tx, user) > MAX_JOBS_AT_ONCE,
    isCountCostly: () => false,
  }
}

function countUpTo(tx: SqlReader, user: string): number {
  const sql = 'SELECT count(*) AS n FROM (SELECT 1 FROM quantum_jobs WHERE user_id = $user LIMIT $most)'
  return tx.one<{ n: number }>(sql, { user, most: MAX_JOBS_AT_ONCE + 1 })?.n ?? 0
}
