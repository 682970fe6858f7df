import type { Params, SqlReader } from '../sqlite/sql.ts'
import { quoted } from '../sqlite/sql.ts'
import type { Load } from './compile.ts'
import { badFilter } from './language/limits.ts'
import type { Fan } from './sql/scope.ts'

/** Joined rows that one request may look at: about half a second of work, during which nothing else is served. */
const MAX_ROWS = 500_000
/** Ids that a list is reckoned to hold. */
const LIST_LENGTH = 3

/**
 * Refuses conditions that would look at more than half a million joined rows, reckoned from the largest number of
 * records that name the same one. `source` says which rows come into question before the joins.
 * @throws AppError `invalid`, reason `bad_filter`, with the way out.
 */
export function refuseCostly(
  tx: SqlReader,
  loads: readonly Load[],
  source: { readonly from: string; readonly where: readonly string[]; readonly params: Params },
): void {
  const perRow = loads.reduce((sum, load) => sum + rowsOf(tx, load), 0)
  if (perRow <= 1) return
  const conditions = [...source.where, ...loads.map(({ before }) => before)].filter((each) => each !== '')
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.map((each) => `(${each})`).join(' AND ')}`
  const allowed = Math.floor(MAX_ROWS / perRow)
  const rows = tx.one<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM ${source.from}${where} LIMIT $cost_limit)`,
    { ...source.params, cost_limit: allowed + 1 },
  )
  if ((rows?.n ?? 0) <= allowed) return
  throw badFilter(
    `The filter or sort would look at more than ${MAX_ROWS} related records; add conditions on the record itself with &&, such as a time or an id`,
  )
}

/** Joined rows per row of the table. */
function rowsOf(tx: SqlReader, { shared, every }: Load): number {
  const product = (fans: readonly Fan[]) => fans.reduce((rows, fan) => rows * widthOf(tx, fan), 1)
  const questions = every.filter(({ fans }) => fans.length > 0)
  if (shared.length === 0 && questions.length === 0) return 0
  const rows = product(shared)
  return questions.reduce((sum, { fans, perShared }) => sum + product(fans) * (perShared ? rows : 1), rows)
}

/** Whether a condition looks at records that name the one in question, however many these are. */
export function followsBack({ shared, every }: Load): boolean {
  return [...shared, ...every.flatMap(({ fans }) => fans)].some(({ kind }) => kind !== 'list')
}

function widthOf(tx: SqlReader, fan: Fan): number {
  if (fan.kind === 'list') return LIST_LENGTH
  const table = quoted(fan.table)
  const row =
    fan.kind === 'table'
      ? tx.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)
      : // Records that name nobody are nobody's.
        tx.one<{ n: number }>(
          `SELECT count(*) AS n FROM ${table} WHERE ${quoted(fan.column)} <> '' GROUP BY ${quoted(fan.column)} ORDER BY n DESC LIMIT 1`,
        )
  return Math.max(1, row?.n ?? 0)
}
