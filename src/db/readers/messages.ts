import type { ErrorCode } from '../../base/index.ts'
import type { Selected, Selection } from './selection.ts'

/** The first message names the file; each later one is answered by one response. */
export type ToReader =
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'read'; readonly selection: Selection; readonly now: number }

export type FromReader =
  | { readonly kind: 'selected'; readonly selected: Selected }
  /** An expected error, which the caller gets as it is. */
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly reason?: string }
  /** An error of SQLite. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
