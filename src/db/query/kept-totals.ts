import type { SqlReader, Statement } from '../engine/sql.ts'

/** Totals that are kept; callers choose the filters. */
const MAX_KEPT = 200

/** Totals of lists, kept as long as nothing is written: many clients poll the same list. */
export class KeptTotals {
  readonly #totals = new Map<string, number>()
  #version: number | undefined

  /**
   * The total of the statement in the snapshot of `tx`, always of the same connection; undefined when it was
   * not counted since the last commit. `keep` stores it unless something has been committed before it is
   * called.
   */
  find(
    tx: SqlReader,
    { sql, params }: Statement,
  ): { total: number | undefined; keep(tx: SqlReader, total: number): void } {
    const version = this.#forget(tx)
    const key = `${sql} ${JSON.stringify(params)}`
    return {
      total: this.#totals.get(key),
      keep: (later, total) => {
        if (this.#forget(later) === version) this.#totals.set(key, total)
      },
    }
  }

  /** Forgets the totals of earlier data, and too many. */
  #forget(tx: SqlReader): number | undefined {
    const version = tx.version()
    if (version !== this.#version || this.#totals.size >= MAX_KEPT) this.#totals.clear()
    this.#version = version
    return version
  }
}
