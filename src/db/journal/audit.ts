import { newId, newSecret } from '../../base/index.ts'
import { jsonAt } from '../sqlite/dialect.ts'
import type { SqlReader, SqlWriter } from '../sqlite/sql.ts'

/** One action of an administrator, or one use of an account. */
export interface AuditEntry {
  /** `superuser:<id>`, `user:<id>`, `cli`, `driver:<id>` or `guest`. */
  actor: string
  /** The action, such as `qpu.toggle`. */
  action: string
  /** Id of the record that it changed. */
  subject: string
  detail?: Record<string, unknown>
  /** Details about a person, which are erased when the account is removed; the chain then still verifies. */
  personal?: PersonalDetail
}

/** What an entry states about a person. */
export interface PersonalDetail {
  email?: string
  /** A name that the person chose. */
  name?: string
  /** Remote address. */
  address?: string
  /** User agent. */
  agent?: string
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
  /** JSON of `PersonalDetail` and a salt, without which an erased address could be found by trying all. */
  personal: string
  personal_hash: string
}

/**
 * Each row's hash covers the previous row, so that a change of the past is detected. Personal details are
 * covered by their hash only, so that they can be erased.
 */
function hashOf(row: Omit<AuditRow, 'seq' | 'hash' | 'personal'>): string {
  const content = [row.previous_hash, row.at, row.actor, row.act, row.subject, row.detail]
  if (row.personal_hash !== '') content.push(row.personal_hash)
  return sha256(JSON.stringify(content))
}

function sha256(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}

const SALT_BYTES = 16

/** Adds an entry in the transaction of the action itself. */
export function appendAudit(
  tx: SqlWriter,
  { actor, action, subject, detail = {}, personal }: AuditEntry,
): void {
  const last = tx.one<{ hash: string }>('SELECT hash FROM audit_log ORDER BY seq DESC LIMIT 1')
  const about = personal ? JSON.stringify({ ...personal, salt: newSecret(SALT_BYTES) }) : ''
  const row = {
    at: tx.at,
    actor,
    act: action,
    subject,
    detail: JSON.stringify(detail),
    previous_hash: last?.hash ?? '',
    personal_hash: about === '' ? '' : sha256(about),
  }
  tx.run(
    `INSERT INTO audit_log (id, at, actor, act, subject, detail, hash, previous_hash, personal, personal_hash)
     VALUES ($id, $at, $actor, $act, $subject, $detail, $hash, $previous_hash, $personal, $personal_hash)`,
    { id: newId(tx.now), ...row, hash: hashOf(row), personal: about },
  )
}

/**
 * Erases the personal details of at most `limit` entries by or about an account; returns their number, 0 =
 * nothing is left. `id` is that of the account, `actor` its name as an actor.
 */
export function erasePersonal(
  tx: SqlWriter,
  { id, actor }: { id: string; actor: string },
  limit: number,
): number {
  return tx.run(
    `UPDATE audit_log SET personal = '' WHERE seq IN
       (SELECT seq FROM audit_log WHERE actor = $actor AND personal <> ''
        UNION SELECT seq FROM audit_log WHERE subject = $id AND personal <> '' LIMIT $limit)`,
    { id, actor, limit },
  )
}

/** The state of the chain as a whole. */
interface AuditChain {
  entries: number
  /** Entries whose personal details were erased with their account. */
  erased: number
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
  const chain: AuditChain = {
    entries: 0,
    erased: 0,
    broken: undefined,
    head: '',
    hasExpected: expected === '',
  }
  for (let after = 0; ; ) {
    const rows = tx.all<AuditRow>('SELECT * FROM audit_log WHERE seq > $after ORDER BY seq LIMIT $limit', {
      after,
      limit: PAGE,
    })
    for (const row of rows) {
      const isErased = row.personal === '' && row.personal_hash !== ''
      const isGenuine = isErased || row.personal === '' || sha256(row.personal) === row.personal_hash
      if (row.previous_hash !== chain.head || hashOf(row) !== row.hash || !isGenuine) chain.broken ??= row.seq
      if (isErased) chain.erased += 1
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
  /** Only entries with this remote address. */
  address?: string | undefined
  /** Stored text of a time; entries from then on. */
  since?: string | undefined
  /** Maximum number of entries; the newest are listed. */
  limit: number
}

/** An entry with the readable name of its actor. */
export interface ListedAudit extends Pick<AuditRow, 'seq' | 'at' | 'actor' | 'act' | 'subject'> {
  /** Address of the account; '' for other actors and removed accounts. */
  email: string
  /** Details, personal ones included. */
  detail: Record<string, unknown>
}

/** Audit entries, oldest first. */
export function listAudit(tx: SqlReader, filter: AuditFilter): ListedAudit[] {
  const { act = '', actor = '', subject = '', address = '', since = '', limit } = filter
  const rows = tx.all<AuditRow & { email: string | null }>(
    `SELECT entry.seq, entry.at, entry.actor, entry.act, entry.subject, entry.detail, entry.personal,
       coalesce(superusers.email, users.email) AS email
     FROM audit_log entry
     LEFT JOIN superusers ON entry.actor = 'superuser:' || superusers.id
     LEFT JOIN users ON entry.actor LIKE 'user:%' AND users.id = substr(entry.actor, 6)
     WHERE ($act = '' OR entry.act = $act OR substr(entry.act, 1, length($act) + 1) = $act || '.')
       AND $actor IN ('', entry.actor, superusers.email, users.email) AND $subject IN ('', entry.subject)
       AND ($address = '' OR ${jsonAt('entry.personal', "'$.address'")} = $address)
       AND entry.at >= $since
     ORDER BY entry.seq DESC LIMIT $limit`,
    { act, actor, subject, address, since, limit },
  )
  return rows.toReversed().map(({ seq, at, actor, act, subject, email, detail, personal }) => {
    const { salt: _, ...about } = personal === '' ? {} : JSON.parse(personal)
    return { seq, at, actor, email: email ?? '', act, subject, detail: { ...JSON.parse(detail), ...about } }
  })
}
