import type { ErrorCode } from '../../../../base/index.ts'
import type { Finding } from '../../../integrity/invariants.ts'

/** What the server asks of the process, which does it once. */
export interface BackupTask {
  /** Make a backup, check one, or check one and copy it into the data folder for a restore. */
  readonly kind: 'create' | 'verify' | 'stage'
  /** The data folder. */
  readonly dir: string
  /** The backup. */
  readonly path: string
  /** Version of this program, for the record of the check. */
  readonly version: string
  /** Who asked for it, for the audit log of a restored database. */
  readonly actor: string
}

/** The result of a task. */
export interface BackupResult {
  readonly findings: Finding[]
  /** Written by an older version of the program. */
  readonly isOlder: boolean
  /** Path of the copy, relative to the data folder; '' unless staged. */
  readonly staged: string
}

export type FromBackup =
  /** The next step begins, such as `checking the backup`. */
  | { readonly kind: 'stage'; readonly text: string }
  | ({ readonly kind: 'done' } & BackupResult)
  /** An expected error. */
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly reason?: string }
  | { readonly kind: 'failed'; readonly message: string }
