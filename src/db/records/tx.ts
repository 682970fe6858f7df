import { toTimestamp } from '../../base/index.ts'
import type { Connection } from '../engine/connection.ts'
import type { SqlReader, SqlWriter } from '../engine/sql.ts'
import type { AnyCollection, RecordOf } from '../schema/collection.ts'
import { MAX_ROW_BYTES } from '../schema/fields/index.ts'
import type { AnyRecord, Plan } from '../schema/plan.ts'
import type { Change } from './changes.ts'
import { createRecordReader, type RecordReader } from './record-reader.ts'
import { createRecordWriter, type RecordWriter } from './record-writer.ts'

/** Reads inside one transaction: a consistent snapshot of committed data. */
export interface ReadTx extends SqlReader, RecordReader {}

/** Reads and writes inside one transaction. */
export interface Tx extends ReadTx, SqlWriter, RecordWriter {
  /**
   * Publishes a change of a record that was written with `run`; call it after the statement. Returns the
   * current record, so that callers need not read it again. Values that are stored outside its row, which are
   * too large for an event, stay in the database, see `StoredJson`.
   */
  changed<C extends AnyCollection>(
    collection: C,
    id: string,
    action: Change['action'],
  ): RecordOf<C> | undefined
}

/** Dependencies shared by all transactions of a database. */
interface TxDependencies {
  collections: readonly AnyCollection[]
  planOf: (collection: AnyCollection) => Plan
}

/** A transaction and the function that invalidates it. */
interface TxHandle<T> {
  tx: T
  end(): void
  /** Whether any statement may have changed rows. */
  hasWritten(): boolean
}

/**
 * SQL functions that throw after `end`: a continuation of async work would otherwise write outside any
 * transaction.
 */
function guardedSql(connection: Connection, now: number): TxHandle<SqlWriter> {
  let live = true
  /** Rows that were changed, or may have been. */
  let rows = 0
  function inside(): Connection {
    if (!live) throw new TypeError('the transaction has ended; its work must not be async')
    return connection
  }
  function counted(changed: number): number {
    rows += changed
    return changed
  }
  const tx: SqlWriter = {
    now,
    at: toTimestamp(now),
    one: (sql, params) => inside().one(sql, params),
    all: (sql, params) => inside().all(sql, params),
    version: () => inside().version(),
    dialect: connection.dialect,
    run: (sql, params) => counted(inside().run(sql, params)),
    attempt: (sql, params) => counted(inside().attempt(sql, params)),
    post: (sql, params) => void counted(inside().post(sql, params)),
  }
  return {
    tx,
    end: () => {
      live = false
    },
    hasWritten: () => rows > 0,
  }
}

/** A reading transaction on `connection` at `now`, ms since the epoch. */
export function createReadTx(
  connection: Connection,
  dependencies: TxDependencies,
  now: number,
): Omit<TxHandle<ReadTx>, 'hasWritten'> {
  const { tx: sql, end } = guardedSql(connection, now)
  const { at, one, all, version, dialect } = sql
  const reading: SqlReader = { now, at, one, all, version, dialect }
  return { tx: { ...reading, ...createRecordReader(reading, dependencies.planOf) }, end }
}

/** A writing transaction that appends its changes to `changes`. */
export function createTx(
  connection: Connection,
  dependencies: TxDependencies,
  now: number,
  changes: Change[],
): TxHandle<Tx> {
  const { tx: sql, end, hasWritten } = guardedSql(connection, now)
  const reader = createRecordReader(sql, dependencies.planOf)
  const recordChange = (
    collection: AnyCollection,
    id: string,
    action: Change['action'],
    record: AnyRecord | undefined,
    seq?: number,
  ) => {
    changes.push({ collection: collection.name, id, action, record, seq })
  }
  const writer = createRecordWriter({ ...dependencies, sql, reader, recordChange })
  const changed: Tx['changed'] = (collection, id, action) => {
    const record = reader.find(collection, id, MAX_ROW_BYTES)
    recordChange(collection, id, action, record)
    return record
  }
  return {
    tx: { ...sql, ...reader, ...writer, changed },
    end,
    hasWritten: () => hasWritten() || changes.length > 0,
  }
}
