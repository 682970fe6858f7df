import type { ErrorCode } from '../../base/index.ts'
import type { ExportPage } from '../engine/export-page.ts'
import type { Selected, Selection } from '../engine/selection.ts'
import type { DatabaseSource } from '../engine/server-address.ts'

/** What a reader is asked for. */
export type ReadTask =
  | { readonly kind: 'select'; readonly selection: Selection }
  | { readonly kind: 'export'; readonly page: ExportPage }

/**
 * The first message names the database; each later one is answered by one response. `limitMs` is the time
 * that the read may use.
 */
export type ToReader =
  | { readonly kind: 'open'; readonly source: DatabaseSource }
  | { readonly kind: 'read'; readonly task: ReadTask; readonly now: number; readonly limitMs: number }

export type FromReader =
  | { readonly kind: 'selected'; readonly selected: Selected }
  /** The text follows on the standard output, where it costs the server no decoding. */
  | { readonly kind: 'exported'; readonly bytes: number; readonly last?: string }
  /** An expected error, which the caller gets as it is. */
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly reason?: string }
  /** An error of a statement. */
  | { readonly kind: 'failed'; readonly message: string }
