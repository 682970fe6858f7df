import { COLLECTIONS } from '../collections/index.ts'
import { readAuditChain } from '../journal/audit.ts'
import { quoted, type SqlReader } from '../sqlite/sql.ts'
import { checkInvariants, type Finding } from './invariants.ts'

const MAX_EXAMPLES = 20

/**
 * Everything that can be wrong with stored data: the file's structure, foreign keys, relations that name
 * nothing, the audit log, and the promises of the service. Empty when all is well. Reads the whole database.
 * `maxAttempts` is the configured limit, 0 = none.
 */
export function diagnose(tx: SqlReader, limits: { maxAttempts: number }): Finding[] {
  return [
    ...diagnoseFile(tx),
    ...danglingRelations(tx),
    brokenAudit(tx),
    ...checkInvariants(tx, limits),
  ].filter(isBroken)
}

/** What can be wrong with a database of any version: its structure and its foreign keys. */
export function diagnoseFile(tx: SqlReader): Finding[] {
  return [
    finding(
      'file',
      'The structure of the file is sound',
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

/** The chain of hashes tells when a row was changed or taken out; not when the last rows were cut off. */
function brokenAudit(tx: SqlReader): Finding {
  const seq = readAuditChain(tx).broken
  return finding(
    'audit',
    'No entry of the audit log was changed or taken out',
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
