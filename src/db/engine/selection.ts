import type { SqlReader, Statement } from './sql.ts'

/** The reads of a list whose cost depends on the client, as plain data that a process can be sent. */
export interface Selection {
  /**
   * Selects the `id` of each record of one page, and possibly the `bytes` of its large values; absent when
   * only the total is wanted.
   */
  readonly ids?: Statement & { readonly perPage: number; readonly offset: number }
  /** Selects any rows; for a few thousand of them, since they are sent as JSON. */
  readonly rows?: Statement
  /** Selects the total as `n`; absent when it is not wanted. */
  readonly count?: Statement
}

/** What a selection found. */
export interface Selected {
  readonly ids: readonly string[]
  /** Bytes of the large values of each record; undefined when they were not selected. */
  readonly bytes?: readonly number[] | undefined
  /** Undefined when it was not wanted. */
  readonly total: number | undefined
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** Reads a selection in the snapshot of `tx`. */
export function readSelection(tx: SqlReader, { ids: page, rows: wanted, count }: Selection): Selected {
  const records = page ? tx.all<{ id: string; bytes?: number }>(page.sql, page.params) : []
  const ids = records.map(({ id }) => id)
  const hasBytes = records[0]?.bytes !== undefined
  const found = {
    ids,
    ...(hasBytes && { bytes: records.map(({ bytes = 0 }) => bytes) }),
    rows: wanted ? tx.all<Record<string, unknown>>(wanted.sql, wanted.params) : [],
  }
  if (!count) return { ...found, total: undefined }
  if (page && endsAt(page, ids.length)) return { ...found, total: page.offset + ids.length }
  return { ...found, total: tx.one<{ n: number }>(count.sql, count.params)?.n ?? 0 }
}

/** Whether a page of `length` records is the last one: then the total is known without counting. */
export function endsAt({ perPage, offset }: { perPage: number; offset: number }, length: number): boolean {
  return length < perPage && (length > 0 || offset === 0)
}
