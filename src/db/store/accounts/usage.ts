import { type Dialect, ofDialect } from '../../engine/dialect.ts'
import { type Bindable, quoted, type Statement } from '../../engine/sql.ts'
import type { Tx } from '../../records/tx.ts'
import { newerCharges } from '../../sums/newer.ts'

/** The jobs of a user that one QPU ran in one month. */
export interface Usage {
  /** UTC: `2026-11`. */
  month: string
  user: string
  /** The user's name; '' for a removed user. */
  username: string
  /** The user's address; '' for a removed user. */
  email: string
  qpu: string
  /** The QPU's name; '' for a removed QPU. */
  qpuName: string
  jobs: number
  /** Execution time in ms. */
  usedMs: number
  /** Time deducted from the user's balance less what was refunded, in ms; 0 for unlimited users. */
  chargedMs: number
}

/** What rows of usage are for: the others of month, user and QPU are added up and ''. */
export const USAGE_GROUPS = ['month,user,qpu', 'month,user', 'month,qpu', 'month', 'user', 'qpu'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** The figures by which rows of usage are sorted, the smallest first; with `-` the largest. */
export const USAGE_ORDERS = [
  'jobs',
  '-jobs',
  'qpu_seconds',
  '-qpu_seconds',
  'charged_seconds',
  '-charged_seconds',
] as const
const ORDER_COLUMNS: Record<string, string> = {
  jobs: 'jobs',
  qpu_seconds: '"usedMs"',
  charged_seconds: '"chargedMs"',
}

/** Which usage is read. Months are UTC as `2026-11`, both included. */
export interface UsageQuery {
  from: string
  to: string
  /** Id of a user; undefined = all. */
  user: string | undefined
  /** Id of a QPU; undefined = all. */
  qpu: string | undefined
  by: UsageGroup
  skip?: number
  limit: number
  /** Instead of the newest month first; not with `after`. */
  sort?: (typeof USAGE_ORDERS)[number] | undefined
  /** Only what follows this row, whatever is added meanwhile. */
  after?: Usage | undefined
}

/** The stored usage, and that of the jobs which are newer. */
const usageSql = ofDialect(
  (dialect) => `(SELECT "user", month, qpu, jobs, used_ms, charged_ms FROM qpu_usage
  UNION ALL
  SELECT "user", substr(at, 1, 7), qpu, jobs, used_ms, 0 - delta_ms FROM ${newerCharges(dialect)} newer)`,
)

/**
 * Subtracts a refund from the charges of the month in which its job ran (negative: adds what was deducted
 * again). The job may not be in the stored usage yet.
 */
export function reduceUsage(
  tx: Tx,
  of: { user: string; month: string; qpu: string },
  refundedMs: number,
): void {
  tx.run(
    `INSERT INTO qpu_usage ("user", month, qpu, jobs, used_ms, charged_ms)
     VALUES ($user, $month, $qpu, 0, 0, 0 - $refundedMs)
     ON CONFLICT ("user", month, qpu) DO UPDATE SET charged_ms = qpu_usage.charged_ms + excluded.charged_ms`,
    { ...of, refundedMs },
  )
}

/** Selects the `Usage` by month, user and QPU or some of them, the newest month first. */
export function usageStatement(
  { dialect }: { readonly dialect: Dialect },
  { from, to, user, qpu, by, sort, skip = 0, limit, after }: UsageQuery,
): Statement {
  const groups = by.split(',')
  const params: Record<string, Bindable> = { from, to, skip, limit }
  const conditions = ['month BETWEEN $from AND $to']
  if (user !== undefined) {
    conditions.push('"user" = $user')
    params['user'] = user
  }
  if (qpu !== undefined) {
    conditions.push('qpu = $qpu')
    params['qpu'] = qpu
  }
  if (after) {
    conditions.push(followsAfter(groups))
    Object.assign(params, { afterMonth: after.month, afterUser: after.user, afterQpu: after.qpu })
  }
  const columns = ['month', 'user', 'qpu'].map((name) =>
    groups.includes(name) ? quoted(name) : `'' AS ${quoted(name)}`,
  )
  const column = ORDER_COLUMNS[sort?.replace('-', '') ?? '']
  const first = column ? `${column} ${sort?.startsWith('-') ? 'DESC' : 'ASC'}, ` : ''
  const sql = `SELECT month, "user", coalesce(users.username, '') AS username, coalesce(users.email, '') AS email,
       usage.qpu, coalesce(qpus.name, '') AS "qpuName", jobs, "usedMs", "chargedMs"
     FROM (SELECT ${columns.join(', ')}, sum(jobs) AS jobs, sum(used_ms) AS "usedMs", sum(charged_ms) AS "chargedMs"
           FROM ${usageSql(dialect)} every WHERE ${conditions.join(' AND ')} GROUP BY ${groups.map(quoted).join(', ')}
           ORDER BY ${first}1 DESC, 2, 3 LIMIT $limit OFFSET $skip) usage
       LEFT JOIN users ON users.id = usage.user LEFT JOIN qpus ON qpus.id = usage.qpu
     ORDER BY ${first}month DESC, "user", usage.qpu`
  return { sql, params }
}

/** The condition on what follows a row: the first key that differs decides. */
function followsAfter(groups: readonly string[]): string {
  const keys = [
    { name: 'month', follows: 'month < $afterMonth', isSame: 'month = $afterMonth' },
    { name: 'user', follows: '"user" > $afterUser', isSame: '"user" = $afterUser' },
    { name: 'qpu', follows: 'qpu > $afterQpu', isSame: 'qpu = $afterQpu' },
  ].filter(({ name }) => groups.includes(name))
  const cases = keys.map(({ follows }, at) =>
    [...keys.slice(0, at).map(({ isSame }) => isSame), follows].join(' AND '),
  )
  return `(${cases.join(' OR ')})`
}
