import { newId } from '../../base/index.ts'
import type { Tx } from '../database.ts'
import type { SqlReader } from '../sql.ts'

/** One act of an administrator. */
export interface AuditEntry {
  /** `superuser:<id>`, `cli` or `driver:<id>`. */
  actor: string
  /** What was done, such as `qpu.toggle`. */
  act: string
  /** Whose record it was done to. */
  subject: string
  detail?: Record<string, unknown>
}

interface AuditRow {
  seq: number
  at: string
  actor: string
  act: string
  subject: string
  detail: string
  hash: string
  previous_hash: string
}

/** Each row's hash covers the row before it, so that nobody can change the past unnoticed. */
function hashOf(row: Omit<AuditRow, 'seq' | 'hash'>): string {
  const content = [row.previous_hash, row.at, row.actor, row.act, row.subject, row.detail]
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(content)).digest('hex')
}

/** Adds an entry in the transaction of the act itself. */
export function appendAudit(tx: Tx, { actor, act, subject, detail = {} }: AuditEntry): void {
  const last = tx.one<{ hash: string }>('SELECT hash FROM audit_log ORDER BY seq DESC LIMIT 1')
  const row = {
    at: tx.at,
    actor,
    act,
    subject,
    detail: JSON.stringify(detail),
    previous_hash: last?.hash ?? '',
  }
  tx.run(
    `INSERT INTO audit_log (id, at, actor, act, subject, detail, hash, previous_hash)
     VALUES ($id, $at, $actor, $act, $subject, $detail, $hash, $previous_hash)`,
    { id: newId(tx.now), ...row, hash: hashOf(row) },
  )
}

/** The `seq` of the first entry that does not fit its chain, or undefined when all do. */
export function firstBrokenAudit(tx: SqlReader): number | undefined {
  let previous = ''
  for (const row of tx.all<AuditRow>('SELECT * FROM audit_log ORDER BY seq')) {
    if (row.previous_hash !== previous || hashOf(row) !== row.hash) return row.seq
    previous = row.hash
  }
  return undefined
}
