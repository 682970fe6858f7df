/** A declared column or index; `sql` creates it. */
export interface Declared {
  name: string
  sql: string
}

/** Statements that run for each changed row, as NEW and OLD. */
export interface Trigger {
  name: string
  /** When it runs, such as `AFTER UPDATE OF "tags"`. */
  event: string
  table: string
  /** Runs only where this condition holds. */
  when?: string
  body: readonly string[]
}

/** The required form of a table: columns and constraints as SQL text, in order. */
export interface Columns {
  name: string
  columns: readonly (Declared & { addable: boolean })[]
  constraints: readonly string[]
  /** Stores rows in the order of the primary key instead of storing the key a second time. */
  isKeyed?: boolean
}
