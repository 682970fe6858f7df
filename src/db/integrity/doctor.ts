import { COLLECTIONS } from '../collections.ts'
import { quoted, type SqlReader } from '../engine/sql.ts'
import { readAuditChain } from '../journal/audit.ts'
import { checkInvariants, type Finding } from './invariants.ts'

/** Rows that a finding shows. */
export const MAX_EXAMPLES = 20

/**
 * Problems of stored records: dangling relations, the audit log, and the invariants. `maxAttempts` is the
 * configured limit, 0 = none.
 */
export function diagnoseRecords(tx: SqlReader, limits: { maxAttempts: number }): Finding[] {
  return [...danglingRelations(tx), ...brokenAudit(tx), ...checkInvariants(tx, limits)]
}

/** The chain of hashes reveals changed and removed rows, except the removal of the last ones. */
function brokenAudit(tx: SqlReader): Finding[] {
  const seq = readAuditChain(tx).broken
  return findingOf(
    'audit',
    'No entry of the audit log was changed or removed',
    seq === undefined ? [] : [{ seq }],
  )
}

function danglingRelations(tx: SqlReader): Finding[] {
  return COLLECTIONS.flatMap((collection) =>
    Object.entries(collection.fields).flatMap(([name, { reference }]) => {
      if (!reference || reference.onRemove === 'keep') return []
      const [table, target] = [quoted(collection.name), quoted(reference.to)]
      const { value, join, condition } = reference.each(tx.dialect, `${table}.${quoted(name)}`)
      const sql =
        `SELECT ${table}.id, ${value} FROM ${table} ${join} WHERE ${condition} ` +
        `AND NOT EXISTS (SELECT 1 FROM ${target} other WHERE other.id = ${value})`
      const rows = tx.all<Record<string, unknown>>(`${sql} LIMIT ${MAX_EXAMPLES}`)
      return findingOf('relations', `${collection.name}.${name} names existing records`, rows)
    }),
  )
}

/** The finding with the examples `rows`; none without them. */
export function findingOf(id: string, text: string, rows: Record<string, unknown>[]): Finding[] {
  return rows.length === 0 ? [] : [{ id, text, rows }]
}
