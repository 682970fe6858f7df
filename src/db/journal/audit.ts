import { newId, newSecret, sha256 } from '../../base/index.ts'
import type { SqlReader, SqlWriter } from '../engine/sql.ts'

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

/** An entry as it is stored. */
export interface AuditRow {
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
  tx.post(
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

/** The state of the chain, or of the part that was read. */
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
  /** `seq` of the last entry that was read. */
  last: number
}

const PAGE = 1_000

/** The chain before its first entry. `expected` is a hash that was `head` earlier. */
function startAuditChain(expected = ''): AuditChain {
  return { entries: 0, erased: 0, broken: undefined, head: '', hasExpected: expected === '', last: 0 }
}

/**
 * Checks the entries that follow, at most `limit`, and adds them to `chain`; false when there are no more.
 */
export function continueAuditChain(
  tx: SqlReader,
  chain: AuditChain,
  { expected = '', limit = PAGE }: { expected?: string | undefined; limit?: number } = {},
): boolean {
  const rows = tx.all<AuditRow>('SELECT * FROM audit_log WHERE seq > $after ORDER BY seq LIMIT $limit', {
    after: chain.last,
    limit,
  })
  for (const row of rows) {
    const isErased = row.personal === '' && row.personal_hash !== ''
    const isGenuine = isErased || row.personal === '' || sha256(row.personal) === row.personal_hash
    if (row.previous_hash !== chain.head || hashOf(row) !== row.hash || !isGenuine) chain.broken ??= row.seq
    if (isErased) chain.erased += 1
    chain.entries += 1
    chain.head = row.hash
    chain.hasExpected ||= row.hash === expected
    chain.last = row.seq
  }
  return rows.length === limit
}

/** Checks every entry against the previous one. */
export function readAuditChain(tx: SqlReader, expected = ''): AuditChain {
  const chain = startAuditChain(expected)
  while (continueAuditChain(tx, chain, { expected })) {
    // The chain is read in pages, so that memory does not grow with it.
  }
  return chain
}

/**
 * Begins behind the entry `seq`, which an earlier part of the check has reached; undefined if there is none.
 */
export function auditChainAt(tx: SqlReader, seq: number, expected = ''): AuditChain | undefined {
  if (seq === 0) return startAuditChain(expected)
  const row = tx.one<{ hash: string }>('SELECT hash FROM audit_log WHERE seq = $seq', { seq })
  return row && { ...startAuditChain(expected), head: row.hash, last: seq }
}

/** Number of audit entries, approximately: the position of the last one. */
export function lastAuditSeq(tx: SqlReader): number {
  return tx.one<{ seq: number }>('SELECT seq FROM audit_log ORDER BY seq DESC LIMIT 1')?.seq ?? 0
}
