import type { Dialect } from './dialect.ts'
import type { Columns, Declared, Trigger } from './table.ts'

/** Triggers as they are written for a database. */
export type Triggers = (dialect: Dialect) => readonly Trigger[]

/** The required form of a table with what belongs to it. */
export interface Table extends Columns {
  indexes: readonly Declared[]
  triggers?: Triggers
}

/** A stored table with the texts of its columns and constraints, as they were declared. */
export interface StoredTable {
  name: string
  definitions: readonly string[]
}

/** The tables of a database, as it has them, and how it changes them. */
export interface StoredSchema {
  /** All tables of the service. */
  tables(): StoredTable[]
  create(table: Table): void
  /** Adds a column with the text `definition`, which begins with its quoted name. */
  addColumn(table: string, definition: string): void
  /** Gives a column without an index the text `definition`, with the same type and a default; values stay. */
  changeColumn(table: string, definition: string): void
  /** Drops a column, with the index of its key if it is one; it has no other. */
  dropColumn(table: string, column: string): void
  /** Drops what is stored but not declared in the same words, and creates what is missing. */
  replaceIndexes(declared: readonly Declared[]): void
  /** The same for triggers. */
  replaceTriggers(declared: readonly Triggers[]): void
  /** Gives the next row of a table a number above those in `column`, which were stored with their rows. */
  continueNumbers(table: string, column: string): void
  /**
   * Runs work that may rebuild tables, without triggers, which `replaceTriggers` creates again: it checks
   * references by `brokenReferences` itself, at the end of each of its transactions.
   */
  rebuild(work: () => void): void
  /** Tables with references to records of `parent` that are not there, one entry per reference. */
  brokenReferences(): { table: string; parent: string }[]
  /**
   * Keeps the database as it is under a second name that ends with `ending`, so that the version before can
   * be restored. Returns where it is.
   */
  keepBefore(ending: string): string
  /** Where a call of `keepBefore` left the database; undefined when it is not there. */
  findKept(ending: string): string | undefined
}

/** The column of a definition, in quotes as the service declares it or as another program has added it. */
const COLUMN = /^(?:"(?<quoted>[^"]+)"|(?!(?:CONSTRAINT|PRIMARY|UNIQUE|CHECK|FOREIGN)\b)(?<bare>\w+))/i

/** The name of the column that a definition declares; undefined for a constraint. */
export function columnName(definition: string): string | undefined {
  const { quoted, bare } = COLUMN.exec(definition)?.groups ?? {}
  return quoted ?? bare
}
