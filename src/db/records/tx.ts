import { AppError, toTimestamp } from '../../base/index.ts'
import type { Connection } from '../engine/connection.ts'
import type { WithCommit } from '../engine/group-commit.ts'
import { readAll } from '../engine/query.ts'
import type { Params, SqlReader, SqlWriter } from '../engine/sql.ts'
import type { AnyCollection, RecordOf } from '../schema/collection.ts'
import { MAX_ROW_BYTES } from '../schema/fields/index.ts'
import type { AnyRecord, Plan } from '../schema/plan.ts'
import type { Change } from './changes.ts'
import { createRecordReader, type RecordReader } from './record-reader.ts'
import { createRecordWriter, type RecordWriter } from './record-writer.ts'
import { loader } from './stored-values.ts'
import type { WriterDependencies } from './writer-dependencies.ts'

/** Reads inside one transaction: a consistent snapshot of committed data. */
export interface ReadTx extends SqlReader, RecordReader {}

/** Reads and writes inside one transaction. */
export interface Tx extends ReadTx, SqlWriter, RecordWriter {
  /**
   * Publishes a change of a record that was written with `run`, as it is now; call it after the statement.
   * Values that are stored outside its row, which are too large for an event, stay in the database, see
   * `StoredJson`.
   */
  changed(collection: AnyCollection, id: string, action: Change['action']): void
  /**
   * Runs an UPDATE of records, without RETURNING, and publishes each with what the statement made of it; with
   * large values as `changed`. Returns the records.
   */
  runUpdate<C extends AnyCollection>(collection: C, sql: string, params: Params): RecordOf<C>[]
  /** The same for a caller who does not need the records: see `post`. */
  postUpdate(collection: AnyCollection, sql: string, params: Params): void
  /** The same for exactly one record; another number of them fails the transaction. */
  postUpdateOfOne(collection: AnyCollection, sql: string, params: Params): void
  /** No other intent is expected in its commit: see `WithCommit`. */
  withCommit(when: WithCommit): void
}

/** Dependencies shared by all transactions of a database. */
export interface TxDependencies {
  collections: readonly AnyCollection[]
  planOf: (collection: AnyCollection) => Plan
}

/** A transaction and the function that invalidates it. */
interface TxHandle<T> {
  tx: T
  end(): void
}

type Row = Record<string, unknown>

/**
 * SQL functions that throw after `end`: a continuation of async work would otherwise write outside any
 * transaction.
 */
function guardedSql(connection: Connection, now: number): TxHandle<SqlWriter> & { inside(): Connection } {
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
  const at = toTimestamp(now)
  const tx: SqlWriter = {
    now,
    at,
    one: (sql, params) => inside().one(sql, params),
    all: (sql, params) => inside().all(sql, params),
    explain: (sql, params) => inside().explain(sql, params),
    read: (reads) =>
      readAll({ dialect: connection.dialect, at, batch: (each) => inside().batch(each) }, reads),
    version: () => inside().version(),
    hasWritten: () => rows > 0,
    dialect: connection.dialect,
    run: (sql, params) => counted(inside().run(sql, params)),
    attempt: (sql, params) => counted(inside().attempt(sql, params)),
    post: (sql, params) => void counted(inside().post(sql, params)),
  }
  return {
    tx,
    inside,
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
  const { at, one, all, explain, read, version, hasWritten, dialect } = sql
  const reading: SqlReader = { now, at, one, all, explain, read, version, hasWritten, dialect }
  return { tx: { ...reading, ...createRecordReader(reading, dependencies.planOf) }, end }
}

/** A writing transaction; `complete` returns its changes, when the rows of what was posted are there. */
export function createTx(
  connection: Connection,
  dependencies: TxDependencies,
  now: number,
): TxHandle<Tx> & { complete(): Change[]; withCommit(): WithCommit | undefined } {
  const { tx: sql, end, inside } = guardedSql(connection, now)
  const reader = createRecordReader(sql, dependencies.planOf)
  /** In the order in which they were made; those of one statement are filled in with its rows. */
  const made: Change[][] = []
  let when: WithCommit | undefined
  const recordChange = (change: Change) => void made.push([change])
  const post: WriterDependencies['post'] = (statement, params, changesOf) => {
    const own: Change[] = []
    made.push(own)
    inside().post(statement, params, (rows) => void own.push(...changesOf(rows)))
  }
  const writer = createRecordWriter({ ...dependencies, sql, reader, recordChange, post })
  const recordsOf = (collection: AnyCollection) => {
    const plan = dependencies.planOf(collection)
    const load = loader(sql, collection)
    return (rows: Row[]) => rows.map((row) => plan.record(row, load))
  }
  const changed: Tx['changed'] = (collection, id, action) => {
    const { name } = collection
    const select = `${dependencies.planOf(collection).selectShort({}, MAX_ROW_BYTES)} WHERE id = $id`
    const read = recordsOf(collection)
    post(select, { id }, (rows) => [{ collection: name, id, action, record: read(rows)[0] }])
  }
  const returning = (collection: AnyCollection, statement: string) =>
    `${statement} RETURNING ${dependencies.planOf(collection).returning(MAX_ROW_BYTES)}`
  const changesTo = ({ name }: AnyCollection, records: readonly AnyRecord[]) =>
    records.map((record): Change => ({ collection: name, id: record.id, action: 'update', record }))
  const postUpdate: Tx['postUpdate'] = (collection, statement, params) => {
    const read = recordsOf(collection)
    post(returning(collection, statement), params, (rows) => changesTo(collection, read(rows)))
  }
  const postUpdateOfOne: Tx['postUpdateOfOne'] = (collection, statement, params) => {
    const read = recordsOf(collection)
    post(sql.dialect.ofOneRow(returning(collection, statement)), params, (rows) => {
      if (rows.length === 1) return changesTo(collection, read(rows))
      throw new AppError('internal', `a change of one of ${collection.name} met ${rows.length}`)
    })
  }
  const runUpdate = <C extends AnyCollection>(collection: C, statement: string, params: Params) => {
    const records = recordsOf(collection)(sql.all<Row>(returning(collection, statement), params))
    made.push(changesTo(collection, records))
    return records as RecordOf<C>[]
  }
  return {
    tx: {
      ...sql,
      ...reader,
      ...writer,
      changed,
      runUpdate,
      postUpdate,
      postUpdateOfOne,
      withCommit: (given) => {
        when = given
      },
      hasWritten: () => sql.hasWritten() || made.length > 0,
    },
    end,
    complete: () => made.flat(),
    withCommit: () => when,
  }
}
