import type { Params, SqlReader } from '../sqlite/sql.ts'
import { quoted } from '../sqlite/sql.ts'
import type { Load } from './compile.ts'
import { badFilter } from './language/limits.ts'
import type { Fan } from './sql/scope.ts'

/**
 * Maximum number of joined rows per request: about half a second of work, which blocks all other requests.
 */
const MAX_ROWS = 500_000
/** Assumed number of ids in a list. */
const LIST_LENGTH = 3

/**
 * Rejects conditions that would read more than `MAX_ROWS` joined rows, estimated from the largest number of
 * records that refer to the same record. `source` selects the rows to test before the joins.
 * @throws AppError `invalid`, reason `bad_filter`, with a remedy.
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
    `The filter or sort would read more than ${MAX_ROWS} related records; add conditions on the record itself with &&, such as a time or an id`,
  )
}

/** Estimated joined rows per row of the table. */
function rowsOf(tx: SqlReader, { shared, every }: Load): number {
  const product = (fans: readonly Fan[]) => fans.reduce((rows, fan) => rows * widthOf(tx, fan), 1)
  const questions = every.filter(({ fans }) => fans.length > 0)
  if (shared.length === 0 && questions.length === 0) return 0
  const rows = product(shared)
  return questions.reduce((sum, { fans, perShared }) => sum + product(fans) * (perShared ? rows : 1), rows)
}

/** Whether a condition reads any number of records that refer to the tested one. */
export function followsBack({ shared, every }: Load): boolean {
  return [...shared, ...every.flatMap(({ fans }) => fans)].some(({ kind }) => kind !== 'list')
}

function widthOf(tx: SqlReader, fan: Fan): number {
  if (fan.kind === 'list') return LIST_LENGTH
  const table = quoted(fan.table)
  const row =
    fan.kind === 'table'
      ? tx.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)
      : // Empty references do not count.
        tx.one<{ n: number }>(
          `SELECT count(*) AS n FROM ${table} WHERE ${quoted(fan.column)} <> '' GROUP BY ${quoted(fan.column)} ORDER BY n DESC LIMIT 1`,
        )
  return Math.max(1, row?.n ?? 0)
}
