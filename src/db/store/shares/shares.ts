import { AppError, newId } from '../../../base/index.ts'
import { type AuditEntry, appendAudit } from '../../journal/audit.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'

/** What a link can open: a job, or the report of a calibration. */
export const SHARED = ['job', 'report'] as const
type SharedKind = (typeof SHARED)[number]

/** A link that opens one job or report without a login. Times are UTC text. */
export interface Share {
  id: string
  kind: SharedKind
  /** Id of the job or the report. */
  record: string
  /** Id of the user who created it. */
  user: string
  expires_at: string
  created: string
}

const COLUMNS = 'share.id, kind, record, share."user", expires_at, share.created'

/** Links of one user, and links of a list. */
const MAX_SHARES = 100

/**
 * Stores the SHA-256 of the secret of a new link, instead of those of the user that have expired; audited.
 * @throws AppError `conflict` (`too_many_links`).
 */
export function createShare(
  tx: Tx,
  { hash, ...share }: Omit<Share, 'id' | 'created'> & { hash: string },
  creation: Pick<AuditEntry, 'actor' | 'personal'>,
): Share {
  const { user } = share
  tx.run('DELETE FROM shares WHERE "user" = $user AND expires_at <= $at', { user, at: tx.at })
  const { count } = tx.one<{ count: number }>('SELECT count(*) AS count FROM shares WHERE "user" = $user', {
    user,
  }) ?? { count: 0 }
  if (count >= MAX_SHARES) {
    const message = `The account has ${count} links to jobs and reports, the limit is ${MAX_SHARES}; revoke one that is not used`
    throw new AppError('conflict', message, { reason: 'too_many_links' })
  }
  const created: Share = { id: newId(tx.now), ...share, created: tx.at }
  tx.run(
    `INSERT INTO shares (id, hash, kind, record, "user", expires_at, created)
     VALUES ($id, $hash, $kind, $record, $user, $expires_at, $created)`,
    { ...created, hash },
  )
  const { id, kind, record, expires_at } = created
  appendAudit(tx, { ...creation, action: 'share.create', subject: id, detail: { kind, record, expires_at } })
  return created
}

/** The link whose secret has this SHA-256, unless it has expired or its user may not log in. */
export function findShareByHash(tx: ReadTx, hash: string): Share | undefined {
  return tx.one(
    `SELECT ${COLUMNS} FROM shares share JOIN users ON users.id = share."user" AND users.disabled = 0
     WHERE hash = $hash AND expires_at > $at`,
    { hash, at: tx.at },
  )
}

/** The links to a record that have not expired, the newest first; of one user, or of all without `user`. */
export function listShares(
  tx: ReadTx,
  { kind, record, user }: Pick<Share, 'kind' | 'record'> & { user: string | undefined },
): Share[] {
  return tx.all(
    `SELECT ${COLUMNS} FROM shares share
     WHERE record = $record AND kind = $kind AND expires_at > $at ${user === undefined ? '' : 'AND "user" = $user'}
     ORDER BY share.id DESC LIMIT ${MAX_SHARES}`,
    { kind, record, at: tx.at, ...(user !== undefined && { user }) },
  )
}

/** Ends a link of one user, or of any user without `user`; false when there is no such link. Audited. */
export function removeShare(
  tx: Tx,
  { id, user }: { id: string; user: string | undefined },
  removal: Pick<AuditEntry, 'actor' | 'personal'>,
): boolean {
  const share = tx.one<Share>(`SELECT ${COLUMNS} FROM shares share WHERE id = $id`, { id })
  if (!share || (user !== undefined && share.user !== user)) return false
  tx.run('DELETE FROM shares WHERE id = $id', { id })
  const { kind, record } = share
  appendAudit(tx, { ...removal, action: 'share.delete', subject: id, detail: { kind, record } })
  return true
}
