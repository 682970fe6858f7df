import type { Dialect } from '../engine/dialect.ts'
import type { SqlReader, Statement } from '../engine/sql.ts'
import { type AuditRow, lastAuditSeq } from './audit.ts'

/** The entries to list; absent parts do not filter. */
export interface AuditFilter {
  /** The action or its first words: `job` matches `job.hold`. */
  act?: string | undefined
  actor?: string | undefined
  subject?: string | undefined
  /** Only entries with this remote address. */
  address?: string | undefined
  /** Stored text of a time; entries from then on. */
  since?: string | undefined
  /** Stored text of a time; entries before it. */
  until?: string | undefined
}

/** An entry with the readable name of its actor. */
export interface ListedAudit extends Pick<AuditRow, 'seq' | 'at' | 'actor' | 'act' | 'subject'> {
  /** Address of the account; '' for other actors and removed accounts. */
  email: string
  /** Details, personal ones included. */
  detail: Record<string, unknown>
}

/** The newest `limit` matching audit entries, oldest first; reads as many as it takes to find them. */
export function listAudit(
  tx: SqlReader,
  { limit, ...filter }: AuditFilter & { limit: number },
): ListedAudit[] {
  const { sql, params } = statementOf(tx.dialect, filter, { from: 0, before: Number.MAX_SAFE_INTEGER }, limit)
  return tx.all<StoredAudit>(sql, params).map(listed).toReversed()
}

interface AuditPaging {
  before?: number | undefined
  limit: number
  /** Maximum number of entries that are examined. */
  examine: number
}

interface AuditPage {
  /** Newest first. */
  entries: ListedAudit[]
  /** Position to continue before; undefined when nothing older can match. */
  next: number | undefined
}

/** How to read a page of the audit log. */
interface AuditPlan {
  /** Selects the matching entries, which takes up to 3 ms per 1,000 that are examined. */
  readonly rows: Statement
  /** The page of these rows. */
  pageOf(rows: readonly Readonly<Record<string, unknown>>[]): AuditPage
}

/**
 * How to read the matching entries among the next `examine` before the position `before`, at most `limit`.
 * A time range is found by bisection, so entries of a time in which the clock was set back may be missing in
 * it.
 */
export function planAuditPage(
  tx: SqlReader,
  filter: AuditFilter,
  { before = Number.MAX_SAFE_INTEGER, limit, examine }: AuditPaging,
): AuditPlan {
  const { since, until } = filter
  const end = Math.min(before, firstFrom(tx, until) ?? lastAuditSeq(tx) + 1)
  const begin = since === undefined ? 1 : (firstFrom(tx, since) ?? end)
  const from = Math.max(begin, end - examine)
  return {
    rows: statementOf(tx.dialect, filter, { from, before: end }, limit),
    pageOf(rows) {
      const entries = rows.map((row) => listed(row as unknown as StoredAudit))
      const reached = entries.length < limit ? from : (entries.at(-1)?.seq ?? from)
      return { entries, next: reached > begin ? reached : undefined }
    },
  }
}

interface Range {
  from: number
  before: number
}

type StoredAudit = AuditRow & { email: string | null }

/** Selects entries, newest first. */
function statementOf(
  { jsonAt }: Dialect,
  filter: AuditFilter,
  { from, before }: Range,
  limit: number,
): Statement {
  const { act = '', actor = '', subject = '', address = '', since = '', until = '' } = filter
  return {
    sql: `SELECT entry.seq, entry.at, entry.actor, entry.act, entry.subject, entry.detail, entry.personal,
       coalesce(superusers.email, users.email) AS email
     FROM audit_log entry
     LEFT JOIN superusers ON entry.actor = 'superuser:' || superusers.id
     LEFT JOIN users ON substr(entry.actor, 1, 5) = 'user:' AND users.id = substr(entry.actor, 6)
     WHERE entry.seq >= $from AND entry.seq < $before
       AND ($act = '' OR entry.act = $act OR substr(entry.act, 1, length($act) + 1) = $act || '.')
       AND $actor IN ('', entry.actor, superusers.email, users.email) AND $subject IN ('', entry.subject)
       AND ($address = '' OR ${jsonAt('entry.personal', "'$.address'")} = $address)
       AND entry.at >= $since AND ($until = '' OR entry.at < $until)
     ORDER BY entry.seq DESC LIMIT $limit`,
    params: { act, actor, subject, address, since, until, from, before, limit },
  }
}

function listed({ seq, at, actor, act, subject, email, detail, personal }: StoredAudit): ListedAudit {
  const { salt: _, ...about } = personal === '' ? {} : JSON.parse(personal)
  return { seq, at, actor, email: email ?? '', act, subject, detail: { ...JSON.parse(detail), ...about } }
}

/** Position of the first entry from a time on; undefined without a time, or if all are older. */
function firstFrom(tx: SqlReader, at: string | undefined): number | undefined {
  if (at === undefined) return undefined
  let [low, high] = [1, lastAuditSeq(tx) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const entry = tx.one<{ at: string }>(
      'SELECT at FROM audit_log WHERE seq >= $middle ORDER BY seq LIMIT 1',
      {
        middle,
      },
    )
    if (entry && entry.at < at) low = middle + 1
    else high = middle
  }
  return low > lastAuditSeq(tx) ? undefined : low
}
