import type { SqlReader, Statement } from '../sqlite/sql.ts'

/** Numbers that are kept; callers choose the filters. */
const MAX_KNOWN = 200

/** Keeps a number that was read as long as nothing is written: many clients poll the same list. */
export class KnownNumbers {
  readonly #numbers = new Map<string, number>()
  #version: number | undefined

  /**
   * The number that `read` finds for the statement in the snapshot of `tx`, always of the same connection.
   */
  get(tx: SqlReader, { sql, params }: Statement, read: () => number): number {
    const version = tx.one<{ data_version: number }>('PRAGMA data_version')?.data_version
    if (version !== this.#version || this.#numbers.size >= MAX_KNOWN) this.#numbers.clear()
    this.#version = version
    const key = `${sql} ${JSON.stringify(params)}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = read()
    this.#numbers.set(key, number)
    return number
  }
}
