import { AppError } from '../../base/index.ts'
import { type Bindable, quoted, type SqlReader } from '../engine/sql.ts'
import { BASE, type Condition, type Order, type RequestInfo } from '../filter/index.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { type Conditions, joinedConditions } from './compiled-list.ts'

interface After {
  readonly collection: AnyCollection
  /** Id of the record that the page follows. */
  readonly after: string
  readonly order: Order
  readonly rule: Conditions[number]
  readonly requestInfo: RequestInfo
}

/**
 * The rows after a record. One comparison of all that the list is sorted by, which SQLite answers from the
 * index of the order: a page deep in a list costs as much as the first.
 * @throws AppError `invalid`, reason `bad_parameter`, when the caller sees no such record, or when the order
 *   is not one of stored fields of the record itself in one direction.
 */
export function startAfter(
  tx: SqlReader,
  { collection, after, order, rule, requestInfo }: After,
): Pick<Condition, 'sql' | 'bind'> {
  const { keyset } = order
  if (!keyset) {
    throw badAfter(
      'A list continues after a record only if all sort keys are stored fields of the record itself in one direction; use page instead of after',
    )
  }
  const { where, params } = joinedConditions(
    [{ sql: `${BASE}."id" = $after`, bind: () => ({ after }) }, rule],
    requestInfo,
    tx.now,
  )
  const columns = keyset.columns.map((column) => `${BASE}.${quoted(column)}`)
  const names = columns.map((_, index) => `page_after${index}`)
  const values = columns.map((column, index) => `${column} AS ${names[index]}`)
  const row = tx.one<Record<string, Bindable>>(
    `SELECT ${values.join(', ')} FROM ${quoted(collection.name)} AS ${BASE}${where}`,
    params,
  )
  if (!row) {
    const shown = after.slice(0, 40)
    throw badAfter(
      `There is no record "${shown}" to continue after; set after to the id of the last record received`,
    )
  }
  const place = names.map((name) => `$${name}`).join(', ')
  const sql = `(${columns.join(', ')}) ${keyset.descending ? '<' : '>'} (${place})`
  return { sql, bind: () => row }
}

function badAfter(message: string): AppError {
  return new AppError('invalid', message, { reason: 'bad_parameter' })
}
