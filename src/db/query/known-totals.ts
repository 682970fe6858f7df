import type { SqlReader, Statement } from '../sqlite/sql.ts'

/** Totals that are kept; callers choose the filters. */
const MAX_KNOWN = 200

/** Counts each statement once as long as nothing is written: many clients poll the same list. */
export class KnownTotals {
  readonly #totals = new Map<string, number>()
  #version: number | undefined

  /** The `n` that the statement selects in the snapshot of `tx`, always of the same connection. */
  count(tx: SqlReader, { sql, params }: Statement): number {
    const version = tx.one<{ data_version: number }>('PRAGMA data_version')?.data_version
    if (version !== this.#version || this.#totals.size >= MAX_KNOWN) this.#totals.clear()
    this.#version = version
    const key = `${sql} ${JSON.stringify(params)}`
    const known = this.#totals.get(key)
    if (known !== undefined) return known
    const total = tx.one<{ n: number }>(sql, params)?.n ?? 0
    this.#totals.set(key, total)
    return total
  }
}
