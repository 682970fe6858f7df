import { AppError } from '../../base/index.ts'
import { StatementError, storageFull, tooCostly } from '../engine/failure.ts'
import type { Refusal } from './bridge/bridge.ts'
import { NOT_LEADER_STATE } from './sql/fence.ts'

/** SQLSTATE of a lock that was not given within `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03'

/**
 * What a refusal of the server means, by its SQLSTATE
 * (https://www.postgresql.org/docs/15/errcodes-appendix.html). `lost`: the session has ended.
 * `limitMs` is the time that a statement may take, `role` that of the session.
 */
export function errorOf(
  refusal: Refusal,
  { limitMs = 0, role }: { limitMs?: number; role: string },
): AppError | StatementError | 'lost' {
  const { code, message, detail, table } = refusal
  const cause = new Error(`${code} ${message}${detail === '' ? '' : `: ${detail}`}`)
  if (isLost(code)) return 'lost'
  if (code === '57014') return tooCostly(limitMs)
  if (code === '25006') {
    return storageFull(
      'The database takes no writes; check whether the server of PostgreSQL is a standby',
      'storage_read_only',
      cause,
    )
  }
  if (code === '42501') {
    const remedy = `grant it to the role ${role}, or make that role the owner`
    const where = 'docs/how-to/postgresql.md'
    return new AppError('unavailable', `PostgreSQL refuses: ${message}; ${remedy}: ${where}`, {
      reason: 'database_refused',
      cause,
    })
  }
  if (code.startsWith('53')) {
    return storageFull('The server of PostgreSQL has no space or memory left', 'storage_full', cause)
  }
  if (code.startsWith('58') || code.startsWith('XX')) {
    return storageFull('The server of PostgreSQL failed; check its log', 'storage_io', cause)
  }
  if (code === '22021' || code === '22P05') {
    const text = 'A text has the character NUL (U+0000) or half of a surrogate pair; remove it'
    return new AppError('invalid', text, { cause })
  }
  if (code === '23505') {
    return new StatementError(message, { kind: 'unique', columns: columnsOf(table, detail), cause })
  }
  return new StatementError(message, { kind: code.startsWith('23') ? 'constraint' : 'statement', cause })
}

/**
 * Another server leads, connection exceptions, an end by the operator, by a crash or of a transaction that
 * was idle, and what the client reports of its own.
 */
function isLost(code: string): boolean {
  return (
    code === NOT_LEADER_STATE ||
    code.startsWith('08') ||
    /^(25P03|57P0[1-5])$/.test(code) ||
    /CONNECTION|ECONN|EPIPE|ETIMEDOUT|TIMEOUT/.test(code)
  )
}

/** The columns in `Key ("user", kind)=(a, b) already exists.` */
function columnsOf(table: string, detail: string): string[] {
  const [, names = ''] = /^Key \((.*?)\)=\(/.exec(detail) ?? []
  return names.split(', ').map((name) => `${table}.${name.replaceAll('"', '')}`)
}

const UNSIGNED = 'none of the certificates in --database-root-cert signs the one of the server'

/** The error of a connection that could not be made; it names the remedy. */
export function connectionError(server: string, { code, message }: Refusal): AppError {
  const problems: Record<string, [reason: string, remedy: string]> = {
    '28P01': ['database_refused', 'the password is wrong'],
    '28000': ['database_refused', `${message}; see pg_hba.conf of the server, and --database-root-cert`],
    '3D000': ['database_missing', 'the database does not exist; create it: docs/how-to/postgresql.md'],
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['database_unreachable', UNSIGNED],
    SELF_SIGNED_CERT_IN_CHAIN: ['database_unreachable', UNSIGNED],
    DEPTH_ZERO_SELF_SIGNED_CERT: ['database_unreachable', UNSIGNED],
    ERR_TLS_CERT_ALTNAME_INVALID: [
      'database_unreachable',
      'its certificate is for another name; use one of its names in --database',
    ],
    [LOCK_NOT_AVAILABLE]: ['database_busy', message],
    '53300': ['database_busy', 'the server has no free connection; raise max_connections'],
  }
  const [reason, remedy] = problems[code] ?? ['database_unreachable', `${message} (${code})`]
  return new AppError('unavailable', `Cannot use PostgreSQL at ${server}: ${remedy}`, { reason })
}
