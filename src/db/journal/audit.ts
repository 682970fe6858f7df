import { newId } from '../../base/index.ts'
import type { SqlReader, SqlWriter } from '../sqlite/sql.ts'

/** One action of an administrator. */
export interface AuditEntry {
  /** `superuser:<id>`, `cli` or `driver:<id>`. */
  actor: string
  /** The action, such as `qpu.toggle`. */
  action: string
  /** Id of the record that it changed. */
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

/** Each row's hash covers the previous row, so that a change of the past is detected. */
function hashOf(row: Omit<AuditRow, 'seq' | 'hash'>): string {
  const content = [row.previous_hash, row.at, row.actor, row.act, row.subject, row.detail]
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(content)).digest('hex')
}

/** Adds an entry in the transaction of the action itself. */
export function appendAudit(tx: SqlWriter, { actor, action, subject, detail = {} }: AuditEntry): void {
  const last = tx.one<{ hash: string }>('SELECT hash FROM audit_log ORDER BY seq DESC LIMIT 1')
  const row = {
    at: tx.at,
    actor,
    act: action,
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

/** The state of the chain as a whole. */
interface AuditChain {
  entries: number
  /** `seq` of the first entry that does not match the chain; undefined when the chain is intact. */
  broken: number | undefined
  /**
   * Hash of the last entry, '' without entries. An administrator who stores it can detect later that entries
   * were cut off.
   */
  head: string
  /** Whether the chain contains an entry with the expected hash. */
  hasExpected: boolean
}

const PAGE = 1_000

/** Checks every entry against the previous one. `expected` is a hash that was `head` earlier. */
export function readAuditChain(tx: SqlReader, expected = ''): AuditChain {
  const chain: AuditChain = { entries: 0, broken: undefined, head: '', hasExpected: expected === '' }
  for (let after = 0; ; ) {
    const rows = tx.all<AuditRow>('SELECT * FROM audit_log WHERE seq > $after ORDER BY seq LIMIT $limit', {
      after,
      limit: PAGE,
    })
    for (const row of rows) {
      if (row.previous_hash !== chain.head || hashOf(row) !== row.hash) chain.broken ??= row.seq
      chain.entries += 1
      chain.head = row.hash
      chain.hasExpected ||= row.hash === expected
      after = row.seq
    }
    if (rows.length < PAGE) return chain
  }
}

/** The entries to list; absent parts do not filter. */
interface AuditFilter {
  /** The action or its first words: `job` matches `job.hold`. */
  act?: string | undefined
  actor?: string | undefined
  subject?: string | undefined
  /** Stored text of a time; entries from then on. */
  since?: string | undefined
  /** Maximum number of entries; the newest are listed. */
  limit: number
}

/** An entry with the readable name of its actor. */
export interface ListedAudit extends Pick<AuditRow, 'seq' | 'at' | 'actor' | 'act' | 'subject'> {
  /** Address of the superuser; '' for other actors and removed superusers. */
  email: string
  detail: unknown
}

/** Audit entries, oldest first. */
export function listAudit(tx: SqlReader, filter: AuditFilter): ListedAudit[] {
  const { act = '', actor = '', subject = '', since = '', limit } = filter
  const rows = tx.all<AuditRow & { email: string | null }>(
    `SELECT entry.seq, entry.at, entry.actor, entry.act, entry.subject, entry.detail, superusers.email
     FROM audit_log entry LEFT JOIN superusers ON entry.actor = 'superuser:' || superusers.id
     WHERE ($act = '' OR entry.act = $act OR substr(entry.act, 1, length($act) + 1) = $act || '.')
       AND $actor IN ('', entry.actor, superusers.email) AND $subject IN ('', entry.subject)
       AND entry.at >= $since
     ORDER BY entry.seq DESC LIMIT $limit`,
    { act, actor, subject, since, limit },
  )
  return rows.toReversed().map(({ seq, at, actor, act, subject, email, detail }) => {
    return { seq, at, actor, email: email ?? '', act, subject, detail: JSON.parse(detail) }
  })
}
