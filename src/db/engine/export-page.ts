import type { Connection } from './connection.ts'
import type { Statement } from './sql.ts'

/** A page of an export, as plain data that a process can be sent: which records, and how they are written. */
export interface ExportPage {
  /** Name of the collection in the code. */
  readonly collection: string
  /** Selects the ids of the page in their order; see `Selection`. */
  readonly ids: Statement & { readonly perPage: number; readonly offset: number }
  /** Large fields that the file does not need; see `Unread`. */
  readonly without: Readonly<Record<string, string>>
  readonly format: 'csv' | 'jsonl'
  /** Which parts of a record are written, as in requests; '' = all. */
  readonly fields: string
  /** The cells of a line, for CSV. */
  readonly columns: readonly string[]
  /** Public name of the collection. */
  readonly publicName: string
}

/** A page as it is sent, in UTF-8. */
export interface ExportedPage {
  readonly text: Uint8Array
  /** Id of its last record; undefined when none follows. */
  readonly last: string | undefined
}

/** Reads and writes a page at `now`, in ms since the epoch. */
export type PageWriter = (connection: Connection, page: ExportPage, now: number) => ExportedPage
