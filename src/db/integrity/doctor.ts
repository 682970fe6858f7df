import { COLLECTIONS } from '../collections.ts'
import { quoted, type SqlReader } from '../engine/sql.ts'
import { readAuditChain } from '../journal/audit.ts'
import { checkInvariants, type Finding } from './invariants.ts'

const MAX_EXAMPLES = 20

/**
 * All problems of stored data: the file's structure, foreign keys, dangling relations, the audit log, and the
 * invariants. Empty when there are none. Reads the whole database. `maxAttempts` is the configured limit, 0 =
 * none.
 */
export function diagnose(tx: SqlReader, limits: { maxAttempts: number }): Finding[] {
  return [
    ...diagnoseFile(tx),
    ...danglingRelations(tx),
    brokenAudit(tx),
    ...checkInvariants(tx, limits),
  ].filter(isBroken)
}

/** Problems of a database of any version: its structure and its foreign keys. */
export function diagnoseFile(tx: SqlReader): Finding[] {
  return [
    finding(
      'file',
      'The structure of the file is intact',
      tx
        .all<{ integrity_check: string }>(`PRAGMA integrity_check(${MAX_EXAMPLES})`)
        .filter((row) => row.integrity_check !== 'ok'),
    ),
    finding(
      'keys',
      'Required relations name an existing record',
      tx.all<Record<string, unknown>>('PRAGMA foreign_key_check').slice(0, MAX_EXAMPLES),
    ),
  ].filter(isBroken)
}

function isBroken({ rows }: Finding): boolean {
  return rows.length > 0
}

/** The chain of hashes reveals changed and removed rows, except the removal of the last ones. */
function brokenAudit(tx: SqlReader): Finding {
  const seq = readAuditChain(tx).broken
  return finding(
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
      const { value, join, condition } = reference.each(`${table}.${quoted(name)}`)
      const sql =
        `SELECT ${table}.id, ${value} FROM ${table} ${join} WHERE ${condition} ` +
        `AND NOT EXISTS (SELECT 1 FROM ${target} other WHERE other.id = ${value})`
      const rows = tx.all<Record<string, unknown>>(`${sql} LIMIT ${MAX_EXAMPLES}`)
      return [finding('relations', `${collection.name}.${name} names existing records`, rows)]
    }),
  )
}

function finding(id: string, text: string, rows: Record<string, unknown>[]): Finding {
  return { id, text, rows }
}
