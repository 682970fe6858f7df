import { toTimestamp } from '../base/index.ts'
import type { Change } from './changes.ts'
import type { AnyCollection } from './collection.ts'
import type { Connection } from './connection.ts'
import type { AnyRecord, Plan } from './plan.ts'
import { createRecordWriter, type RecordWriter } from './record-writer.ts'
import { createRecordReader, type RecordReader } from './records.ts'
import type { SqlReader, SqlWriter } from './sql.ts'

/** Reading inside one transaction: a consistent snapshot of committed data. */
export interface ReadTx extends SqlReader, RecordReader {}

/** Reading and writing inside one IMMEDIATE transaction. */
export interface Tx extends ReadTx, SqlWriter, RecordWriter {
  /** Publishes a change of a record that was written with `run`; call it after the statement. */
  changed(collection: AnyCollection, id: string, action: Change['action']): void
}

/** What all transactions of a database share. */
export interface TxParts {
  collections: readonly AnyCollection[]
  planOf: (collection: AnyCollection) => Plan
}

/** A reading transaction on `connection` at `now`, ms since the epoch. */
export function createReadTx(connection: Connection, parts: TxParts, now: number): ReadTx {
  const sql: SqlReader = { now, at: toTimestamp(now), one: connection.one, all: connection.all }
  return { ...sql, ...createRecordReader(sql, parts.planOf) }
}

/** A writing transaction that adds what it changes to `changes`. */
export function createTx(connection: Connection, parts: TxParts, now: number, changes: Change[]): Tx {
  const reading = createReadTx(connection, parts, now)
  const sql: SqlWriter = { ...reading, run: connection.run }
  const note = (
    collection: AnyCollection,
    id: string,
    action: Change['action'],
    record: AnyRecord | undefined,
  ) => {
    const row = connection.one<{ seq: number }>(
      `INSERT INTO change_log (collection, record, action, at) VALUES ($collection, $id, $action, $at)
       RETURNING seq`,
      { collection: collection.name, id, action, at: sql.at },
    )
    changes.push({ collection: collection.name, id, action, seq: row?.seq ?? 0, record })
  }
  const writing = createRecordWriter({ ...parts, sql, reader: reading, note })
  return {
    ...reading,
    ...writing,
    run: connection.run,
    changed: (collection, id, action) => note(collection, id, action, reading.find(collection, id)),
  }
}
