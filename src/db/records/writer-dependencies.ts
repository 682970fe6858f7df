import type { SqlWriter } from '../engine/sql.ts'
import type { AnyCollection } from '../schema/collection.ts'
import type { AnyRecord, Plan } from '../schema/plan.ts'
import type { Change } from './changes.ts'
import type { RecordReader } from './record-reader.ts'

/** Dependencies of the record writer. */
export interface WriterDependencies {
  sql: SqlWriter
  reader: RecordReader
  /** All collections, for finding relations that refer to a removed record. */
  collections: readonly AnyCollection[]
  planOf: (collection: AnyCollection) => Plan
  /** Records a change for the feed; `seq`: number of the row of a created record. */
  recordChange: (
    collection: AnyCollection,
    id: string,
    action: Change['action'],
    record: AnyRecord | undefined,
    seq?: number,
  ) => void
}
