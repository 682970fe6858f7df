import { toTimestamp } from '../../base/index.ts'
import type { Connection } from '../engine/connection.ts'
import { type Ahead, once, type Params, type SqlReader, type SqlWriter } from '../engine/sql.ts'
import type { AnyCollection, RecordOf } from '../schema/collection.ts'
import { MAX_ROW_BYTES } from '../schema/fields/index.ts'
import type { AnyRecord, Plan } from '../schema/plan.ts'
import type { Change } from './changes.ts'
import { createRecordReader, type RecordReader } from './record-reader.ts'
import { createRecordWriter, type RecordWriter } from './record-writer.ts'
import { loader } from './stored-values.ts'

/** Reads inside one transaction: a consistent snapshot of committed data. */
export interface ReadTx extends SqlReader, RecordReader {}

/** Reads and writes inside one transaction. */
export interface Tx extends ReadTx, SqlWriter, RecordWriter {
  /**
   * Publishes a change of a record that was written with `run`; call it after the statement. Returns how to
   * get the record as it is now, so that callers need not read it again. Values that are stored outside its
   * row, which are too large for an event, stay in the database, see `StoredJson`.
   */
  changed<C extends AnyCollection>(
    collection: C,
    id: string,
    action: Change['action'],
  ): Ahead<RecordOf<C> | undefined>
  /**
   * Begins an UPDATE of records, without RETURNING, and publishes each with what the statement made of it;
   * with large values as `changed`. Returns how to get the records.
   */
  updating<C extends AnyCollection>(collection: C, sql: string, params: Params): Ahead<RecordOf<C>[]>
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
    ahead: (sql, params) => inside().ahead(sql, params),
    version: () => inside().version(),
    hasWritten: () => rows > 0,
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
  }
}

/** A reading transaction on `connection` at `now`, ms since the epoch. */
export function createReadTx(
  connection: Connection,
  dependencies: TxDependencies,
  now: number,
): TxHandle<ReadTx> {
  const { tx: sql, end } = guardedSql(connection, now)
  const { at, one, all, ahead, version, hasWritten, dialect } = sql
  const reading: SqlReader = { now, at, one, all, ahead, version, hasWritten, dialect }
  return { tx: { ...reading, ...createRecordReader(reading, dependencies.planOf) }, end }
}

/**
 * A writing transaction that appends its changes to `changes`, whose records are there after `complete`; call
 * it at the end of the work.
 */
export function createTx(
  connection: Connection,
  dependencies: TxDependencies,
  now: number,
  changes: Change[],
): TxHandle<Tx> & { complete(): void } {
  const { tx: sql, end } = guardedSql(connection, now)
  const reader = createRecordReader(sql, dependencies.planOf)
  /** In the order in which they were made. */
  const made: Ahead<Change[]>[] = []
  const recordChange = (
    collection: AnyCollection,
    id: string,
    action: Change['action'],
    record: AnyRecord | undefined,
    seq?: number,
  ) => {
    made.push(() => [{ collection: collection.name, id, action, record, seq }])
  }
  const writer = createRecordWriter({ ...dependencies, sql, reader, recordChange })
  const changed: Tx['changed'] = (collection, id, action) => {
    const record = reader.finding(collection, id, MAX_ROW_BYTES)
    made.push(() => [{ collection: collection.name, id, action, record: record() }])
    return record
  }
  const updating: Tx['updating'] = (collection, statement, params) => {
    const plan = dependencies.planOf(collection)
    const rows = sql.ahead<Record<string, unknown>>(
      `${statement} RETURNING ${plan.returning(MAX_ROW_BYTES)}`,
      params,
    )
    const load = loader(sql, collection)
    const read = once(() => rows().map((row) => plan.record(row, load) as RecordOf<typeof collection>))
    made.push(() =>
      read().map((record) => ({ collection: collection.name, id: record.id, action: 'update', record })),
    )
    return read
  }
  return {
    tx: {
      ...sql,
      ...reader,
      ...writer,
      changed,
      updating,
      hasWritten: () => sql.hasWritten() || made.length > 0,
    },
    end,
    complete() {
      for (const read of made) changes.push(...read())
    },
  }
}
