import type { Params, SqlWriter } from '../engine/sql.ts'
import type { AnyCollection } from '../schema/collection.ts'
import type { Plan } from '../schema/plan.ts'
import type { Change } from './changes.ts'
import type { RecordReader } from './record-reader.ts'

/** Dependencies of the record writer. */
export interface WriterDependencies {
  sql: SqlWriter
  reader: RecordReader
  /** All collections, for finding relations that refer to a removed record. */
  collections: readonly AnyCollection[]
  planOf: (collection: AnyCollection) => Plan
  /** Records a change for the feed. */
  recordChange: (change: Change) => void
  /** Posts a statement and records the changes of its rows, see `SqlWriter.post`. */
  post: (sql: string, params: Params, changesOf: (rows: Record<string, unknown>[]) => Change[]) => void
}
